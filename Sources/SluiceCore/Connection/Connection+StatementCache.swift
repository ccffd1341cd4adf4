import CSluice

/// What the cache of statements has done so far.
public struct StatementCacheStatistics: Hashable, Sendable {
  /// How many statements it may keep: ``Configuration/statementCacheSize``.
  public let capacity: Int
  /// How many statements it keeps now.
  public let count: Int
  /// How many times a statement was there already.
  public let hits: Int
  /// How many times SQL had to be compiled.
  public let misses: Int
}

extension Connection {
  /// What the cache of statements has done so far.
  ///
  /// A connection keeps the statements that ``execute(sql:parameters:row:)``, `query` and the
  /// like have compiled, and takes them again for SQL that is the same to the letter. What
  /// ``prepare(sql:)`` returns is never taken from there.
  public var statementCacheStatistics: StatementCacheStatistics {
    StatementCacheStatistics(
      capacity: cache.capacity, count: cache.count, hits: cache.hits, misses: cache.misses)
  }

  /// Finalizes the statements that are kept in the cache.
  public func clearStatementCache() {
    guard !state.isStranger else { return }
    _ = cache.removeAll()
  }

  /// Lends a statement for `sql` to `body`: one from the cache, or a new one, which goes there.
  @inlinable @inline(__always)
  package func withStatement<T>(_ sql: String, _ body: (Statement) throws -> T) throws -> T {
    try lend(try statement(for: sql), body)
  }

  /// Lends a statement for SQL to `body` when its values are bound.
  @inlinable @inline(__always)
  package func withStatement<T>(_ sql: SQL, _ body: (Statement) throws -> T) throws -> T {
    try lend(try statement(for: sql)) { statement in
      try statement.set(sql)
      return try body(statement)
    }
  }

  /// Lends a statement to `body`, after which it goes to the cache.
  @inlinable @inline(__always)
  func lend<T>(
    _ statement: consuming Statement, _ body: (Statement) throws -> T
  ) throws -> T {
    let value: T
    do { value = try body(statement) } catch {
      drop(statement)
      throw error
    }
    keep(statement)
    return value
  }

  /// Lends a statement to `body` when values are bound to its parameters.
  @inlinable @inline(__always)
  func lend<
    T, A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable,
    F: SQLBindable
  >(
    _ statement: consuming Statement, _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F,
    _ others: [(any SQLBindable)?], body: (Statement) throws -> T
  ) throws -> T {
    let value: T
    do {
      try statement.set(a, b, c, d, e, f, others)
      value = try body(statement)
    } catch {
      drop(statement)
      throw error
    }
    keep(statement)
    return value
  }

  @usableFromInline
  func statement(for sql: String) throws -> Statement {
    try cachedStatement(for: sql) ?? prepare(sql, forCache: true)
  }

  @usableFromInline
  func statement(for sql: SQL) throws -> Statement {
    try cachedStatement(for: sql) ?? prepare(sql.text, forCache: true)
  }

  /// Keeps a statement that has failed out of the cache.
  @usableFromInline
  func drop(_ statement: consuming Statement) { cache.remove(statement) }

  /// A statement from the cache, for SQL of which there is one.
  @usableFromInline
  func cachedStatement(for sql: String) throws -> Statement? {
    _ = try unsafe handle()
    return cache.take(sql)
  }

  /// A statement from the cache, for SQL of which there is one.
  @usableFromInline
  func cachedStatement(for sql: SQL) throws -> Statement? {
    _ = try unsafe handle()
    return cache.take(sql)
  }

  /// Puts a statement that has run to its end into the cache, if it may run again from there.
  @usableFromInline
  func keep(_ statement: consuming Statement) {
    guard statement.isForCache || statement.shedAttachment(), statement.sleep() else {
      cache.remove(statement)
      return
    }
    // One that has no place any more is finalized when the cache is done.
    _ = cache.put(statement)
  }
}

extension StatementCache {
  /// Whether a statement does the same when it runs again: some pragmas, for example, do their work
  /// when they are compiled.
  static func takes(_ sql: String) -> Bool {
    guard sql.utf8.count <= 16_384 else { return false }
    return switch firstWord(sql) {
    case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "VALUES": true
    default: false
    }
  }

  /// Whether a statement that writes may make a table that stands before one of another database.
  ///
  /// SQLite by itself does not compile anew what refers to that one.
  static func changesNames(_ sql: String) -> Bool {
    switch firstWord(sql) {
    case "BEGIN", "PRAGMA": false
    case "SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "VALUES": false
    default: true
    }
  }

  /// Whether a statement that only reads may ask or change after how many frames there is a checkpoint, which
  /// it does whenever it is compiled.
  static func setsCheckpoints(_ sql: String) -> Bool {
    ["PRAGMA", "EXPLAIN", ""].contains(firstWord(sql))
      && sql.lowercased().contains("wal_autocheckpoint")
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
