import CSluice
import Sluice
import SluiceTesting

/// Compares values that Sluice writes and C functions read, and vice versa, on one shared connection.
@safe struct ValueFuzzer: Fuzzer {
  static let name = "values against C"
  static let shortCount = 6000
  private let plain: OpaquePointer
  private let connection: Connection
  private let received = Received()

  /// The values that functions in Swift have received.
  private final class Received {
    var value = DatabaseValue.null
    var texts: [String] = []
    var cuts = false
  }

  init(isCanary: Bool) throws {
    // Initialize SQLite through Sluice before C opens the first connection.
    try Connection().close()
    var handle: OpaquePointer?
    guard unsafe sqlite3_open(":memory:", &handle) == SQLITE_OK, let handle = unsafe handle else {
      throw Wrong("C has no memory")
    }
    unsafe plain = handle
    unsafe connection = Connection(adopting: handle)
    received.cuts = isCanary
    try connection.execute(sql: "CREATE TABLE t(a)")
    let received = received
    try connection.addFunction("echo", arity: 1) { values in
      received.value = try values[0]
      // The canary's mistake: C receives only the part of a text before a NUL.
      if received.cuts, case .text(let text) = received.value {
        return .text(String(text.prefix { $0 != "\0" }))
      }
      return received.value
    }
    try connection.addCollation("seen") { (first: String, second: String) in
      received.texts += [first, second]
      return SQLOrder(first, second)
    }
  }

  func round(_ random: inout SeededGenerator) throws {
    let value = random.value()
    try write(value, by: random.below(6))
    try require(value.isSame(as: readInC("SELECT a FROM t")), "\(value) became another in C")
    try readBack(value)
    try callWith(value)
    let pair = SQLParameter.array([value, random.value()])
    let found = try connection.first(.column(.value), "SELECT value FROM array(\(pair))")
    try require(found?.isSame(as: value) == true, "an array has \(found as Any) for \(value)")
    try takeBrokenText(&random)
  }

  /// Stores the value as the only row of the table, in the given way.
  private func write(_ value: DatabaseValue, by way: Int) throws {
    try connection.execute(sql: "DELETE FROM t")
    let sql = "INSERT INTO t VALUES (?)"
    switch way {
    case 0: try connection.execute(sql: sql, parameters: .value(value))
    case 1: try connection.execute("INSERT INTO t VALUES (\(value))")
    case 2:
      try connection.execute(sql: "INSERT INTO t VALUES (:a)", parameters: ["a": .value(value)])
    // SQL cannot contain a NUL, not even in a literal, and SQLite reads tiny numbers inexactly.
    case 3 where value.storageClass != .real && !value.description.utf8.contains(0):
      try connection.execute(sql: "INSERT INTO t VALUES (\(value))")
    case 4:
      let statement = try connection.prepare(sql: sql)
      try statement.bind(.value("before"), toParameter: 1)
      try statement.bind(.value(value), toParameter: 1).execute()
    default:
      switch value {
      case .blob(let bytes):
        try connection.execute(
          sql: "INSERT INTO t VALUES (?)", parameters: .zeroBlob(count: bytes.count))
        let row = try connection.first(.column(.int64), sql: "SELECT rowid FROM t") ?? 0
        let blob = try connection.openBlob(table: "t", column: "a", rowid: row, readOnly: false)
        try blob.write(bytes, at: 0)
        try blob.close()
      default: try connection.execute(sql: sql, parameters: .value(value))
      }
    }
  }

