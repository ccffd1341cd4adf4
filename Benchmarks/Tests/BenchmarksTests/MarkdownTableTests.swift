import Testing

@testable import Benchmarks

@Suite struct MarkdownTableTests {
  private static let machine = Machine(
    processor: "Calculator 7", coreCount: 2, swift: "6.3.1", date: "2026-11-21")

  private func table(instructions: Double) -> MarkdownTable {
    func finding(_ unit: Finding.Unit, _ ratios: [Double]) -> Finding {
      Finding(
        workload: "6", name: "point query", unit: unit, c: 100, sluice: 110, ratios: ratios,
        target: 1.1, count: 1000)
    }
    var table = MarkdownTable(machine: Self.machine, rounds: 3)
    table.add(
      time: finding(.nanoseconds, [1.3, 0.9, 1.2]),
      instructions: finding(.instructions, [instructions]))
    return table
  }

  @Test func `a table line contains both ratios, the range of times and the target`() {
    #expect(
      table(instructions: 1.05).description.hasSuffix(
        """


        | workload | operation | instructions | time (min–max) | target | met |
        | --- | --- | ---: | ---: | ---: | --- |
        | 6 | point query | 1.05 | 1.20 (0.90–1.30) | 1.10 | yes |
        """))
  }

  @Test func `the instruction ratio determines whether a target is met`() {
    #expect(table(instructions: 1.11).description.hasSuffix("| 1.10 | no |"))
  }

  @Test func `the table names the machine, the versions and the number of rounds`() {
    let text = table(instructions: 1).description
    for fact in [
      "2026-11-21", "Calculator 7", "2 cores", "Swift 6.3.1", "SQLite", SQLite.version,
      SQLite.mutexMode, "3 rounds",
    ] {
      #expect(text.contains(fact), "\(fact)")
    }
  }

  @Test(arguments: [(11.5, "is met"), (12.5, "is not met")])
  func `a memory result without workloads is printed as a sentence`(size: Double, end: String) {
    var table = MarkdownTable(machine: Self.machine, rounds: 3)
    table.memory = Finding(
      workload: "13", name: "memory", unit: .mebibytes, c: 3, sluice: size, ratios: [4], target: 12,
      count: 1)
    #expect(!table.description.contains("|"))
    #expect(
      table.description.hasSuffix(
        "\(size) MiB in memory,\nin C 3.0 MiB; the target of 12 MiB \(end)."))
  }
}
