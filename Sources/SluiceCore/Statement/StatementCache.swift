import CSluice

/// The statements that a connection keeps, because their SQL may come again.
///
/// A statement that is lent leaves its place empty until it comes back, so that no second user gets it,
/// nor another statement the place.
///
/// A clock chooses the statement that goes: its hand passes over those that have come again, so that statements
/// that come only once do not push them out.
struct StatementCache {
  private(set) var hits = 0
  private(set) var misses = 0
  let capacity: Int
  /// How many statements are kept.
  private(set) var count = 0
  /// They stay where they are, so that a statement knows its place.
  private var entries: [Entry] = []
  private var vacancies: [Int] = []
  private var index = StatementIndex()
  /// Where the last hit was, which is where the next one most likely is.
  private var latest = 0
  /// The bits of the SQL there, which lives as long as the entry does.
  private var latestBits = StringIdentity()
  /// Where the clock has its hand.
  private var hand = -1

  private struct Entry {
    let sql: String
    let hash: UInt64
    /// The parts of the literal that has asked for it last.
    var parts = LiteralParts.none
    /// The statement that the place is for, or nil if it is for none.
    ///
    /// One that is lent lives, so no other has its identity.
    var identity: ObjectIdentifier?
    /// Nil while it is lent.
    var statement: Statement?
    /// How many times the hand passes over it.
    var chances = 0
  }

  init(capacity: Int) { self.capacity = max(0, capacity) }

  /// Lends the statement for `sql`, if there is one that nobody uses.
  @inline(__always)
  mutating func take(_ sql: String) -> Statement? {
    take(StringIdentity(sql) == latestBits || look(for: sql))
  }

  /// Lends the statement for `sql`, if there is one that nobody uses.
  @inline(__always)
  mutating func take(_ sql: SQL) -> Statement? {
    take(
      sql.whole == nil && latest < entries.count && entries[latest].parts.isSame(as: sql.parts)
        || look(for: sql))
  }

  /// Lends the latest statement, if it is the right one and nobody uses it.
  @inline(__always)
  private mutating func take(_ isRight: Bool) -> Statement? {
    guard isRight, let statement = entries[latest].statement.take() else {
      misses &+= 1
      return nil
    }
    hits &+= 1
    entries[latest].chances = 2
    return statement
  }

  /// Goes to the entry for `sql`; false if there is none.
  @inline(never)
  private mutating func look(for sql: String) -> Bool {
    guard let place = place(of: sql, sql.quickHash) else { return false }
    goTo(place)
    return true
  }

  @inline(never)
  private mutating func look(for sql: SQL) -> Bool {
    guard sql.whole == nil else { return look(for: sql.text) }
    let hash = sql.parts.quickHash
    if let place = index.place(hash, where: { entries[$0].parts.isSame(as: sql.parts) }) {
      goTo(place)
      return true
    }
    guard look(for: sql.text) else { return false }
    forgetParts(at: latest)
    entries[latest].parts = sql.parts
    index.insert(latest, hash)
    return true
  }

  private mutating func forgetParts(at place: Int) {
    let parts = entries[place].parts
    if parts.count >= 0 { index.remove(place, parts.quickHash) }
  }

  private mutating func goTo(_ place: Int) {
    latest = place
    latestBits = StringIdentity(entries[place].sql)
  }

  /// Takes a statement back that was lent, or a new one if there is none for its SQL.
  ///
  /// - Returns: A statement that it takes no more, or puts another in the place of.
  @inline(__always)
  mutating func put(_ statement: consuming Statement) -> Statement? {
    if let place = place(of: statement) {
      entries[place].statement = consume statement
      return nil
    }
    return add(statement)
  }

  @inline(never)
  private mutating func add(_ statement: Statement) -> Statement? {
    let hash = statement.sql.quickHash
    guard capacity > 0, place(of: statement.sql, hash) == nil else { return statement }
    var old: Statement?
    if count == capacity {
      guard let place = victim() else { return statement }
      old = entries[place].statement
      remove(at: place)
    }
    let entry = Entry(
      sql: statement.sql, hash: hash, identity: ObjectIdentifier(statement), statement: statement)
    let place = vacancies.popLast() ?? entries.count
    if place < entries.count { entries[place] = entry } else { entries.append(entry) }
    statement.cachePlace = place
    index.insert(place, hash)
    count += 1
    goTo(place)
    return old
  }

  /// Forgets a statement that was lent.
  mutating func remove(_ statement: Statement) {
    if let place = place(of: statement) { remove(at: place) }
  }

  /// Forgets all statements that nobody uses, and returns them.
  mutating func removeAll() -> [Statement] {
    let idle = entries.compactMap(\.statement)
    for statement in idle { remove(statement) }
    return idle
  }

  private mutating func remove(at place: Int) {
    forgetParts(at: place)
    index.remove(place, entries[place].hash)
    entries[place] = Entry(sql: "", hash: 0)
    vacancies.append(place)
    count -= 1
    if place == latest { latestBits = StringIdentity() }
  }

  /// The place of the statement that goes next; nil if all are lent.
  private mutating func victim() -> Int? {
    // In the third round none has a chance left.
    for _ in 0..<3 * entries.count {
      hand = hand + 1 < entries.count ? hand + 1 : 0
      guard entries[hand].statement != nil else { continue }
      if entries[hand].chances == 0 { return hand }
      entries[hand].chances -= 1
    }
    return nil
  }

  @inline(__always)
  private func place(of statement: Statement) -> Int? {
    let place = statement.cachePlace
    guard place < entries.count, entries[place].identity == ObjectIdentifier(statement) else {
      return nil
    }
    return place
  }

  private func place(of sql: String, _ hash: UInt64) -> Int? {
    index.place(hash) { place in
      entries[place].identity != nil && entries[place].sql.isIdentical(to: sql)
    }
  }
}

/// The statistics of the statement cache.
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
  /// The statistics of the statement cache.
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
    guard statement.prepareForCache() else {
      cache.remove(statement)
      return
    }
    // A statement without a place is finalized when the cache is done.
    _ = cache.put(statement)
  }
}
