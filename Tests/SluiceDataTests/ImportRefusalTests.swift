import Foundation
import Sluice
import SluiceData
import TestSupport
import Testing

@Suite(.tags(.reliability)) struct `refused rows` {
  private let connection: Connection
  private let folder: TestFolder
  private let text = """
    id,name,age
    1,Ada,36
    2,,41
    3,"A
    B",x
    4,Eve
    1,Ida,5
    5,Bob,7

    """

  init() throws {
    connection = try Connection()
    folder = try TestFolder()
    try connection.execute(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER) STRICT")
  }

  private func importText(
    _ text: String, as format: DataFormat = .csv, _ refusals: RefusalPolicy
  ) throws -> DataProgress {
    try connection.importRows(
      from: [Array(text.utf8)], as: format, into: "t", refusals: refusals)
  }

  private var count: Int { get throws { try connection.integers("SELECT count(*) FROM t")[0] } }

  @Test func `the first refused row stops the import, and nothing is imported`() throws {
    let error = failure { try importText(text, .stop) }
    #expect(error?.code == .constraintNotNull)
    #expect(error?.message == "Line 3: NOT NULL constraint failed: t.name")
    #expect(try count == 0)
    #expect(connection.isInAutocommit)
    try connection.transaction { connection in
      try connection.execute("INSERT INTO t VALUES (9, 'x', 1)")
      #expect(failure { try importText(text, .stop) }?.code == .constraintNotNull)
    }
    #expect(try count == 1)
  }

  @Test func `a closure receives refused rows with their lines and reasons`() throws {
    var refused: [RefusedRow] = []
    let result = try importText(text, .handle { refused.append($0) })
    #expect(result.rowCount == 2)
    #expect(result.refusedCount == 4)
    #expect(refused.map(\.line) == [3, 4, 6, 7])
    #expect(refused.map(\.text) == ["2,,41", "3,\"A\nB\",x", "4,Eve", "1,Ida,5"])
    #expect(
      refused.map(\.error.message) == [
        "NOT NULL constraint failed: t.name", "cannot store TEXT value in INTEGER column t.age",
        "The row has 2 fields, but there are 3 columns", "UNIQUE constraint failed: t.id",
      ])
    #expect(try connection.integers("SELECT id FROM t") == [1, 5])
  }

  @Test func `an error of the closure rolls the import back`() throws {
    let error = foreignFailure {
      try importText(text, .handle { row in if row.line == 4 { throw ForeignError() } })
    }
    #expect(error == ForeignError())
    #expect(try count == 0)
  }

  @Test func `a file receives refused rows as CSV`() throws {
    let bytes = Array(text.utf8) + [0x36, 0x2c, 0xff, 0x2c, 0x31, 0x0a]
    let url = URL(filePath: folder.file("refused.csv"))
    try folder.write([1], to: "refused.csv")
    let result = try connection.importRows(
      from: [bytes], as: .csv, into: "t", refusals: .write(to: url, overwriting: true))
    #expect(result.refusedCount == 5)
    let written = try folder.bytes("refused.csv")
    #expect(
      String(decoding: written.dropLast(5), as: UTF8.self) == """
        line,reason,row
        3,NOT NULL constraint failed: t.name,"2,,41"
        4,cannot store TEXT value in INTEGER column t.age,"3,""A
        B"",x"
        6,"The row has 2 fields, but there are 3 columns","4,Eve"
        7,UNIQUE constraint failed: t.id,"1,Ida,5"
        9,Field 2 is not UTF-8; the format's encoding may be Windows-1252,"6,
        """)
    #expect(Array(written.suffix(5)) == [0xff, 0x2c, 0x31, 0x22, 0x0a])
    #expect(try folder.content == ["refused.csv"])
  }

  @Test func `no file is written if no row is refused, or if the import fails`() throws {
    let url = URL(filePath: folder.file("refused.csv"))
    _ = try importText("id,name\n1,x\n", .write(to: url))
    #expect(try folder.content.isEmpty)
    #expect(failure { try importText("id,name\n1,y\n2,\"z", .write(to: url)) }?.code == .mismatch)
    #expect(try folder.content.isEmpty)
    let missing = URL(filePath: folder.file("none/refused.csv"))
    #expect(
      failure { try importText("id,name\n3,x\n1,y\n", .write(to: missing)) }?.code == .cantOpen)
    #expect(try connection.integers("SELECT id FROM t") == [1])
  }

  @Test func `an existing file is kept, and so is each database`() throws {
    try folder.write([1], to: "refused.csv")
    let url = URL(filePath: folder.file("refused.csv"))
    #expect(failure { try importText(text, .write(to: url)) }?.code == .cantOpen)
    #expect(try count == 0)
    try connection.backup(to: folder.file("a.db"))
    let before = try folder.bytes("a.db")
    let database = URL(filePath: folder.file("a.db"))
    let error = failure { try importText(text, .write(to: database, overwriting: true)) }
    #expect(error?.message.hasSuffix("a.db is an SQLite database, which is not replaced") == true)
    #expect(failure { try connection.dump(to: database, overwriting: true) }?.code == .cantOpen)
    #expect(try folder.bytes("a.db") == before && folder.bytes("refused.csv") == [1])
    #expect(try count == 0)
  }

  @Test func `a commit that fails writes no file`() throws {
    try connection.execute(
      sql: """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(
          a UNIQUE, parent REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
        """)
    try folder.write([1], to: "refused.csv")
    let url = URL(filePath: folder.file("refused.csv"))
    let error = failure {
      try connection.importRows(
        from: ["a,parent\n1,9\n1,9\n".utf8], as: .csv, into: "child",
        refusals: .write(to: url, overwriting: true))
    }
    #expect(error?.code == .constraintForeignKey)
    #expect(try folder.bytes("refused.csv") == [1])
    #expect(try folder.content == ["refused.csv"])
  }

  @Test func `the first reason is reported if no row fits a new table`() throws {
    let error = failure {
      try connection.importRows(
        from: ["{\"a\": NaN}\n{\"a\": 1,}\n".utf8], as: .jsonLines, into: "new")
    }
    #expect(error?.message.hasPrefix("Line 1: ") == true)
    #expect(try connection.table(named: "new") == nil)
  }

  @Test func `a key needs a unique index`() throws {
    let error = failure {
      try connection.importRows(from: [text.utf8], as: .csv, into: "t", key: ["name"])
    }
    #expect(error?.message.contains("has no unique index on \"name\"") == true)
  }

  @Test func `invalid JSON objects are refused`() throws {
    let lines = [
      "{\"id\": 1, \"name\": \"x\"}", "{\"id\": 2,}", "[1]", "{\"id\": 02}", "{\"id\": 3} 4",
      "{\"id\": 4, \"id\": 5}", "{\"nam\": 1}", "{\"name\": \"\\ud800\"}", "{\"name\": \"\u{1}\"}",
      "{\"name\": " + String(repeating: "[", count: 100_000), "{\"name\": nul}", "{\"id\": 1.}",
      "{'id': 1}", "{\"name\": \"y\", \"age\": 12345678901234567890}", "{", "{\"name\": \"z\"}",
    ]
    var refused: [Int] = []
    let result = try importText(
      lines.joined(separator: "\n"), as: .jsonLines, .handle { refused.append($0.line) })
    #expect(result.rowCount == 2)
    #expect(refused == Array(2...15))
  }

  @Test func `a constraint that rolls the transaction back ends the import`() throws {
    try connection.execute(
      sql: "CREATE TABLE u(a INTEGER UNIQUE ON CONFLICT ROLLBACK); INSERT INTO u VALUES (1)")
    var refused = 0
    let error = failure {
      try connection.importRows(
        from: [Array("a\n2\n1\n3\n".utf8)], as: .csv, into: "u",
        refusals: .handle { _ in refused += 1 })
    }
    #expect(error?.code == .constraintUnique)
    #expect(refused == 0)
    #expect(try connection.integers("SELECT a FROM u") == [1])
  }

  @Test func `types found in a sample refuse later rows that do not fit`() throws {
    // The rows with numbers are larger than the sample of 4 MB.
    let row = "1,\(String(repeating: "x", count: 998))\n"
    let bytes = Array("a,b\n\(String(repeating: row, count: 5_000))x,\n2,\n".utf8)
    var refused: [RefusedRow] = []
    let chunks = stride(from: 0, to: bytes.count, by: 1 << 17).lazy.map { start in
      bytes[start..<min(start + 1 << 17, bytes.count)]
    }
    let result = try connection.importRows(
      from: chunks, as: .csv, into: "new", refusals: .handle { refused.append($0) })
    #expect(result.rowCount == 5_001)
    #expect(refused.map(\.line) == [5_002])
    // A file is read twice, so its types fit all rows.
    try folder.write(bytes, to: "a.csv")
    let file = try connection.importRows(
      from: URL(filePath: folder.file("a.csv")), into: "all")
    #expect(file.rowCount == 5_002)
    #expect(try connection.columns(of: "all")[0].declaredType == "TEXT")
  }
}
