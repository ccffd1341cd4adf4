/// The statements that a connection keeps, because their SQL may come again.
///
/// A statement that is lent leaves its place empty until it comes back, so that no second user gets it,
/// nor another statement the place.
struct StatementCache {
  private(set) var hits = 0
  private(set) var misses = 0
  let capacity: Int
  private var entries: [Entry] = []
  /// The hashes of the entries, in the same order: to go through these is faster than a dictionary.
  private var hashes: [UInt64] = []
  /// Where the last hit was, which is where the next one most likely is.
  private var latest = 0
  /// The bits of the SQL there, which lives as long as the entry does.
  private var latestBits = TextBits()
  private var clock: UInt64 = 0

  private struct Entry {
    let sql: String
    /// The parts of the literal that has asked for it last.
    var parts = LiteralParts.none
    /// The statement that the place is for.
    ///
    /// One that is lent lives, so no other has its identity.
    let identity: ObjectIdentifier
    /// Nil while it is lent.
    var statement: Statement?
    var lastUse: UInt64
  }

  init(capacity: Int) { self.capacity = max(0, capacity) }

  /// How many statements are kept.
  var count: Int { entries.count }

  /// Lends the statement for `sql`, if there is one that nobody uses.
  @inline(__always)
  mutating func take(_ sql: String) -> Statement? {
    take(TextBits(sql) == latestBits || look(for: sql))
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
    clock &+= 1
    entries[latest].lastUse = clock
    return statement
  }

  /// Goes to the entry for `sql`; false if there is none.
  @inline(never)
  private mutating func look(for sql: String) -> Bool {
    guard let index = index(of: sql) else { return false }
    goTo(index)
    return true
  }

  @inline(never)
  private mutating func look(for sql: SQL) -> Bool {
    guard sql.whole == nil else { return look(for: sql.text) }
    if let index = entries.firstIndex(where: { $0.parts.isSame(as: sql.parts) }) {
      goTo(index)
      return true
    }
    guard look(for: sql.text) else { return false }
    entries[latest].parts = sql.parts
    return true
  }

  private mutating func goTo(_ index: Int) {
    latest = index
    latestBits = TextBits(entries[index].sql)
  }

  /// Takes a statement back that was lent, or a new one if there is none for its SQL.
  ///
  /// - Returns: A statement that it takes no more, or puts another in the place of.
  @inline(__always)
  mutating func put(_ statement: consuming Statement) -> Statement? {
    if let index = index(of: statement) {
      entries[index].statement = consume statement
      return nil
    }
    return add(statement)
  }

  @inline(never)
  private mutating func add(_ statement: Statement) -> Statement? {
    guard capacity > 0, index(of: statement.sql) == nil else { return statement }
    var old: Statement?
    if entries.count >= capacity {
      guard let index = oldest else { return statement }
      old = entries[index].statement
      remove(at: index)
    }
    clock &+= 1
    entries.append(
      Entry(
        sql: statement.sql, identity: ObjectIdentifier(statement), statement: statement,
        lastUse: clock))
    hashes.append(statement.sql.quickHash)
    goTo(entries.count - 1)
    return old
  }

  /// Forgets a statement that was lent.
  mutating func remove(_ statement: Statement) {
    if let index = index(of: statement) { remove(at: index) }
  }

  /// Forgets all statements that nobody uses, and returns them.
  mutating func removeAll() -> [Statement] {
    let idle = entries.compactMap(\.statement)
    for statement in idle { remove(statement) }
    return idle
  }

  private mutating func remove(at index: Int) {
    entries.remove(at: index)
    hashes.remove(at: index)
    latest = 0
    latestBits = TextBits()
  }

  /// The statement that nobody has used for the longest time.
  private var oldest: Int? {
    entries.indices.filter { entries[$0].statement != nil }
      .min { entries[$0].lastUse < entries[$1].lastUse }
  }

  @inline(__always)
  private func index(of statement: Statement) -> Int? {
    let identity = ObjectIdentifier(statement)
    if latest < entries.count, entries[latest].identity == identity { return latest }
    return entries.firstIndex { $0.identity == identity }
  }

  private func index(of sql: String) -> Int? {
    if latest < entries.count, entries[latest].sql.isIdentical(to: sql) { return latest }
    let hash = sql.quickHash
    for index in hashes.indices where hashes[index] == hash {
      if entries[index].sql.isIdentical(to: sql) { return index }
    }
    return nil
  }
}

extension String {
  /// A hash that takes eight bytes at a time; who makes two texts collide gains a comparison.
  fileprivate var quickHash: UInt64 {
    var text = self
    return text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      var hash = UInt64(truncatingIfNeeded: bytes.count)
      var offset = 0
      while offset + 8 <= bytes.count {
        hash.mix(unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
      }
      while offset < bytes.count {
        hash.mix(UInt64(unsafe bytes[offset]))
        offset += 1
      }
      return hash
    }
  }
}

extension UInt64 {
  fileprivate mutating func mix(_ word: UInt64) {
    self = (self ^ word) &* 0x9e37_79b9_7f4a_7c15
    self ^= self >> 29
  }
}
