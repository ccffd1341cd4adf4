import Foundation
import Sluice
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5))) struct `Searching` {
  @Test func `the first run indexes, and prints matches with file, line and highlight`() throws {
    let folder = try Folder([
      "Sources/main.swift": "import Sluice\n\n  let connection = try Connection()\n",
      "notes.txt": "nothing here\r\nbut a connection\r\n",
    ])
    let run = try folder.codesearch("connection")
    #expect(run.status == 0)
    #expect(run.lines.contains("Sources/main.swift:3: let »connection« = try »Connection«()"))
    #expect(run.lines.contains("notes.txt:2: but a »connection«"))
    #expect(run.messages.contains("2 files indexed, with 4 lines."))
  }

  @Test func `a file that is named after the word ranks first`() throws {
    let folder = try Folder([
      "a.swift": "let queue = make()\n", "queue.swift": "let queue = make()\n",
      "z.swift": "let queue = make()\n",
    ])
    let hits = try folder.codesearch("queue").lines.filter { $0.contains(".swift:") }
    #expect(hits.map { $0.prefix { $0 != ":" } } == ["queue.swift", "a.swift", "z.swift"])
  }

  @Test func `a line that is mostly the word ranks above a line with many other words`() throws {
    let folder = try Folder([
      "a.txt": "this long line speaks of a great many things, a sluice being among them\n",
      "b.txt": "sluice sluice\n",
    ])
    #expect(try folder.codesearch("sluice").lines.first == "b.txt:1: »sluice« »sluice«")
  }

  @Test func `equal matches are sorted by the numbers in their file names`() throws {
    let names = ["file1.txt", "file2.txt", "file10.txt", "file010.txt", "file100.txt"]
    let folder = try Folder(Dictionary(uniqueKeysWithValues: names.map { ($0, "needle\n") }))
    let hits = try folder.codesearch("needle").lines.filter { $0.contains(": ") }.prefix(5)
    let order = ["file1.txt", "file2.txt", "file010.txt", "file10.txt", "file100.txt"]
    #expect(hits.map { String($0.prefix { $0 != ":" }) } == order)
  }

  @Test func `a matching line contains all words, and adjacent words of one argument`() throws {
    let folder = try Folder(["a.txt": "begin a transaction\nbegin transaction\nbegin\n"])
    #expect(try folder.codesearch("transaction", "begin").output.contains("2 lines match."))
    #expect(try folder.codesearch("begin transaction").output.contains("1 line matches."))
    #expect(try folder.codesearch("BEGIN trans").output.contains("1 line matches."))
  }

  @Test func `a search finds an identifier by its parts, and as one word`() throws {
    let folder = try Folder([
      "a.swift": "func parseHTTPHeader2(_ größe_wert: Int)\nlet __parse_http = 1\n"
    ])
    let first = "a.swift:1: func "
    let second = "a.swift:2: let __"
    let expected = [
      "http": ["\(second)parse_»http« = 1", "\(first)parse»HTTP«Header2(_ größe_wert: Int)"],
      "parseHTTP": ["\(second)»parse_http« = 1", "\(first)»parseHTTP«Header2(_ größe_wert: Int)"],
      "parse_h": ["\(second)»parse_http« = 1", "\(first)»parseHTTP«Header2(_ größe_wert: Int)"],
      "PARSEHTTPHEADER": ["\(first)»parse«HTTPHeader2(_ größe_wert: Int)"],
      "header2": ["\(first)parseHTTP»Header2«(_ größe_wert: Int)"],
      "grosse": [], "wert": ["\(first)parseHTTPHeader2(_ größe_»wert«: Int)"],
      "große": ["\(first)parseHTTPHeader2(_ »größe«_wert: Int)"],
    ]
    for (word, lines) in expected {
      #expect(
        try folder.codesearch(word).lines.filter { $0.hasPrefix("a.swift:") }.sorted()
          == lines.sorted(), "\(word)")
    }
    #expect(try IndexDump.problems(of: folder.index).isEmpty)
  }

  @Test func `a search without a match reports it and exits with status 1`() throws {
    let folder = try Folder(["a.txt": "something\n"])
    let run = try folder.codesearch("nothing")
    #expect(run.status == 1)
    #expect(run.output == "No line matches.\n")
  }

  @Test func `the limit applies to the shown lines, not to the count`() throws {
    let folder = try Folder(["a.txt": String(repeating: "needle\n", count: 30)])
    let run = try folder.codesearch("--limit", "7", "needle")
    #expect(run.lines.count { $0.hasPrefix("a.txt:") } == 7)
    #expect(run.output.contains("30 lines match; the best 7 are shown."))
  }

  @Test func `a long line is shortened to the matching part`() throws {
    let folder = try Folder(["a.js": String(repeating: "x=1;", count: 5000) + "needle=2;\n"])
    let line = try #require(try folder.codesearch("needle").lines.first)
    #expect(line.contains("»needle«"))
    #expect(line.count < 300)
  }

  @Test func `the summary lists the matches by language, with the median`() throws {
    let folder = try Folder([
      "a.swift": "needle\n", "b.swift": "needle\nneedle\nneedle\n",
      "c.swift": String(repeating: "needle\n", count: 50), "d.md": "needle\n",
    ])
    let lines = try folder.codesearch("needle").lines
    #expect(
      lines.suffix(2) == [
        "  Swift: 54 lines in 3 files, the median file has 3", "  Markdown: 1 line in 1 file",
      ])
  }

  @Test func `a run without words describes the index`() throws {
    let folder = try Folder(["a.swift": "one\ntwo\n", "b": "three\n"])
    let run = try folder.codesearch()
    #expect(run.status == 0)
    #expect(
      run.lines == [
        "The index has 3 lines of text.", "  Swift: 2 lines in 1 file",
        "  no extension: 1 line in 1 file",
      ])
  }
}
