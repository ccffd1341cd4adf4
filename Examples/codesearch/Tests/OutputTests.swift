import Foundation
import Sluice
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5))) struct `Output` {
  @Test func `the output without a terminal consists of plain lines`() throws {
    let folder = try Folder()
    for number in 1...10 { try folder.write("\(number).txt", "needle \(number)\n") }
    let run = try folder.codesearch("--batch", "3", "needle")
    for text in [run.output, run.messages] {
      #expect(!text.contains("\u{1B}"))
      #expect(!text.contains("\r"))
      #expect(text.hasSuffix("\n"))
    }
    #expect(run.messages.split(separator: "\n").count == 1)
    let verbose = try folder.codesearch("--reindex", "--verbose", "--batch", "3", "needle")
    #expect(verbose.output == run.output)
    let lines = verbose.messages.split(separator: "\n")
    #expect(lines.dropLast().allSatisfy { $0.hasPrefix("Batch ") })
    #expect(lines.count == 5)
    #expect(run.messages.hasSuffix("\(lines[4])\n"))
  }

  @Test func `the reader sees complete batches during an update`() throws {
    let folder = try Folder()
    for number in 1...10 { try folder.write("\(number).txt", "needle\nthread\n") }
    let run = try folder.codesearch("--verbose", "--batch", "2", "needle")
    let reports = run.messages.split(separator: "\n").filter { $0.hasPrefix("Batch ") }
    #expect(reports.count == 5)
    for (index, report) in reports.enumerated() {
      // The reader sees either all of the batch that is being written, or none of it.
      let seen = [index, index + 1].map { "\($0 * 4) lines searchable, \($0 * 2) matching" }
      #expect(seen.contains { report.hasSuffix($0) }, "\(report)")
    }
  }

  @Test(arguments: ["", "trap '' PIPE; "])
  func `a closed output pipe ends the program without a crash`(preparation: String) throws {
    let folder = try Folder(["a.txt": String(repeating: "needle in a haystack\n", count: 20_000)])
    _ = try folder.codesearch()
    let messages = try folder.shell(
      "\(preparation){ \"$0\" --limit 20000 needle; echo \"status $?\" >&2; } | head -n 1")
    // SIGPIPE usually ends the program; if the signal is ignored, a write error ends it.
    let status = preparation.isEmpty ? "status \(128 + SIGPIPE)\n" : "status 2\n"
    #expect(messages.hasSuffix(status))
    #expect(!messages.contains("Fatal error"))
  }
}
