import CSluice

/// The result columns of a statement, re-read only after SQLite has re-prepared the statement.
@usableFromInline final class Columns {
  private(set) var count = 0
  @exclusivity(unchecked) private var names: [String]?
  @exclusivity(unchecked) private var keys: [NameKey] = []
  /// The most recent request by name for each column; empty before the first request.
  @exclusivity(unchecked) @usableFromInline private(set) var guesses: [Guess] = []
  /// The column that was last found by name.
  @exclusivity(unchecked) @usableFromInline private(set) var latest = 0
  /// The column that is expected next, because it followed `latest` in earlier requests.
  @exclusivity(unchecked) @usableFromInline private(set) var expected = 0
  /// The parts of the row that were requested last, and the type that requested them.
  @exclusivity(unchecked) private var parts: (owner: ObjectIdentifier, all: [ColumnPart])?
  /// The parts of the row whose column names begin with a prefix.
  @exclusivity(unchecked) private var prefixedParts: [String: ColumnPart?] = [:]
  /// The number of re-preparations that SQLite had counted when the names were read.
  private var version: Int32 = 0

  init(of statement: OpaquePointer) { unsafe read(statement) }

  /// Reads the columns again if a schema change has made them outdated.
  @inline(__always)
  func refresh(from statement: OpaquePointer) {
    // Until the names are read, only the column count can be outdated.
    let isOld =
      unsafe names == nil
      ? sqlite3_column_count(statement) != Int32(truncatingIfNeeded: count)
      : Self.version(of: statement) != version
    if isOld { unsafe read(statement) }
  }

  private func read(_ statement: OpaquePointer) {
    count = Int(unsafe sqlite3_column_count(statement))
    unsafe names = nil
    unsafe keys = []
    unsafe parts = nil
    unsafe prefixedParts = [:]
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
    if let names = unsafe names { return names }
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
    unsafe names = read
    unsafe self.keys = keys
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
    for index in names.indices where unsafe keys[index] == key {
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

/// Columns of a row that are read as one value, under names of their own.
package final class ColumnPart {
  /// The indexes of the columns.
  package let indices: [Int]
  @exclusivity(unchecked) fileprivate var names: [String]?
  @exclusivity(unchecked) fileprivate var keys: [NameKey]
  @exclusivity(unchecked) fileprivate var guesses: [Guess] = []
  @exclusivity(unchecked) fileprivate var latest = 0
  @exclusivity(unchecked) fileprivate var expected = 0
  @exclusivity(unchecked) fileprivate var prefixedParts: [String: ColumnPart?] = [:]

  /// Creates a part with these columns of a row, which have these names in the part.
  package init(_ columns: [(index: Int, name: String)], of all: [String]) {
    indices = columns.map(\.index)
    var names = all
    unsafe keys = Array(repeating: .none, count: all.count)
    for (index, name) in columns {
      names[index] = name
      unsafe keys[index] = NameKey(name)
    }
    unsafe self.names = names
  }
}

extension Columns {
  /// Returns the parts of the row for a type, which `make` creates from the names of all columns.
  func parts(
    for owner: ObjectIdentifier, of statement: OpaquePointer,
    make: (_ names: [String]) throws -> [ColumnPart]
  ) throws -> [ColumnPart] {
    if let parts = unsafe parts, parts.owner == owner { return parts.all }
    let all = try make(unsafe names(of: statement))
    unsafe parts = (owner, all)
    return all
  }

  /// Returns the part of the row with the columns whose names begin with a prefix; nil if there are none.
  func part(prefix: String, of statement: OpaquePointer) -> ColumnPart? {
    if let known = unsafe prefixedParts[prefix] { return known }
    let names = unsafe names(of: statement)
    let columns = names.indices.compactMap { index -> (index: Int, name: String)? in
      // A column of an outer value is not part of an inner one, even if its name begins with the prefix.
      guard unsafe keys[index] != .none, names[index].utf8.starts(with: prefix.utf8) else {
        return nil
      }
      let rest = names[index].utf8.dropFirst(prefix.utf8.count)
      return (index, String(decoding: rest, as: UTF8.self))
    }
    let part = columns.isEmpty ? nil : ColumnPart(columns, of: names)
    unsafe prefixedParts[prefix] = .some(part)
    return part
  }

  /// Makes names refer to the columns of a part, or to all columns again.
  func exchange(with part: ColumnPart) {
    unsafe swap(&names, &part.names)
    unsafe swap(&keys, &part.keys)
    unsafe swap(&guesses, &part.guesses)
    unsafe swap(&latest, &part.latest)
    unsafe swap(&expected, &part.expected)
    unsafe swap(&prefixedParts, &part.prefixedParts)
  }
}

/// Parts of a row that are read as one value each, such as the columns of one table in a join.
extension Row {
  /// Returns the parts of the row for a type, which `make` creates from the names of all columns.
  package func parts(
    for owner: ObjectIdentifier, make: (_ names: [String]) throws -> [ColumnPart]
  ) throws -> [ColumnPart] {
    try unsafe statement.columns.parts(for: owner, of: openHandle(), make: make)
  }

  /// Returns the part with the columns whose names begin with a prefix; nil if there are none.
  package func part(prefix: String) throws -> ColumnPart? {
    try unsafe statement.columns.part(prefix: prefix, of: openHandle())
  }

  /// Calls a closure during which names refer only to the columns of a part.
  @inline(__always)
  package func read<T>(_ part: ColumnPart, _ body: (borrowing Row) throws -> T) throws -> T {
    let columns = statement.columns
    columns.exchange(with: part)
    defer { columns.exchange(with: part) }
    return try body(self)
  }

  /// Returns whether all columns of a part are NULL.
  package func isNull(_ part: ColumnPart) throws -> Bool {
    for index in part.indices where try !isNull(at: index) { return false }
    return true
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
