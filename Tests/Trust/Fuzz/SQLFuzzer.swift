import CSluice
import Sluice
import SluiceTesting

/// Runs SQL with parameters in Sluice and, on an equal database, in C: both return the same rows or fail alike.
struct SQLFuzzer: Fuzzer {
  static let name = "SQL and bindings against C"
  static let shortCount = 1200
  private static let schema = """
    CREATE TABLE a(id INTEGER PRIMARY KEY, n INTEGER, t TEXT NOT NULL DEFAULT 'd', r REAL, b BLOB);
    CREATE INDEX a_n ON a(n, t);
    CREATE TABLE c(id INTEGER PRIMARY KEY, a INTEGER REFERENCES a ON DELETE CASCADE, t TEXT UNIQUE);
    CREATE TABLE w(k TEXT, l, PRIMARY KEY(k, l)) WITHOUT ROWID;
    CREATE VIEW v AS SELECT a.id, c.t FROM a LEFT JOIN c ON c.a = a.id;
    CREATE TRIGGER r AFTER UPDATE ON a BEGIN INSERT OR REPLACE INTO w VALUES (new.t, old.n); END;
    INSERT INTO a VALUES (1, NULL, 'x', 1.5, x'00'), (2, 7, 'y', NULL, NULL), (3, -1, '', 9e999, x'');
    INSERT INTO c VALUES (1, 1, 'p'), (2, 1, NULL), (3, 2, 'q');
    INSERT INTO w VALUES ('k', 1), ('k', 'l'), ('', x'01');
    """
  private static let pieces =
    [
      "(", ")", ",", ";", "'", "\"", "--", "/*", "*/", "?", "?1", "?0", "?99999", ":", "@", "$",
      ".", "\0", "\u{feff}",
      "SELECT", "FROM", "WHERE", "NULL", "AS", "é", "\u{301}", "x'", "0x", "1e", "[", "`", "||",
      "\n", "#",
    ]

  let isCanary: Bool

  func round(_ random: inout SeededGenerator) throws {
    let ours = try self.ours()
    let plain = try plain()
    for _ in 0..<8 {
      var sql = Grammar.sql.text("statement", &random)
      if random.isOne(in: 4) { sql = Self.broken(sql, &random) }
      let values = (0..<6).map { _ in random.value() }
      // The C API would stop at a NUL, but Sluice rejects it.
      let expected =
        sql.utf8.contains(0) ? "not one statement" : Self.described(plain.run(sql, values))
      let found = run(sql, values, ours)
      // A number of steps ends a statement that runs too long, and Sluice may need a few steps more or less.
      if expected == "interrupt" || found == "interrupt" { return }
      try require(found == expected, "\(sql.debugDescription): \(found), but C: \(expected)")
      try require(
        ours.isInAutocommit == (unsafe sqlite3_get_autocommit(plain.handle) != 0),
        "\(sql.debugDescription): a transaction is open on one side")
    }
    if !ours.isInAutocommit {
      try ours.execute(sql: "ROLLBACK")
      _ = plain.run("ROLLBACK")
    }
    for table in ["a", "c", "w", "x", "sqlite_schema"] {
      let sql = "SELECT * FROM \(table)"
      let (found, expected) = (run(sql, [], ours), Self.described(plain.run(sql)))
      try require(found == expected, "\(table) has \(found), but C's \(expected)")
    }
    try ours.close()
  }

  private func ours() throws -> Connection {
    let connection = try Connection()
    try connection.execute(sql: Self.schema)
    try connection.setLimit(.length, to: 100_000)
    try connection.setLimit(.sqlLength, to: 3000)
    try connection.onProgress(every: 20_000) { throw SQLiteError(.interrupt, "It took too long") }
    // If both connections attached the same file, they would affect each other.
    try connection.authorize { request in
      if case .attach(let file) = request.action, file != "" { .deny } else { .allow }
    }
    return connection
  }

  /// Returns a connection with Sluice's default settings.
  private func plain() throws -> PlainConnection {
    let plain = try PlainConnection()
    _ = plain.run("PRAGMA foreign_keys = 1")
    unsafe sqlite3_exec(plain.handle, Self.schema, nil, nil, nil)
    unsafe sqlite3_limit(plain.handle, SQLITE_LIMIT_LENGTH, 100_000)
    unsafe sqlite3_limit(plain.handle, SQLITE_LIMIT_SQL_LENGTH, 3000)
    unsafe sqlite3_progress_handler(plain.handle, 20_000, { _ in 1 }, nil)
    let authorizer:
      @convention(c) (
        UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
        UnsafePointer<CChar>?, UnsafePointer<CChar>?
      ) -> Int32 = { _, action, file, _, _, _ in
        guard action == SQLITE_ATTACH else { return SQLITE_OK }
        return unsafe file?.pointee == 0 ? SQLITE_OK : SQLITE_DENY
      }
    unsafe sqlite3_set_authorizer(plain.handle, authorizer, nil)
    return plain
  }

  /// Returns the rows that a statement returns in Sluice, or the error.
  private func run(_ sql: String, _ values: [DatabaseValue], _ connection: Connection) -> String {
    do {
      let statement = try connection.prepare(sql: sql)
      // A parameter that C does not bind is NULL.
      let rest = Array(
        repeating: DatabaseValue.null, count: max(0, statement.parameterCount - values.count))
      try statement.bind(SQLParameters((values + rest).prefix(statement.parameterCount)))
      var rows = try statement.query(.values).map(\.values)
      // The canary's mistake: text ends at a NUL, as in C.
      if isCanary {
        rows = rows.map { row in
          row.map { value in
            guard case .text(let text) = value else { return value }
            return .text(String(text.prefix { $0 != "\0" }))
          }
        }
      }
      return Self.described(.rows(rows))
    } catch let error as SQLiteError {
      return Self.described(error.code, isRefused: error.code == .misuse)
    } catch { return "\(error)" }
  }

  private static func described(_ outcome: PlainConnection.Outcome) -> String {
    switch outcome {
    case .rows(let rows): rows.map { "\($0)" }.joined(separator: "\n")
    case .failure(let code): described(code)
    case .isNotOne: "not one statement"
    }
  }

  private static func described(_ code: ResultCode, isRefused: Bool = false) -> String {
    isRefused ? "not one statement" : code.primary == .interrupt ? "interrupt" : "\(code)"
  }

  private static func broken(_ sql: String, _ random: inout SeededGenerator) -> String {
    if random.isOne(in: 4) {
      return String(decoding: random.mutated(Array(sql.utf8)), as: UTF8.self)
    }
    var sql = sql
    for _ in 0...random.below(3) {
      let index = sql.index(sql.startIndex, offsetBy: random.below(sql.count + 1))
      sql.insert(contentsOf: random.one(of: pieces), at: index)
    }
    return sql
  }
}
