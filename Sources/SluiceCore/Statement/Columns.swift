import CSluice

/// The columns that a statement returns, read once and again only when SQLite prepared it anew.
@usableFromInline final class Columns {
  private(set) var count = 0
  private var names: [String]?
  private var keys: [NameKey] = []
  /// How each column was asked for; empty before that.
  @exclusivity(unchecked) @usableFromInline private(set) var guesses: [Guess] = []
  /// The column that was found last by its name, and the one that comes next by experience.
  @exclusivity(unchecked) @usableFromInline private(set) var latest = 0
  @exclusivity(unchecked) @usableFromInline private(set) var expected = 0
  /// How often SQLite had to prepare the statement again until the names were read.
  private var version: Int32 = 0

  init(of statement: OpaquePointer) { unsafe read(statement) }

  /// Forgets what a change of the schema made untrue.
  @inline(__always)
  func refresh(from statement: OpaquePointer) {
    // Before the names are looked at, only the count can become untrue.
    let isOld =
      names == nil
      ? unsafe sqlite3_column_count(statement) != Int32(truncatingIfNeeded: count)
      : unsafe Self.version(of: statement) != version
    if isOld { unsafe read(statement) }
  }

  private func read(_ statement: OpaquePointer) {
    count = Int(unsafe sqlite3_column_count(statement))
    names = nil
    keys = []
    unsafe guesses = []
    unsafe latest = 0
    unsafe expected = 0
  }

  /// Sets SQLite's count of preparations back to zero, by which this knows whether it is up to date.
  func resetVersion(of statement: OpaquePointer) {
    unsafe refresh(from: statement)
    unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 1)
    version = 0
  }

  func names(of statement: OpaquePointer) -> [String] {
    if let names { return names }
    // A function that a step calls can ask after SQLite prepared the statement anew in that step.
    unsafe refresh(from: statement)
    version = unsafe Self.version(of: statement)
    let read = (0..<Int32(truncatingIfNeeded: count)).map { index in
      // A name is NULL only if memory is short.
      unsafe sqlite3_column_name(statement, index).map { unsafe String(cString: $0) } ?? ""
    }
    var keys = read.map(NameKey.init)
    // Of several columns with one name, only the first is ever found.
    if Set(keys).count < keys.count {
      for index in read.indices
      where read[..<index].contains(where: { $0.isIdentical(to: read[index]) }) {
        keys[index] = .none
      }
    }
    names = read
    self.keys = keys
    return read
  }

  /// The column that comes next by experience, if its name is this very string.
  @inlinable @inline(__always)
  func guess(_ name: String) -> Int? {
    let index = unsafe expected
    // While it lives, a string that is the same bit by bit is the same.
    guard unsafe index < guesses.count, unsafe guesses[index].isNamed(by: name) else { return nil }
    unsafe latest = index
    unsafe expected = guesses[index].next
    return index
  }

  /// The first column of this name.
  func index(named name: String, of statement: OpaquePointer) -> Int? {
    let names = unsafe names(of: statement)
    let key = NameKey(name)
    for index in names.indices where keys[index] == key {
      guard key.isWhole || names[index].isIdentical(to: name) else { continue }
      note(name, index)
      return index
    }
    return nil
  }

  /// Expects a column to be asked for in the same way, after the same one.
  private func note(_ name: String, _ index: Int) {
    if unsafe guesses.isEmpty { unsafe guesses = Array(repeating: Guess(), count: count) }
    unsafe guesses[latest].next = index
    unsafe guesses[index].name = name
    unsafe latest = index
    unsafe expected = guesses[index].next
  }

  private static func version(of statement: OpaquePointer) -> Int32 {
    unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0)
  }
}

/// How a column was asked for, and which one was asked for after it.
///
/// Code that reads rows asks for the same names in the same order, and hands over the very same
/// strings: a look at the string itself, not at its characters, finds most of them.
@usableFromInline struct Guess {
  @usableFromInline var name: String?
  @usableFromInline var next = 0
  /// Whether a parameter was asked for by its whole name, such as `:id`.
  var isWhole = false

  @inlinable @inline(__always)
  func isNamed(by other: String) -> Bool {
    typealias Bits = (UInt64, UInt64)
    guard MemoryLayout<String?>.size == MemoryLayout<Bits>.size else { return false }
    return unsafe unsafeBitCast(name, to: Bits.self) == unsafeBitCast(other, to: Bits.self)
  }
}
