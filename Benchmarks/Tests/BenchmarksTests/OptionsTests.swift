import Testing

@testable import Benchmarks

@Suite struct OptionsTests {
  @Test func `a table for a document can be of some workloads, and of more rounds`() throws {
    let options = try Options(arguments: ["--markdown", "--only", "6,13", "--rounds", "31"])
    #expect(options.mode == .markdown)
    #expect(options.operations.map(\.id) == ["6"])
    #expect(options.rounds == 31)
  }

  @Test(arguments: [["--json"], ["--instructions"], ["--functions"], ["--check"]])
  func `a table for a document is nothing else`(others: [String]) {
    #expect(throws: UsageError.self) { try Options(arguments: ["--markdown"] + others) }
  }
}
