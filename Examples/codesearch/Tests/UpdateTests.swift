import Foundation
import Sluice
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5))) struct `Updating` {
  @Test func `a second run indexes only changed files`() throws {
    let folder = try Folder(["a.txt": "apple\n", "b.txt": "banana\n", "c.txt": "cherry\n"])
    #expect(try folder.codesearch("apple").messages.contains("3 files indexed"))
    #expect(try folder.codesearch("apple").messages == "Nothing has changed.\n")
    try folder.write("b.txt", "blueberry\n")
    #expect(try folder.codesearch("blueberry").messages.contains("1 file indexed, with 1 line."))
    #expect(try folder.codesearch("banana").status == 1)
    #expect(try IndexDump.problems(of: folder.index).isEmpty)
  }

  @Test func `a deleted file is removed from the index`() throws {
    let folder = try Folder(["a.txt": "apple\n", "b.txt": "banana\n"])
    _ = try folder.codesearch()
    try folder.remove("b.txt")
    let run = try folder.codesearch("banana")
    #expect(run.status == 1)
    #expect(run.messages == "1 file gone.\n")
    #expect(try folder.indexedPaths() == ["a.txt"])
    #expect(try IndexDump.problems(of: folder.index).isEmpty)
  }

  @Test func `a renamed file is found only under its new name`() throws {
    let folder = try Folder(["old.txt": "apple\n"])
    _ = try folder.codesearch()
    try folder.rename("old.txt", to: "new.txt")
    let run = try folder.codesearch("apple")
    #expect(run.lines.first == "new.txt:1: »apple«")
    #expect(run.messages.hasSuffix("1 file indexed, with 1 line; 1 file gone.\n"))
    #expect(try folder.indexedPaths() == ["new.txt"])
  }

  @Test func `a file that replaces a folder also replaces it in the index`() throws {
    let folder = try Folder(["place/a.txt": "apple\n"])
    _ = try folder.codesearch()
    try folder.remove("place")
    try folder.write("place", "pear\n")
    #expect(try folder.codesearch("apple").status == 1)
    #expect(try folder.indexedPaths() == ["place"])
  }

  @Test func `reindexing reads all files again`() throws {
    let folder = try Folder(["a.txt": "apple\n", "b.txt": "banana\n"])
    _ = try folder.codesearch()
    let before = try IndexDump(of: folder.index)
    #expect(try folder.codesearch("--reindex").messages.contains("2 files indexed"))
    #expect(try IndexDump(of: folder.index) == before)
    #expect(try IndexDump.problems(of: folder.index).isEmpty)
  }

  @Test func `the batch size does not affect the index`() throws {
    let folder = try Folder()
    for number in 1...20 { try folder.write("\(number).txt", "line \(number)\nneedle\n") }
    let single = try folder.codesearch("--verbose", "--batch", "1", "needle")
    let before = try IndexDump(of: folder.index)
    let whole = try folder.codesearch("--reindex", "--verbose", "--batch", "1000", "needle")
    #expect(single.output == whole.output)
    #expect(try IndexDump(of: folder.index) == before)
    #expect(single.messages.contains("Batch 20 of 20: 20 of 20 files"))
    #expect(whole.messages.contains("Batch 1 of 1: 20 of 20 files"))
  }

  @Test func `a database inside the folder is not indexed`() throws {
    let folder = try Folder(["a.txt": "apple\n"])
    _ = try folder.codesearch("--database", "index.db")
    #expect(
      try folder.codesearch("--database", "index.db", "apple").messages == "Nothing has changed.\n")
  }
}
