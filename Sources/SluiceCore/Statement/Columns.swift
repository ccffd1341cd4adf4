import CSluice

/// The result columns of a statement, re-read only after SQLite has re-prepared the statement.
@usableFromInline final class Columns {
  private(set) var count = 0
  private var names: [String]?
  private var keys: [NameKey] = []
  /// The most recent request by name for each column; empty before the first request.
  @exclusivity(unchecked) @usableFromInline private(set) var guesses: [Guess] = []
  /// The column that was last found by name.
  @exclusivity(unchecked) @usableFromInline private(set) var latest = 0
  /// The column that is expected next, because it followed `latest` in earlier requests.
  @exclusivity(unchecked) @usableFromInline private(set) var expected = 0
  /// The number of re-preparations that SQLite had counted when the names were read.
  private var version: Int32 = 0

  init(of statement: OpaquePointer) { unsafe read(statement) }

  /// Reads the columns again if a schema change has made them outdated.
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

  /// Resets SQLite's re-preparation counter, which this object uses to detect changes.
  func resetVersion(of statement: OpaquePointer) {
    unsafe refresh(from: statement)
    unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 1)
    version = 0
  }

  func names(of statement: OpaquePointer) -> [String] {
    if let names { return names }
    // An SQL function may request the names during a step that has just re-prepared the statement.
    unsafe refresh(from: statement)
    version = unsafe Self.version(of: statement)
    let read = (0..<Int32(truncatingIfNeeded: count)).map { index in
      // SQLite returns NULL only if it runs out of memory.
      unsafe sqlite3_column_name(statement, index).map { unsafe String(cString: $0) } ?? ""
    }
    var keys = read.map(NameKey.init)
    // If several columns have the same name, only the first can be found by name.
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

  /// Returns the expected column if `name` has the same representation in memory as the string that last
  /// requested it; otherwise nil.
  @inlinable @inline(__always)
  func guess(_ name: String) -> Int? {
    let index = unsafe expected
    // While both strings are alive, the same representation in memory means that their contents are equal.
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

  /// Records that `name` requested a column, and that this column followed the latest one.
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

/// The name that last requested a column or parameter, and the column or parameter that was requested next.
///
/// Code that reads rows usually requests the same names in the same order, with the same string instances.
/// Comparing the representations of the strings in memory, rather than their characters, therefore finds most
/// columns.
@usableFromInline struct Guess {
  @usableFromInline var name: String?
  @usableFromInline var next = 0
  /// Whether the name that requested a parameter included the prefix, as in `:id`.
  var isWhole = false

  @inlinable @inline(__always)
  func isNamed(by other: String) -> Bool {
    typealias Bits = (UInt64, UInt64)
    guard MemoryLayout<String?>.size == MemoryLayout<Bits>.size else { return false }
    return unsafe unsafeBitCast(name, to: Bits.self) == unsafeBitCast(other, to: Bits.self)
  }
}
