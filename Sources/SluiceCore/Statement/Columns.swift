import CSluice

/// The result columns of a statement, re-read only after SQLite has re-prepared the statement.
@usableFromInline final class Columns {
  private(set) var count = 0
  /// The names of all columns, or of the columns of a part while it is read.
  @exclusivity(unchecked) @usableFromInline var lookup = ColumnLookup()
  /// The parts of the row that were requested last, and the type that requested them.
  @exclusivity(unchecked) @usableFromInline private(set) var parts:
    (owner: ObjectIdentifier, all: [ColumnPart])?
  /// The number of re-preparations that SQLite had counted when the names were read.
  private var version: Int32 = 0

  init(of statement: OpaquePointer) { unsafe read(statement) }

  /// Reads the columns again if a schema change has made them outdated.
  @inline(__always)
  func refresh(from statement: OpaquePointer) {
    // Until the names are read, only the column count can be outdated.
    let isOld =
      unsafe lookup.names == nil
      ? sqlite3_column_count(statement) != Int32(truncatingIfNeeded: count)
      : Self.version(of: statement) != version
    if isOld { unsafe read(statement) }
  }

  private func read(_ statement: OpaquePointer) {
    count = Int(unsafe sqlite3_column_count(statement))
    unsafe lookup = ColumnLookup()
    unsafe parts = nil
  }

  /// Resets SQLite's re-preparation counter, which this object uses to detect changes.
  func resetVersion(of statement: OpaquePointer) {
    unsafe refresh(from: statement)
    unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 1)
    version = 0
  }

  func names(of statement: OpaquePointer) -> [String] {
    if let names = unsafe lookup.names { return names }
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
    unsafe lookup.names = read
    unsafe lookup.keys = keys
    return read
  }

  /// Returns the expected column if `name` has the same representation in memory as the string that last
  /// requested it; otherwise nil.
  @inlinable @inline(__always)
  func guess(_ name: String) -> Int? {
    let index = unsafe lookup.expected
    // While both strings are alive, the same representation in memory means that their contents are equal.
    guard unsafe index < lookup.guesses.count, unsafe lookup.guesses[index].isNamed(by: name) else {
      return nil
    }
    unsafe lookup.latest = index
    unsafe lookup.expected = lookup.guesses[index].next
    return index
  }

  /// Returns the first column with exactly this name or, if there is none, the first whose name differs only in the case
  /// of ASCII letters; nil if there is none.
  func index(named name: String, of statement: OpaquePointer) -> Int? {
    let names = unsafe names(of: statement)
    let key = NameKey(name)
    for index in names.indices where unsafe lookup.keys[index] == key {
      guard key.isWhole || names[index].isIdentical(to: name) else { continue }
      unsafe lookup.note(name, index, of: count)
      return index
    }
    let folded = key.withoutCase
    for index in names.indices where unsafe lookup.keys[index].withoutCase == folded {
      guard key.isWhole || names[index].utf8.isSameName(as: name.utf8) else { continue }
      unsafe lookup.note(name, index, of: count)
      return index
    }
    return nil
  }

  private static func version(of statement: OpaquePointer) -> Int32 {
    unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0)
  }
}

/// The names of columns, and the requests by name.
@usableFromInline struct ColumnLookup {
  fileprivate var names: [String]?
  fileprivate var keys: [NameKey] = []
  /// The most recent request by name for each column; empty before the first request.
  @usableFromInline fileprivate(set) var guesses: [Guess] = []
  /// The column that was last found by name.
  @usableFromInline var latest = 0
  /// The column that is expected next, because it followed `latest` in earlier requests.
  @usableFromInline var expected = 0
  /// The parts of the row whose column names begin with a prefix.
  fileprivate var prefixedParts: [String: ColumnPart?] = [:]
  /// The parts of the row that consist of given columns, by the name of the part.
  fileprivate var namedParts: [String: ColumnPart?] = [:]

