import Testing

@testable import Benchmarks

@Suite struct OptionsTests {
  @Test func `a Markdown table accepts selected workloads and a number of rounds`() throws {
    let options = try Options(arguments: ["--markdown", "--only", "6,13", "--rounds", "31"])
    #expect(options.mode == .markdown)
    #expect(options.operations.map(\.id) == ["6"])
    #expect(options.rounds == 31)
  }

  @Test(arguments: [["--json"], ["--instructions"], ["--functions"], ["--check"]])
  func `the Markdown option cannot be combined with another mode`(others: [String]) {
    #expect(throws: UsageError.self) { try Options(arguments: ["--markdown"] + others) }
  }
}
