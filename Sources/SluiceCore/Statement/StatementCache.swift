import CSluice

/// The statements that a connection keeps in case their SQL is executed again.
///
/// While a statement is in use, its place remains reserved. Until the statement is returned, no other caller
/// can get it, and no other statement can occupy the place.
///
/// A clock algorithm chooses the statement to evict: its hand passes over statements that have been reused, so
/// statements that are used only once do not displace the reused ones.
struct StatementCache {
  private(set) var hits = 0
  private(set) var misses = 0
  /// The number of statements that the cache keeps, without those of live queries.
  private let size: Int
  /// The largest number of statements of live queries that keep their places.
  private let liveSize: Int
  /// The number of entries with a mark, which may be over.
  private var liveCount = 0
  /// The mark of the live query whose statements are being used, if any.
  var mark: LiveMark?
  /// The number of statements in the cache.
  private(set) var count = 0
  /// The entries, whose indexes never change, so that a statement can store its place.
  private var entries: [Entry] = []
  private var vacancies: [Int] = []
  private var index = StatementIndex()
  /// The place of the last hit, which is the most likely place of the next one.
  private var latest = 0
  /// The identity of the SQL at `latest`, which is valid because the entry keeps the SQL alive.
  private var latestBits = StringIdentity()
  /// The position of the clock hand.
  private var hand = -1

  private struct Entry {
    let sql: String
    let hash: UInt64
    /// The parts of the literal that last requested the entry.
    var parts = LiteralParts.none
    /// The identity of the statement for which the place is reserved; nil if the place is vacant.
    ///
    /// A statement in use is alive, so no other object has its identity.
    var identity: ObjectIdentifier?
    /// The statement; nil while it is in use.
    var statement: Statement?
    /// The number of times that the clock hand will pass over the entry.
    var chances = 0
    /// The mark of the live query that was the last one to use the statement.
    var mark: LiveMark?
  }

  init(size: Int, liveSize: Int) {
    self.size = max(0, size)
    self.liveSize = size > 0 ? max(0, liveSize) : 0
  }

  /// The maximum number of statements.
  var capacity: Int { capacity(with: liveCount) }

  private func capacity(with liveCount: Int) -> Int {
    let live = min(liveCount, liveSize)
    return min(size, .max - live) + live
  }

  /// Returns the statement for `sql` for exclusive use, or nil if there is none or it is in use.
  @inline(__always)
  mutating func take(_ sql: String) -> Statement? {
    take(StringIdentity(sql) == latestBits || look(for: sql))
  }

  /// Returns the statement for `sql` for exclusive use, or nil if there is none or it is in use.
  @inline(__always)
  mutating func take(_ sql: SQL) -> Statement? {
    take(
      sql.whole == nil && latest < entries.count && entries[latest].parts.isSame(as: sql.parts)
        || look(for: sql))
  }

  /// Returns the statement at `latest` for exclusive use, or nil if the statement is in use.
  ///
  /// If `isRight` is false, `latest` is not the place of the requested SQL, and the result is nil.
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

  /// Makes the entry for `sql` the latest one, and returns whether there is such an entry.
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

  /// Returns a statement to the cache after use.
  ///
  /// - Returns: The statements that are left outside the cache, which the caller must release: the rejected or the evicted
  ///   ones.
  @inline(__always)
  mutating func put(_ statement: consuming Statement) -> [Statement]? {
    if let place = place(of: statement) {
      entries[place].statement = consume statement
      if let mark { markEntry(at: place, mark) }
      return nil
    }
    return add(statement)
  }

  @inline(never)
  private mutating func markEntry(at place: Int, _ mark: LiveMark) {
    if entries[place].mark == nil { liveCount += 1 }
    entries[place].mark = mark
  }

  @inline(never)
  private mutating func add(_ statement: Statement) -> [Statement] {
    let hash = statement.sql.quickHash
    guard capacity > 0, place(of: statement.sql, hash) == nil else { return [statement] }
    var evicted: [Statement] = []
    while count >= capacity(with: mark == nil ? liveCount : liveCount + 1) {
      guard let place = victim() else { return evicted + [statement] }
      if let old = entries[place].statement { evicted.append(old) }
      remove(at: place)
    }
    let entry = Entry(
      sql: statement.sql, hash: hash, identity: ObjectIdentifier(statement), statement: statement)
    let place = vacancies.popLast() ?? entries.count
    if place < entries.count { entries[place] = entry } else { entries.append(entry) }
    statement.cachePlace = place
    index.insert(place, hash)
    count += 1
    if let mark { markEntry(at: place, mark) }
    goTo(place)
    return evicted
  }

  /// Removes a statement that is in use.
  mutating func remove(_ statement: Statement) {
    if let place = place(of: statement) { remove(at: place) }
  }

  /// Removes and returns all statements that are not in use.
  mutating func removeAll() -> [Statement] {
    let idle = entries.compactMap(\.statement)
    for statement in idle { remove(statement) }
    return idle
  }

  private mutating func remove(at place: Int) {
    forgetParts(at: place)
    if entries[place].mark != nil { liveCount -= 1 }
    index.remove(place, entries[place].hash)
    entries[place] = Entry(sql: "", hash: 0)
    vacancies.append(place)
    count -= 1
    if place == latest { latestBits = StringIdentity() }
  }

  /// Returns the place of the statement to evict next, or nil if all are in use.
  private mutating func victim() -> Int? {
    // Two rounds use up all chances, so the third finds a statement unless all are in use.
    for _ in 0..<3 * entries.count {
      hand = hand + 1 < entries.count ? hand + 1 : 0
      guard entries[hand].statement != nil, !isKept(at: hand) else { continue }
      if entries[hand].chances == 0 { return hand }
      entries[hand].chances -= 1
    }
    return nil
  }