  /// Records that `name` requested a column, and that this column followed the latest one.
  fileprivate mutating func note(_ name: String, _ index: Int, of count: Int) {
    if guesses.isEmpty { guesses = Array(repeating: Guess(), count: count) }
    guesses[latest].next = index
    guesses[index].name = name
    latest = index
    expected = guesses[index].next
  }
}

/// Columns of a row that are read as one value, under names of their own.
@usableFromInline package final class ColumnPart {
  /// The indexes of the columns.
  @usableFromInline package let indices: [Int]
  /// Whether a value can be read from the part even if all of its columns are NULL.
  @usableFromInline package let canBeNull: Bool
  @exclusivity(unchecked) @usableFromInline var lookup = ColumnLookup()

  /// Creates a part with these columns of a row, which have these names in the part.
  package init(
    _ columns: [(index: Int, name: String)], of all: [String], canBeNull: Bool = true
  ) {
    indices = columns.map(\.index)
    self.canBeNull = canBeNull
    var names = all
    var keys = Array(repeating: NameKey.none, count: all.count)
    for (index, name) in columns {
      names[index] = name
      keys[index] = NameKey(name)
    }
    unsafe lookup.names = names
    unsafe lookup.keys = keys
  }
}

extension Columns {
  /// Sets the parts of the row for a type.
  func setParts(_ all: [ColumnPart], for owner: ObjectIdentifier) { unsafe parts = (owner, all) }

  /// Returns the names by which a column can be found.
  func foundNames(of statement: OpaquePointer) -> [String] {
    let names = unsafe names(of: statement)
    return names.indices.filter { unsafe lookup.keys[$0] != .none }.map { names[$0] }
  }

  /// Returns the part of the row with the columns whose names begin with a prefix; nil if there are none.
  func part(prefix: String, of statement: OpaquePointer) -> ColumnPart? {
    if let known = unsafe lookup.prefixedParts[prefix] { return known }
    let names = unsafe names(of: statement)
    let columns = names.indices.compactMap { index -> (index: Int, name: String)? in
      let name = names[index].utf8
      // A column of an outer value is not part of an inner one, even if its name begins with the prefix.
      guard unsafe lookup.keys[index] != .none,
        name.prefix(prefix.utf8.count).isSameName(as: prefix.utf8)
      else { return nil }
      return (index, String(decoding: name.dropFirst(prefix.utf8.count), as: UTF8.self))
    }
    let part = columns.isEmpty ? nil : ColumnPart(columns, of: names)
    unsafe lookup.prefixedParts[prefix] = .some(part)
    return part
  }

  /// Returns the part with a name, which consists of these columns; nil if the row has none of them.
  func part(
    named name: String, _ columns: [(column: String, name: String)], of statement: OpaquePointer
  ) throws -> ColumnPart? {
    if let known = unsafe lookup.namedParts[name] { return known }
    let names = unsafe names(of: statement)
    let found = columns.map { column -> Int? in
      names.indices.first { index in
        unsafe lookup.keys[index] != .none && names[index].utf8.isSameName(as: column.column.utf8)
      }
    }
    var part: ColumnPart?
    if found.contains(where: { $0 != nil }) {
      part = ColumnPart(
        try zip(found, columns).map { index, column in
          guard let index else {
            throw SQLiteError(.range, "There is no column named \"\(column.column)\"")
          }
          return (index, column.name)
        }, of: names)
    }
    unsafe lookup.namedParts[name] = .some(part)
    return part
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
  /// Whether the name that requested a parameter is its name, rather than one that differs in case.
  var isExact = true

  @inlinable @inline(__always)
  func isNamed(by other: String) -> Bool {
    typealias Bits = (UInt64, UInt64)
    guard MemoryLayout<String?>.size == MemoryLayout<Bits>.size else { return false }
    return unsafe unsafeBitCast(name, to: Bits.self) == unsafeBitCast(other, to: Bits.self)
  }
}
