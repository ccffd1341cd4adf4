import Foundation
import Sluice
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5))) struct `Unusual files` {
  @Test func `a file that is not text is skipped and reported`() throws {
    let folder = try Folder(["a.txt": "apple\n"])
    try folder.write("nul.bin", Data([0x61, 0, 0x62]))
    try folder.write("latin1.txt", Data([0x61, 0xE4, 0x62]))
    let run = try folder.codesearch("apple")
    #expect(run.status == 0)
    #expect(run.messages.contains("1 file indexed, with 1 line."))
    #expect(run.messages.contains("Skipped 2 files (not text): latin1.txt, nul.bin"))
    #expect(try folder.codesearch("apple").messages == "Nothing has changed.\n")
  }

  @Test func `a file above 4 MB is skipped and reported`() throws {
    let folder = try Folder(["a.txt": "apple\n"])
    try folder.write("huge.txt", Data(repeating: UInt8(ascii: "x"), count: 4 << 20 + 1))
    #expect(
      try folder.codesearch("apple").messages.contains("Skipped 1 file (above 4 MB): huge.txt"))
  }

  @Test func `an empty or blank file is indexed without lines`() throws {
    let folder = try Folder(["empty.txt": "", "blank.txt": "\n \n\t\r\n"])
    #expect(try folder.codesearch().messages.contains("2 files indexed, with 0 lines."))
    #expect(try folder.codesearch("a").messages == "Nothing has changed.\n")
  }

  @Test(arguments: [
    "with space.txt", "new\nline.txt", "it's \"quoted\".txt", "🍎/äöü ñ.txt", "-dash.txt", "%41.txt",
    "semi;colon#hash?.txt", "tab\tand\u{1B}[31mescape.txt",
  ])
  func `a file with an unusual name is found, and its name is printed on one line`(
    name: String
  ) throws {
    let folder = try Folder([name: "needle\n"])
    let run = try folder.codesearch("needle")
    #expect(run.status == 0)
    #expect(run.lines.first?.hasSuffix(":1: »needle«") == true)
    #expect(!run.output.contains("\u{1B}"))
    #expect(try folder.indexedPaths() == [name])
    #expect(try folder.codesearch("needle").messages == "Nothing has changed.\n")
  }

  @Test func `names that differ only in the encoding of an accent are separate files`() throws {
    let folder = try Folder(["e\u{301}.txt": "needle\n"])
    try folder.write("\u{E9}.txt", "needle\n")
    #expect(try folder.codesearch("needle").output.contains("2 lines match."))
    #expect(try folder.codesearch("needle").messages == "Nothing has changed.\n")
  }

  /// The superuser can read `denied.txt`, but not even the superuser can open a file whose name is not UTF-8,
  /// because Swift replaces the invalid bytes of the name.
  @Test func `an unreadable file is skipped and reported on each run`() throws {
    let folder = try Folder(["a.txt": "apple\n"])
    try folder.shell("echo apple > \"$(printf 'bad-\\377.txt')\"")
    try folder.write("denied.txt", "secret\n")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0], ofItemAtPath: folder.url.appending(path: "denied.txt").path)
    let count = getuid() == 0 ? "1 file" : "2 files"
    for _ in 1...2 {
      let run = try folder.codesearch("apple")
      #expect(run.status == 0)
      #expect(run.messages.contains("Skipped \(count) (cannot be read): bad-\u{FFFD}.txt"))
      #expect(run.output.contains("1 line matches."))
    }
  }

  @Test func `symbolic links and pipes are not indexed`() throws {
    let folder = try Folder(["folder/a.txt": "apple\n"])
    let files = FileManager.default
    for (link, target) in [
      ("folder/loop", ".."), ("dangling", "nowhere"), ("self", "self"),
      ("link.txt", "folder/a.txt"),
    ] {
      try files.createSymbolicLink(
        atPath: folder.url.appending(path: link).path, withDestinationPath: target)
    }
    try folder.shell("mkfifo pipe")
    let run = try folder.codesearch("apple")
    #expect(run.output.contains("1 line matches."))
    #expect(try folder.indexedPaths() == ["folder/a.txt"])
  }

  @Test func `hidden folders and tool folders are skipped, hidden files are indexed`() throws {
    let folder = try Folder([
      ".git/a.txt": "apple\n", ".build/b.txt": "apple\n", "web/node_modules/c.js": "apple\n",
      ".hidden": "apple\n", "sub/d.txt": "apple\n",
    ])
    _ = try folder.codesearch()
    #expect(try folder.indexedPaths() == [".hidden", "sub/d.txt"])
  }

  @Test func `control characters of a file are escaped in the output`() throws {
    let folder = try Folder(["a.txt": "needle \u{1B}[2J \u{7} \u{9B}31m\rend\n"])
    let line = try #require(try folder.codesearch("needle").lines.first)
    #expect(line == "a.txt:1: »needle« \\u{1b}[2J \\u{7} \\u{9b}31m\\rend")
  }
}
