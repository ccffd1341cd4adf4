import SluiceCore
import TestSupport
import Testing

/// A database can store its text as UTF-16, which must not change any result.
@Suite(.inEachThreadingMode) struct UTF16Tests {
  static let encodings = ["UTF-16le", "UTF-16be"]

  private func open(_ encoding: String) throws -> Connection {
    let db = try Connection.inTestedMode()
    try db.execute(sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE t(a)")
    #expect(try db.value("PRAGMA encoding") == .text(encoding))
    return db
  }

  @Test(arguments: encodings, ["", "a", "ä→🙂", "a\0b", "\0", "\u{feff}x", "e\u{301}"])
  func `a UTF-16 database binds, stores, reads and borrows text unchanged`(
    encoding: String, text: String
  ) throws {
    let db = try open(encoding)
    try db.execute(sql: "INSERT INTO t VALUES (?)", parameters: .string(text))
    let utf8 = Array(text.utf8)
    try db.execute(sql: "SELECT a FROM t") { row in
      let read = [
        Array(try row.get(.string, at: 0).utf8), Array(try row.text(at: 0).utf8),
        try row.blob(at: 0), try row.get(.bytes, at: 0),
        try row.withUTF8(at: 0) { span in span.indices.map { span[$0] } },
      ]
      #expect(read == Array(repeating: utf8, count: 5))
      let value = try row.value(at: 0)
      #expect(value == .text(text))
    }
  }

  @Test(arguments: encodings) func `a UTF-16 database preserves values other than text`(
    encoding: String
  ) throws {
    let db = try open(encoding)
    let values: [DatabaseValue] = [1, 1.5, .blob([0, 255, 0xd8]), .blob([]), .null]
    for value in values {
      #expect(try db.value("SELECT ?", .value(value)) == value)
    }
    let read = try db.prepare(sql: "SELECT 42, 1.5").map { row in
      [try row.text(at: 0), try row.text(at: 1), "\(try row.blob(at: 0))"]
    }
    #expect(read == [["42", "1.5", "[52, 50]"]])
  }

  @Test(
    arguments: encodings, ["x'00d8'", "x'd800'", "x'00dc00d8'", "x'41'", "x'd8004100'", "x'ffff'"])
  func `reading text with invalid UTF-16 returns a value or throws instead of trapping`(
    encoding: String, blob: String
  ) throws {
    let db = try open(encoding)
    try db.execute(sql: "INSERT INTO t VALUES (CAST(\(blob) AS TEXT))")
    try db.execute(sql: "SELECT a FROM t") { row in
      let bytes = try row.blob(at: 0)
      let lent = try row.withUTF8(at: 0) { span in span.indices.map { span[$0] } }
      #expect(bytes == lent)
      let code = failure { try row.text(at: 0) }?.code
      #expect(code == (String(validating: bytes, as: UTF8.self) == nil ? .mismatch : nil))
      #expect(failure { try row.value(at: 0) }?.code == code)
    }
  }

  @Test(arguments: encodings)
  func `a UTF-16 database preserves column names, error messages and offsets`(encoding: String)
    throws
  {
    let db = try open(encoding)
    #expect(try db.prepare(sql: "SELECT 1 AS \"ä🙂\", ?").columnNames[0] == "ä🙂")
    #expect(failure { try db.prepare(sql: "SELECT nobody") }?.message == "no such column: nobody")
    #expect(failure { try db.execute(sql: "SELECT 'ä', nobody") }?.offset == 13)
  }
}
