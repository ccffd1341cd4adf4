import Testing

@testable import Benchmarks

@Suite struct GrowthTests {
  private func finding(limit: Double, _ costs: [(size: Int, cost: Double)]) -> GrowthFinding {
    let growth = Growth(id: "a", name: "a", sizes: costs.map(\.size), limit: limit) { _ in {} }
    return GrowthFinding(growth: growth, costs: costs)
  }

  @Test func `the exponent is that of the power in proportion to which the cost grows`() {
    let square = finding(limit: 1, [(10, 100), (100, 10_000), (1_000, 1_000_000)])
    #expect(abs(square.exponent - 2) < 0.001)
    #expect(!square.isMet)
    let line = finding(limit: 1, [(10, 30), (100, 300), (1_000, 3_000)])
    #expect(abs(line.exponent - 1) < 0.001)
    #expect(line.isMet)
    #expect(finding(limit: 0, [(10, 30), (100, 30)]).isMet)
    #expect(!finding(limit: 0, [(10, 30), (100, 40)]).isMet)
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
