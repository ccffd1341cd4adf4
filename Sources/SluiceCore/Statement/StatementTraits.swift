import CSluice

/// The properties of a statement that do not change.
struct StatementTraits: OptionSet {
  let rawValue: UInt8

  /// The statement can write.
  static let writes = StatementTraits(rawValue: 1)
  /// The statement writes, and can change which tables names refer to.
  static let changesNames = StatementTraits(rawValue: 2)
  /// The statement may begin or end a savepoint.
  static let movesSavepoints = StatementTraits(rawValue: 4)
  /// The statement must run with SQLite's own WAL hook installed.
  static let setsCheckpoints = StatementTraits(rawValue: 8)
  /// SQLite protects each call with a mutex.
  static let guarded = StatementTraits(rawValue: 16)

  // `union` avoids array literals, which allocate in a debug build.
  /// The traits that require more work after the statement has run to its end.
  static let hasAftermath = changesNames.union(movesSavepoints)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Determines the traits that follow from the SQL of a compiled statement.
  ///
  /// For a cached statement, only `writes` is determined: its SQL begins with a keyword that rules out the other
  /// traits.
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
  /// Returns whether a statement can be cached and reused.
  ///
  /// Some pragmas, for example, cannot be reused, because they take effect when they are compiled.
  static func isCacheable(_ sql: String) -> Bool {
    guard sql.utf8.count <= 16_384 else { return false }
    return switch firstWord(sql) {
    case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "VALUES": true
    default: false
    }
  }

  /// Returns whether a writing statement may create a table that hides a table in another database.
  ///
  /// SQLite does not automatically re-prepare the statements that refer to the hidden table.
  private static func changesNames(_ sql: String) -> Bool {
    switch firstWord(sql) {
    case "BEGIN", "PRAGMA": false
    case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "VALUES": false
    default: true
    }
  }

  /// Returns whether a read-only statement may read or change the frame count that triggers automatic
  /// checkpoints.
  ///
  /// The pragma for this frame count takes effect whenever it is compiled.
  private static func setsCheckpoints(_ sql: String) -> Bool {
    ["PRAGMA", "EXPLAIN", ""].contains(firstWord(sql))
      && sql.lowercased().contains("wal_autocheckpoint")
  }

  /// Returns whether compiling the statement has set the busy timeout, as it does even after `EXPLAIN`.
  static func setsBusyTimeout(_ sql: String) -> Bool {
    guard ["PRAGMA", "EXPLAIN", ""].contains(firstWord(sql)),
      sql.withoutCase.contains("busy_timeout")
    else { return false }
    let tokens = SQLToken.tokens(of: sql).drop { $0.is(sign: ";") || $0.is("explain") }
    guard tokens.first?.is("pragma") == true,
      let name = tokens.firstIndex(where: { $0.names("busy_timeout") }), name + 1 < tokens.endIndex
    else { return false }
    return tokens[name + 1].is(sign: "=") || tokens[name + 1].is(sign: "(")
  }

  /// Returns whether a statement is a COMMIT, or a ROLLBACK of the whole transaction.
  static func endsTransaction(_ sql: String) -> Bool {
    let tokens = SQLToken.tokens(of: sql).drop { $0.is(sign: ";") }
    guard let first = tokens.first else { return false }
    return first.is("commit") || first.is("end")
      || first.is("rollback") && !tokens.contains { $0.is("to") }
  }

  /// Returns whether a statement may open a database with a file system other than that of its connection.
  ///
  /// The statement begins `start` bytes into `sql`. For a statement that begins with a comment, the result is
  /// true.
  static func opensFiles(_ sql: String, from start: Int) -> Bool {
    ["ATTACH", "VACUUM", ""].contains(firstWord(Substring(sql.utf8.dropFirst(start))))
  }

  /// Returns the first word of `sql` in capitals, or nil if the word has more than 7 letters.
  ///
  /// The result is empty if `sql` does not begin with a word.
  private static func firstWord(_ sql: some StringProtocol) -> String? {
    let start = sql.utf8.drop(while: isSpace)
    let word = start.prefix { byte in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    guard word.count <= 7 else { return nil }
    return String(decoding: word.map { $0 & 0xdf }, as: UTF8.self)
  }
}
