import Foundation
import Testing

@Suite struct `Help and options` {
  @Test(arguments: ["--help", "-h"])
  func `help lists the options and the exit status`(option: String) throws {
    let folder = try Folder()
    let run = try folder.codesearch(option)
    #expect(run.status == 0)
    #expect(run.messages.isEmpty)
    for part in [
      "Usage: codesearch", "--folder", "--database", "--limit", "--batch", "--reindex", "--watch",
      "--verbose",
      "--help",
      "Exit status",
    ] {
      #expect(run.output.contains(part))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.index))
  }

  @Test(arguments: [
    (["--colour"], "There is no option --colour"),
    (["-x"], "There is no option -x"),
    (["--limit"], "--limit needs a value"),
    (["--limit="], "--limit needs a value"),
    (["--limit", "many"], "--limit must be a whole number of at least 1 (got \"many\")"),
    (["--limit=0"], "--limit must be a whole number of at least 1 (got \"0\")"),
    (["--batch", "-3"], "--batch must be a whole number of at least 1 (got \"-3\")"),
    (["--batch", "99999999999999999999"], "--batch must be a whole number of at least 1"),
    (["--reindex=yes"], "--reindex does not take a value"),
    (["word", "--folder"], "--folder needs a value"),
  ])
  func `an invalid option exits with status 64 and creates no index`(
    arguments: [String], message: String
  ) throws {
    let folder = try Folder()
    let run = try Program(arguments, in: folder.url)
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.messages.hasPrefix("codesearch: \(message)"))
    #expect(!FileManager.default.fileExists(atPath: folder.index))
  }
}
