import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.observation)) struct `subscriber demand` {
  @Test func `demands can be added, saturate at unlimited and are never negative`() {
    #expect(ValueDemand.max(2) + .max(3) == .max(5))
    #expect(ValueDemand.max(2) + .none == .max(2))
    #expect(ValueDemand.max(.max) + .max(1) == .unlimited)
    #expect(ValueDemand.unlimited + .unlimited == .unlimited)
    #expect(ValueDemand.max(-1) == .none)
    #expect(ValueDemand.max(.min) == .none)
    #expect(ValueDemand.unlimited.count == nil)
    #expect(ValueDemand.max(7).count == 7)
    var demand = ValueDemand.none
    demand += .max(1)
    #expect(demand.count == 1)
  }
}