  /// Returns whether a statement keeps its place for a live query, and removes a mark that is over.
  private mutating func isKept(at place: Int) -> Bool {
    guard let mark = entries[place].mark else { return false }
    // If there are more statements of live queries than may be kept, each is like any other.
    guard mark.isOver else { return liveCount <= liveSize }
    entries[place].mark = nil
    liveCount -= 1
    return false
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
  /// The maximum number of statements in the cache: ``Configuration/statementCacheSize``, and the number of those of live
  /// queries, up to ``Configuration/liveStatementCacheSize``.
  public let capacity: Int
  /// The number of statements in the cache now.
  public let count: Int
  /// The number of times that a requested statement was in the cache.
  public let hits: Int
  /// The number of times that SQL had to be compiled.
  public let misses: Int
}

extension Connection {
  /// The statistics of the statement cache.
  ///
  /// A connection keeps the statements that ``execute(sql:parameters:row:)``, `query` and similar methods have
  /// compiled, and reuses them for identical SQL. ``prepare(sql:)`` never returns a statement from the cache.
  public var statementCacheStatistics: StatementCacheStatistics {
    StatementCacheStatistics(
      capacity: cache.capacity, count: cache.count, hits: cache.hits, misses: cache.misses)
  }

  /// Compiles statements before their first use, and puts them into the statement cache.
  ///
  /// ```swift
  /// try connection.warmUp(["SELECT name FROM person WHERE id = ?", "SELECT count(*) FROM person"])
  /// ```
  ///
  /// The statements are found later by identical SQL. In the text of an SQL literal, each interpolated value is a `?`.
  /// Throws ``ResultCode/misuse`` if the cache is smaller than the number of statements, and the error of the first
  /// statement that does not compile. Call this method before other statements fill the cache. Do not pass `PRAGMA`
  /// statements: the cache does not keep them, and SQLite executes some of them when it compiles them.
  public func warmUp(_ statements: [String]) throws {
    guard statements.count <= cache.capacity else {
      throw SQLiteError(
        .misuse,
        "The statement cache has room for \(cache.capacity) statements (got \(statements.count))")
    }
    for sql in statements { keep(try statement(for: sql)) }
  }

  /// Finalizes the statements in the cache.
  public func clearStatementCache() {
    guard !state.isStranger else { return }
    _ = cache.removeAll()
  }

  /// Returns the result of calling `body` with a statement for `sql`, taken from the cache or compiled.
  ///
  /// Unless `body` throws, the statement is then put into the cache, if it can be reused.
  @inlinable @inline(__always)
  package func withStatement<T>(_ sql: String, _ body: (Statement) throws -> T) throws -> T {
    try lend(try statement(for: sql), body)
  }

  /// Returns the result of calling `body` with a statement for `sql`, to which the values of `sql` are bound.
  @inlinable @inline(__always)
  package func withStatement<T>(_ sql: SQL, _ body: (Statement) throws -> T) throws -> T {
    try lend(try statement(for: sql)) { statement in
      try statement.set(sql)
      return try body(statement)
    }
  }

  /// Returns the result of calling `body` with a statement, and puts the statement into the cache unless `body`
  /// throws.
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

  /// Returns the result of calling `body` with a statement, after binding values to its parameters.
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

  /// Returns a statement for `sql`, and begins a use of the connection, which `keep` or `drop` ends.
  @usableFromInline
  func statement(for sql: String) throws -> Statement {
    try cachedStatement(for: sql) ?? newStatement(for: sql)
  }

  /// Returns a statement for `sql`, and begins a use of the connection, which `keep` or `drop` ends.
  @usableFromInline
  func statement(for sql: SQL) throws -> Statement {
    try cachedStatement(for: sql) ?? newStatement(for: sql.text)
  }

  private func newStatement(for sql: String) throws -> Statement {
    try state.beginUse()
    do { return try prepare(sql, forCache: true) } catch {
      state.endUse()
      throw error
    }
  }

  /// Removes a failed statement from the cache, and ends the use of the connection.
  @usableFromInline
  func drop(_ statement: consuming Statement) {
    cache.remove(statement)
    state.endUse()
  }

  /// Returns a statement for `sql` from the cache, and begins a use of the connection; returns nil if there is none.
  @usableFromInline
  func cachedStatement(for sql: String) throws -> Statement? {
    try taken { cache.take(sql) }
  }

  /// Returns a statement for `sql` from the cache, and begins a use of the connection; returns nil if there is none.
  @usableFromInline
  func cachedStatement(for sql: SQL) throws -> Statement? {
    try taken { cache.take(sql) }
  }

  /// Begins a use of the connection, which ends at once unless `take` returns a statement.
  @inline(__always)
  private func taken(_ take: () -> Statement?) throws -> Statement? {
    try state.beginUse()
    // This throws only where no use has begun.
    try state.refuseStrangers()
    if unsafe rawHandle != nil, let statement = take() { return statement }
    state.endUse()
    guard unsafe rawHandle != nil else { throw closed }
    return nil
  }

  /// Puts a statement into the cache after use, if it can be reused, and ends the use of the connection.
  @usableFromInline
  func keep(_ statement: consuming Statement) {
    store(statement)
    state.endUse()
  }

  /// Puts a statement into the cache after use, if it can be reused.
  @inline(__always)
  func store(_ statement: consuming Statement) {
    guard statement.prepareForCache() else {
      cache.remove(statement)
      return
    }
    // A statement that `put` returns is released here, because its finalization must not begin during the cache
    // operation.
    _ = cache.put(statement)
  }
}