  /// Reads the value in each way that its type allows.
  private func readBack(_ value: DatabaseValue) throws {
    let statement = try connection.prepare(sql: "SELECT a FROM t")
    guard let row = try statement.step() else { throw Wrong("\(value) is gone") }
    let whole = try row.value(at: 0)
    try require(value.isSame(as: whole), "\(value) became \(whole)")
    switch value {
    case .integer(let integer):
      let small = Result { try row.get(.int8, at: 0) }
      try require((try? small.get()) == Int8(exactly: integer), "\(integer) as Int8 is \(small)")
      let unsigned = Result { try row.get(.uint32, at: 0) }
      try require((try? unsigned.get()) == UInt32(exactly: integer), "\(integer) as UInt32")
      let real = unsafe inC("SELECT a FROM t") { unsafe sqlite3_column_double($0, 0) }
      try require(row.real(at: 0) == real, "\(integer) as a number of C's")
    case .real(let real):
      let integer = Result { try row.get(.int64, at: 0) }
      try require((try? integer.get()) == Int64(exactly: real), "\(real) as Int64 is \(integer)")
      try require(row.get(.double, at: 0).bitPattern == real.bitPattern, "\(real) as Double")
    case .text(let text):
      let length = try row.withUTF8(at: 0) { $0.count }
      try require(length == text.utf8.count, "\(text.debugDescription) lends \(length) bytes")
    case .blob(let bytes):
      let lent = try row.withBytes(at: 0) { lent in lent.indices.map { lent[$0] } }
      try require(lent == bytes && row.blob(at: 0) == bytes, "\(value) lends \(lent)")
    case .null:
      try require(row.isNull(at: 0) && row.optional(.int, at: 0) == nil, "NULL is something")
    }
    try statement.reset()
  }

  /// Passes the value from SQL to functions and a collation.
  private func callWith(_ value: DatabaseValue) throws {
    let back = readInC("SELECT echo(a) FROM t")
    try require(
      received.value.isSame(as: value), "a function was given \(received.value) for \(value)")
    try require(back.isSame(as: value), "\(value) came back from a function as \(back)")
    guard case .text(let text) = value else { return }
    received.texts = []
    _ = readInC("SELECT a || '' = a || 'x' COLLATE seen FROM t")
    try require(
      received.texts.contains { $0.utf8.elementsEqual(text.utf8) },
      "a collation was given \(received.texts) for \(text.debugDescription)")
  }

  /// Checks that text that is not UTF-8 is rejected when it is read as text, but can be read as bytes.
  private func takeBrokenText(_ random: inout SeededGenerator) throws {
    let bytes = random.bytes()
    try connection.execute("UPDATE t SET a = CAST(\(bytes) AS TEXT)")
    let expected = String(validating: bytes, as: UTF8.self).map { DatabaseValue.text($0) }
    for sql in ["SELECT a FROM t", "SELECT echo(a) FROM t"] {
      let found = Result { try connection.first(.column(.value), sql: sql) }
      switch found {
      case .success(let value?):
        try require(expected?.isSame(as: value) == true, "\(sql): \(bytes) as text is \(value)")
      case .success(nil): throw Wrong("\(sql): \(bytes) are gone")
      case .failure(let error as SQLiteError):
        try require(expected == nil && error.code == .mismatch, "\(sql): \(bytes): \(error)")
      case .failure(let error): throw error
      }
    }
    try connection.execute(sql: "SELECT a FROM t") { row in
      let lent = try row.withUTF8(at: 0) { lent in lent.indices.map { lent[$0] } }
      try require(lent == bytes && row.blob(at: 0) == bytes, "\(bytes) became \(lent)")
    }
  }

  /// Returns the first value of the first row, as C functions read it.
  private func readInC(_ sql: String) -> DatabaseValue {
    let value = unsafe inC(sql) { unsafe PlainConnection.value($0, 0) }
    return (value ?? nil) ?? .text(unsafe String(cString: sqlite3_errmsg(plain)))
  }

  private func inC<T>(_ sql: String, _ body: (OpaquePointer) -> T) -> T? {
    var statement: OpaquePointer?
    unsafe sqlite3_prepare_v2(plain, sql, -1, &statement, nil)
    defer { unsafe sqlite3_finalize(statement) }
    guard unsafe sqlite3_step(statement) == SQLITE_ROW, let statement = unsafe statement else {
      return nil
    }
    return unsafe body(statement)
  }
}
