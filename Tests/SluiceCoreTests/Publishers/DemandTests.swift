import SluiceCore
import Testing

@Suite struct `P1 demand` {
  @Test func `it adds up, and ends at any number`() {
    #expect(Demand.max(2) + .max(3) == .max(5))
    #expect(Demand.max(2) + .none == .max(2))
    #expect(Demand.max(.max) + .max(1) == .unlimited)
    #expect(Demand.unlimited + .unlimited == .unlimited)
    #expect(Demand.max(-1) == .none)
    #expect(Demand.max(.min) == .none)
    #expect(Demand.unlimited.count == nil)
    #expect(Demand.max(7).count == 7)
    var demand = Demand.none
    demand += .max(1)
    #expect(demand.count == 1)
  }
}
