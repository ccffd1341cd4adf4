import Foundation
import SluiceCore
import SluiceData
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `dumps of random databases` {
  @Test(arguments: 0..<rounds(15, long: 2_000))
  func `a database that is loaded from its dump is the same`(seed: Int) throws {
    let source = try Connection(configuration: .exact)
    try DumpRandomDatabase.fill(source, seed: seed)
    let expected = try DumpedContent(of: source)
    // SQLite reports text in numeric columns, which a value such as '12' with a NUL leaves there.
    let problems = try source.integrityProblems()
    var script: [UInt8] = []
    try source.dump { script += $0 }
    let copy = try Connection(configuration: .exact)
    // The pieces end anywhere, even inside a character.
    var rest = script[...]
    try copy.load {
      let piece = rest.prefix(seed % 2 == 0 ? 1 << 16 : 1 + seed % 97)
      rest = rest.dropFirst(piece.count)
      return piece.isEmpty ? nil : Array(piece)
    }
    try expect(copy, is: expected, problems)
    var second: [UInt8] = []
    try copy.dump { second += $0 }
    #expect(second.count == script.count)
  }

  @Test(
    .enabled(if: DumpTools.shell != nil, "the sqlite3 shell is not installed"),
    arguments: 0..<rounds(10, long: 2_000))
  func `the sqlite3 shell loads the same database from a dump`(seed: Int) throws {
    let folder = try TestFolder()
    let source = try Connection(configuration: .exact)
    try DumpRandomDatabase.fill(source, seed: seed)
    try source.dump(to: URL(filePath: folder.file("dump.sql")))
    try DumpTools.run(
      DumpTools.shell, ["-bail", "-cmd", ".dbconfig defensive off", folder.file("copy.db")],
      input: folder.file("dump.sql"))
    let copy = try Connection(path: folder.file("copy.db"), configuration: .exact)
    try expect(copy, is: DumpedContent(of: source), source.integrityProblems())
  }

  @Test(
    .enabled(if: DumpTools.python != nil, "Python with its module sqlite3 is not installed"),
    arguments: 0..<rounds(4, long: 200))
  func `Python loads the same database from a dump`(seed: Int) throws {
    let folder = try TestFolder()
    let source = try Connection(configuration: .exact)
    try DumpRandomDatabase.fill(source, seed: 10_000 + seed)
    try source.dump(to: URL(filePath: folder.file("dump.sql")))
    try DumpTools.run(
      DumpTools.python,
      [
        "-c",
        """
        import sqlite3, sys
        connection = sqlite3.connect(sys.argv[1])
        with open(sys.argv[2], encoding="utf-8", newline="") as file:
          connection.executescript(file.read())
        """, folder.file("copy.db"), folder.file("dump.sql"),
      ])
    let copy = try Connection(path: folder.file("copy.db"), configuration: .exact)
    try expect(copy, is: DumpedContent(of: source), source.integrityProblems())
  }

  @Test(
    .enabled(if: DumpTools.shell != nil, "the sqlite3 shell is not installed"),
    arguments: 0..<rounds(10, long: 2_000))
  func `a dump of the sqlite3 shell is loaded as the same database`(seed: Int) throws {
    let folder = try TestFolder()
    let source = try Connection(path: folder.file(), configuration: .exact)
    try DumpRandomDatabase.fill(source, seed: seed, isForShell: true)
    let expected = try DumpedContent(of: source)
    // SQLite reports text in numeric columns, which a value such as '12' with a NUL leaves there.
    let problems = try source.integrityProblems()
    try source.close()
    try DumpTools.run(
      DumpTools.shell, [folder.file(), ".dump --preserve-rowids"], output: folder.file("dump.sql"))
    let copy = try Connection(configuration: .exact)
    try copy.load(from: URL(filePath: folder.file("dump.sql")))
    try expect(copy, is: expected, problems)
  }

  private func expect(_ copy: Connection, is expected: DumpedContent, _ problems: [String]) throws {
    let actual = try DumpedContent(of: copy)
    #expect(actual.schema == expected.schema)
    #expect(actual.settings == expected.settings)
    for (table, rows) in expected.rows { #expect(actual.rows[table] == rows, "\(table)") }
    #expect(actual.rows.count == expected.rows.count)
    #expect(try copy.integrityProblems() == problems)
  }
}
