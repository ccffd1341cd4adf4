import SluiceCore
import TestSupport
import Testing

/// NULL, empty text, and an empty blob are three values.
@Suite(.tags(.reliability), .inEachThreadingMode) struct `NULL and empty values` {
  let db: Connection

  init() throws {
    db = try Connection.inTestedMode()
    try db.execute(sql: "CREATE TABLE t(a); ")
  }

  @Test func `bound NULL, empty text and empty blobs are stored unchanged`() throws {
    let parameters: [SQLParameter] = [
      .null, nil, .int(nil), .string(""), "", .value(.text("")),
      .bytes([]), .value(.blob([])), SQLParameter([UInt8]()), .zeroBlob(count: 0),
    ]
    for parameter in parameters {
      try db.execute(sql: "INSERT INTO t VALUES (?)", parameters: parameter)
    }
    let expected =
      [DatabaseValue](repeating: .null, count: 3) + [DatabaseValue](repeating: "", count: 3)
      + [DatabaseValue](repeating: .blob([]), count: 4)
    #expect(try db.query(.column(.value), sql: "SELECT a FROM t") == expected)
    #expect(
      try db.query(.column(.string), sql: "SELECT typeof(a) FROM t")
        == ["null", "null", "null", "text", "text", "text", "blob", "blob", "blob", "blob"])
  }

  @Test func `interpolated NULL, empty text and empty blobs are stored unchanged`() throws {
    let (nothing, text, bytes) = (Int?.none, "", [UInt8]())
    try db.execute("INSERT INTO t VALUES (\(nothing)), (\(text)), (\(bytes)), (\(.null))")
    #expect(try db.query(.column(.value), sql: "SELECT a FROM t") == [.null, "", .blob([]), .null])
  }

  @Test func `an array preserves NULL, empty text and empty blobs`() throws {
    let values: [DatabaseValue] = [.null, "", .blob([])]
    let sql = "SELECT value FROM array(?) ORDER BY rowid"
    #expect(try db.query(.column(.value), sql: sql, parameters: .array(values)) == values)
    let nothing: [DatabaseValue] = []
    #expect(try db.query(.column(.value), sql: sql, parameters: .array(nothing)) == nothing)
    #expect(try db.query(.values, "SELECT 1 WHERE 1 IN \(nothing)").isEmpty)
  }

  /// One function for each optional argument type, and one whose argument is not optional.
  @Test(arguments: ["NULL", "''", "x''", "zeroblob(0)"])
  func `a function accepts or rejects NULL and empty values by its argument type`(sql: String)
    throws
  {
    try db.addFunction("text") { (value: String?) in value }
    try db.addFunction("bytes") { (value: [UInt8]?) in value }
    try db.addFunction("number") { (value: Int?) in value }
    try db.addFunction("truth") { (value: Bool?) in value }
    try db.addFunction("strict") { (value: String) in value }
    let isNull = sql == "NULL"
    func call(_ function: String) throws -> DatabaseValue? {
      try db.first(.column(.value), sql: "SELECT \(function)(\(sql))")
    }
    #expect(try call("text") == .some(isNull ? .null : ""))
    #expect(try call("bytes") == .some(isNull ? .null : .blob([])))
    #expect(failure { try call("number") }?.code == (isNull ? nil : .mismatch))
    #expect(failure { try call("truth") }?.code == (isNull ? nil : .mismatch))
    #expect(failure { try call("strict") }?.code == (isNull ? .mismatch : nil))
  }

  /// Returns the result of each way to read the value of `sql`: a description, or the code of the error.
  private func readings(_ sql: String) throws -> [String] {
    var all: [String] = []
    try db.execute(sql: "SELECT \(sql)") { row in
      func note<T>(_ body: () throws -> T) {
        do { all.append("\(try body())") } catch {
          all.append((error as? SQLiteError)?.code == .mismatch ? "mismatch" : "\(error)")
        }
      }
      note { try row.value(at: 0) }
      note { try row.storageClass(at: 0).rawValue }
      note { try row.get(.string, at: 0) }
      note { try row.get(.bytes, at: 0) }
      note { try row.get(.int, at: 0) }
      note { try row.get(.double, at: 0) }
      note { try row.get(.bool, at: 0) }
      note { try row.text(at: 0) }
      note { try row.blob(at: 0) }
      note { try row.integer(at: 0) }
      note { try row.real(at: 0) }
      note { try row.withUTF8(at: 0) { $0.count } }
      note { try row.withBytes(at: 0) { $0.count } }
      note { try row.optional(.string, at: 0) == nil }
      note { try row.isNull(at: 0) }
    }
    return all
  }

  @Test func `each way to read NULL returns NULL or throws a mismatch`() throws {
    #expect(
      try readings("NULL") == ["NULL", "NULL"] + Array(repeating: "mismatch", count: 11)
        + ["true", "true"])
  }

  @Test func `each way to read empty text returns empty text, never NULL`() throws {
    #expect(
      try readings("''") == [
        "''", "TEXT", "", "[]", "mismatch", "mismatch", "mismatch", "", "[]", "0", "0.0", "0",
        "mismatch", "false", "false",
      ])
  }

  @Test(arguments: ["x''", "zeroblob(0)", "CAST('' AS BLOB)"])
  func `each way to read an empty blob returns an empty blob, never NULL`(sql: String) throws {
    #expect(
      try readings(sql) == [
        "x''", "BLOB", "", "[]", "mismatch", "mismatch", "mismatch", "", "[]", "0", "0.0",
        "mismatch", "0", "false", "false",
      ])
  }
}
