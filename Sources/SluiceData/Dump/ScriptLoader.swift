import Sluice
import SluiceCore

/// A script that is executed while its pieces arrive.
struct ScriptLoader {
  private let connection: Connection
  private let failing: ScriptFailure
  private let encoding: TextEncoding
  private var statements = ScriptStatements()
  /// The line of a `BEGIN` that no `COMMIT` has followed.
  private var openLine: Int?
  /// Whether the script has created a virtual table.
  private(set) var hasVirtualTables = false

  init(_ connection: Connection, _ failing: @escaping ScriptFailure) throws {
    self.connection = connection
    self.failing = failing
    encoding = try connection.pragma(.encoding)
  }

  /// Executes the statements that a piece completes.
  mutating func load(_ piece: [UInt8]) throws {
    statements.append(piece)
    while let statement = statements.next() { try load(statement) }
  }

  /// Executes a last statement without a semicolon, and checks that the script is complete.
  mutating func finish() throws {
    while let statement = statements.next(isEnd: true) { try load(statement) }
    if let openLine {
      throw SQLiteError(
        .error,
        "The script is incomplete: no COMMIT follows the BEGIN in line \(openLine)")
    }
  }
}

extension ScriptLoader {
  private mutating func load(_ statement: ScriptStatement) throws {
    let sql = try text(of: statement)
    do { try load(sql, statement) } catch let error as SQLiteError
      where error.code.primary != .interrupt
    {
      throw failing(error, ScriptPlace(statement, sql, error.offset ?? 0))
    }
  }

  private mutating func load(_ sql: String, _ statement: ScriptStatement) throws {
    switch statement.keyword {
    // The whole script is one transaction.
    case "begin": openLine = statement.line
    case "commit", "end": openLine = nil
    case "rollback" where !SQLToken.tokens(of: sql).contains { $0.is("to") }:
      throw SQLiteError(.abort, "The script rolls back its changes, so nothing is loaded", sql: sql)
    case "pragma": try runPragma(sql)
    case "insert":
      if let create = ScriptRules.virtualTable(inInsert: sql) {
        try createVirtualTable(create)
      } else {
        try connection.prepare(sql: sql).execute()
      }
    case "create":
      let head = SQLToken.tokens(of: String(sql.prefix(100)))
      if head.dropFirst().first?.is("virtual") == true { hasVirtualTables = true }
      // The shell since version 3.53 dumps this statement, which SQLite refuses unless `writable_schema` is on.
      let words: [StaticString] = ["create", "table", "if", "not", "exists", "sqlite_sequence"]
      if head.count > 6, zip(words, head).allSatisfy({ $1.is($0) }), head[6].is(sign: "(") {
        return try createSequence()
      }
      try connection.prepare(sql: sql).execute()
    default: try connection.prepare(sql: sql).execute()
    }
  }

  private func runPragma(_ sql: String) throws {
    let name = ScriptRules.pragmaName(in: sql)
    guard !ScriptRules.skippedPragmas.contains(name) else { return }
    let pragma = try connection.prepare(sql: sql)
    try pragma.execute()
    guard name == "encoding" else { return }
    // A new database accepts the encoding; another one ignores the pragma.
    let actual = try connection.first(.column(.string), sql: "PRAGMA main.encoding") ?? ""
    let wanted = SQLToken.tokens(of: sql).last { $0.kind == .string || $0.kind == .name }
    let encoding = wanted.map { String(decoding: $0.content, as: UTF8.self) } ?? ""
    guard actual.lowercased().hasPrefix(encoding.lowercased()) else {
      throw SQLiteError(
        .mismatch,
        "The script is for a database with the encoding \(encoding), but this database has \(actual)",
        sql: sql)
    }
  }

  /// Makes SQLite create the table in which it stores the highest rowids, unless it exists.
  private func createSequence() throws {
    guard try connection.table(named: "sqlite_sequence") == nil else { return }
    let name = "sluice_sequence".quotedName
    try connection.execute(
      sql:
        "CREATE TABLE main.\(name)(id INTEGER PRIMARY KEY AUTOINCREMENT); DROP TABLE main.\(name)")
  }

  /// Creates a virtual table that the `sqlite3` shell dumps as a row of the schema.
  ///
  /// The statements that follow fill the shadow tables, so they must be empty.
  private mutating func createVirtualTable(_ sql: String) throws {
    let names = "SELECT name FROM main.sqlite_master WHERE type = 'table'"
    let before = Set(try connection.query(.column(.string), sql: names))
    try connection.prepare(sql: sql).execute()
    for table in try connection.tables()
    where table.kind == .shadow && !before.contains(table.name) {
      try connection.prepare(sql: "DELETE FROM main.\(table.name.quotedName)").execute()
    }
    hasVirtualTables = true
  }

  private func text(of statement: ScriptStatement) throws -> String {
    if let text = String(validating: statement.bytes, as: UTF8.self) { return text }
    if encoding == .utf8,
      let text = String(
        validating: ScriptRules.castingInvalidText(in: statement.bytes), as: UTF8.self)
    {
      return text
    }
    let sql = String(decoding: statement.bytes, as: UTF8.self)
    throw failing(
      SQLiteError(.mismatch, "The statement is not UTF-8", sql: sql), ScriptPlace(statement, sql, 0)
    )
  }
}
