import Foundation
import Sluice
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5))) struct `Killing the program` {
  @Test(arguments: [1, 7, 60])
  func `after a kill during an update, the next run produces the index of a fresh run`(batches: Int)
    throws
  {
    let folder = try Folder()
    let total = 2000
    // The shell creates the files faster, because Foundation waits for the disk after each file.
    try folder.shell(
      """
      for i in $(seq \(total)); do
        printf 'common\\n\\nword%d and word%d\\n' $i $((i % 7)) > "file $i.txt"
      done
      """)
    let killed = try Program(
      ["--verbose", "--batch", "1", "common"], in: folder.url, killedAfterBatches: batches)
    #expect(killed.reason == .uncaughtSignal)
    #expect(killed.status == SIGKILL)
    #expect(killed.messages.contains("Batch \(batches) of \(total): "))
    let indexed = try folder.indexedPaths().count
    #expect(indexed >= batches)
    #expect(indexed < total)
    #expect(try IndexDump.problems(of: folder.index).isEmpty)

    // Before the next run, change some files, including files that are already indexed.
    try folder.remove("file 1.txt")
    try folder.write("file 2.txt", "common, but another length\n")
    try folder.rename("file 3.txt", to: "moved.txt")

    let finished = try folder.codesearch("--limit", "100", "common")
    #expect(finished.status == 0)
    #expect(!finished.messages.contains("Nothing has changed"))
    #expect(try folder.indexedPaths().count == total - 1)
    #expect(try folder.codesearch("common").messages == "Nothing has changed.\n")
    #expect(try IndexDump.problems(of: folder.index).isEmpty)

    let fresh = try Folder()
    let other = fresh.url.appending(path: "fresh.db").path
    let compared = try folder.codesearch("--database", other, "--limit", "100", "common")
    #expect(finished.output == compared.output)
    #expect(try IndexDump(of: folder.index) == IndexDump(of: other))
    #expect(try IndexDump.problems(of: other).isEmpty)
    for words in ["word5", "another length", "and", "moved"] {
      #expect(
        try folder.codesearch(words).output
          == folder.codesearch("--database", other, words).output)
    }
  }
}
