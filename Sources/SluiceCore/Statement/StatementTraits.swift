import CSluice

/// The properties of a statement that follow from its SQL.
struct StatementTraits: OptionSet {
  let rawValue: UInt8

  /// It can write.
  static let writes = StatementTraits(rawValue: 1)
  /// It writes, and names of tables can mean other tables after it.
  static let changesNames = StatementTraits(rawValue: 2)
  /// It may begin or end a savepoint.
  static let movesSavepoints = StatementTraits(rawValue: 4)
  /// It needs SQLite's own hook of commits into a WAL in its place.
  static let setsCheckpoints = StatementTraits(rawValue: 8)

  // Sums, because an array literal allocates in a debug build.
  /// The connection has more to do when the statement has run to its end.
  static let hasAftermath = changesNames.union(movesSavepoints)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The traits of a compiled statement.
  ///
  /// The SQL of a statement from the cache begins with a word that only `writes` can be said of.
  init(of handle: OpaquePointer, _ sql: String, isCached: Bool, columnCount: Int) {
    self = unsafe sqlite3_stmt_readonly(handle) == 0 ? .writes : []
    guard !isCached else { return }
    if contains(.writes) {
      if Self.changesNames(sql) { insert(.changesNames) }
    } else {
      if columnCount == 0, SavepointStep.mayBe(in: sql) { insert(.movesSavepoints) }
      if Self.setsCheckpoints(sql) { insert(.setsCheckpoints) }
    }
  }
}

extension StatementTraits {
  /// Whether a statement does the same when it runs again: some pragmas, for example, do their work
  /// when they are compiled.
  static func isCacheable(_ sql: String) -> Bool {
    guard sql.utf8.count <= 16_384 else { return false }
    return switch firstWord(sql) {
    case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "VALUES": true
    default: false
    }
  }

  /// Whether a statement that writes may make a table that stands before one of another database.
  ///
  /// SQLite by itself does not compile anew what refers to that one.
  private static func changesNames(_ sql: String) -> Bool {
    switch firstWord(sql) {
    case "BEGIN", "PRAGMA": false
    case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "VALUES": false
    default: true
    }
  }

  /// Whether a statement that only reads may ask or change after how many frames there is a checkpoint, which
  /// it does whenever it is compiled.
  private static func setsCheckpoints(_ sql: String) -> Bool {
    ["PRAGMA", "EXPLAIN", ""].contains(firstWord(sql))
      && sql.lowercased().contains("wal_autocheckpoint")
  }

  /// Whether a statement is a COMMIT, or a ROLLBACK that does not stop at a savepoint.
  static func endsTransaction(_ sql: String) -> Bool {
    let tokens = SQLToken.tokens(of: sql).drop { $0.is(sign: ";") }
    guard let first = tokens.first else { return false }
    return first.is("commit") || first.is("end")
      || first.is("rollback") && !tokens.contains { $0.is("to") }
  }

  /// Whether the statement that begins `start` bytes into SQL may open a database by another file system
  /// than that of its connection.
  ///
  /// One that begins with a comment may.
  static func opensFiles(_ sql: String, from start: Int) -> Bool {
    ["ATTACH", "VACUUM", ""].contains(firstWord(Substring(sql.utf8.dropFirst(start))))
  }

  /// The word that SQL begins with, in capitals; nil if it is a long one, or none.
  private static func firstWord(_ sql: some StringProtocol) -> String? {
    let start = sql.utf8.drop(while: isSpace)
    let word = start.prefix { byte in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    guard word.count <= 7 else { return nil }
    return String(decoding: word.map { $0 & 0xdf }, as: UTF8.self)
  }
}
