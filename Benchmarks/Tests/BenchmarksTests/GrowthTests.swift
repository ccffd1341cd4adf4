import Testing

@testable import Benchmarks

@Suite struct GrowthTests {
  private func finding(limit: Double, _ costs: [(size: Int, cost: Double)]) -> GrowthFinding {
    let growth = Growth(id: "a", name: "a", sizes: costs.map(\.size), limit: limit) { _ in {} }
    return GrowthFinding(growth: growth, costs: costs)
  }

  @Test func `the exponent is that of the power in proportion to which the cost grows`() {
    let square = finding(limit: 1, [(10, 1e5), (100, 1e7), (1_000, 1e9)])
    #expect(abs(square.exponent - 2) < 0.001)
    #expect(!square.isMet)
    let line = finding(limit: 1, [(10, 3e4), (100, 3e5), (1_000, 3e6)])
    #expect(abs(line.exponent - 1) < 0.001)
    #expect(line.isMet)
    #expect(finding(limit: 0, [(10, 3e4), (100, 3e4)]).isMet)
    #expect(!finding(limit: 0, [(10, 3e4), (100, 4e4)]).isMet)
  }

  @Test func `work that costs nothing has not been done`() {
    for cost in [0, 500.0, -500] {
      #expect(!finding(limit: 0, [(10, cost), (100, cost)]).isMet)
    }
  }

  @Test func `each cost has an ID of its own, and at least two sizes in order`() {
    #expect(Set(Growth.all.map(\.id)).count == Growth.all.count)
    for growth in Growth.all {
      #expect(growth.sizes.count > 1)
      #expect(growth.sizes == Set(growth.sizes).sorted())
    }
  }

  @Test(arguments: [
    ["--only"], ["--only", "none"], ["--work", "rows"], ["--work", "rows", "1", "x"], ["--long"],
  ])
  func `invalid options are refused`(_ arguments: [String]) {
    #expect(throws: UsageError.self) { try GrowthCommand(arguments: arguments) }
  }
}
