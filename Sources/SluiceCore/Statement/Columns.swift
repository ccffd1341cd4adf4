import CSluice

/// The result columns of a statement, which are read again only after SQLite has re-prepared the statement.
@usableFromInline final class Columns {
  private(set) var count = 0
  private var names: [String]?
  private var keys: [NameKey] = []
  /// The last request for each column by name; empty before the first request.
  @exclusivity(unchecked) @usableFromInline private(set) var guesses: [Guess] = []
  /// The column that was last found by name.
  @exclusivity(unchecked) @usableFromInline private(set) var latest = 0
  /// The column that followed the latest one in earlier requests, and is expected next.
  @exclusivity(unchecked) @usableFromInline private(set) var expected = 0
  /// The number of re-preparations that SQLite had counted when the names were read.
  private var version: Int32 = 0

  init(of statement: OpaquePointer) { unsafe read(statement) }

  /// Discards information that a schema change has made outdated.
  @inline(__always)
  func refresh(from statement: OpaquePointer) {
    // Until the names are read, only the column count can be outdated.
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

  /// Resets SQLite's counter of re-preparations, by which this object detects changes.
  func resetVersion(of statement: OpaquePointer) {
    unsafe refresh(from: statement)
    unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 1)
    version = 0
  }

  func names(of statement: OpaquePointer) -> [String] {
    if let names { return names }
    // A function that a step calls can request the names after that step has re-prepared the statement.
    unsafe refresh(from: statement)
    version = unsafe Self.version(of: statement)
    let read = (0..<Int32(truncatingIfNeeded: count)).map { index in
      // A name is NULL only if memory is short.
      unsafe sqlite3_column_name(statement, index).map { unsafe String(cString: $0) } ?? ""
    }
    var keys = read.map(NameKey.init)
    // Of several columns with the same name, only the first is ever found.
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

  /// Returns the expected column if `name` has the same bits as the string that last requested it.
  @inlinable @inline(__always)
  func guess(_ name: String) -> Int? {
    let index = unsafe expected
    // Two strings with the same bits have the same content while both are alive.
    guard unsafe index < guesses.count, unsafe guesses[index].isNamed(by: name) else { return nil }
    unsafe latest = index
    unsafe expected = guesses[index].next
    return index
  }

  /// Returns the first column with this name, or nil if there is none.
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

  /// Records the request for a column by `name`, and that this column followed the latest one.
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

/// The last request for a column by name, and the column that was requested after it.
///
/// Code that reads rows requests the same names in the same order, and passes the very same strings. Comparing
/// the bits of the strings themselves, not their characters, therefore finds most columns.
@usableFromInline struct Guess {
  @usableFromInline var name: String?
  @usableFromInline var next = 0
  /// Whether a parameter was requested by its name with the prefix, such as `:id`.
  var isWhole = false

  @inlinable @inline(__always)
  func isNamed(by other: String) -> Bool {
    typealias Bits = (UInt64, UInt64)
    guard MemoryLayout<String?>.size == MemoryLayout<Bits>.size else { return false }
    return unsafe unsafeBitCast(name, to: Bits.self) == unsafeBitCast(other, to: Bits.self)
  }
}
