/// A writer of changes in the format that a session records.
struct ChangesWriter {
  private(set) var bytes: [UInt8] = []
  private let isPatchset: Bool
  /// The columns of each table so far, by its folded name.
  private var tables: [String: Columns] = [:]
  /// The folded name of the table of the latest change; empty before the first.
  private var table = ""

  private struct Columns: Equatable {
    let count: Int
    let primaryKey: [Int]

    init(of change: Changeset.Change) {
      count = change.columnCount
      primaryKey = change.primaryKey
    }
  }

  init(isPatchset: Bool) { self.isPatchset = isPatchset }

  /// Appends a change, after a description of its table unless the change before it is to the same table.
  mutating func append(_ change: Changeset.Change) throws {
    if foldedName(change.table) != table { try beginTable(of: change) }
    guard tables[table] == Columns(of: change) else {
      throw SQLiteError(
        .schema, "The columns of \(change.table) differ from those of a change before it: \(change)"
      )
    }
    // The numbers of SQLITE_INSERT, SQLITE_UPDATE and SQLITE_DELETE.
    let operation: UInt8 =
      switch change.operation {
      case .insert: 18
      case .update: 23
      case .delete: 9
      }
    bytes += [operation, change.isIndirect ? 1 : 0]
    switch change.operation {
    case .insert: append(change.new)
    case .delete where isPatchset: append(change.key.sorted { $0.column < $1.column }.map(\.value))
    case .delete:
      guard !change.old.contains(nil) else { throw lacksOldValues(change) }
      append(change.old)
    case .update:
      let isKey = Set(change.primaryKey)
      let columns = change.new.indices
      if !isPatchset {
        guard columns.allSatisfy({ change.new[$0] == nil || change.old[$0] != nil }) else {
          throw lacksOldValues(change)
        }
        append(columns.map { isKey.contains($0) || change.new[$0] != nil ? change.old[$0] : nil })
        return append(change.new)
      }
      append(columns.map { isKey.contains($0) ? change.old[$0] : change.new[$0] })
    }
  }

  private mutating func beginTable(of change: Changeset.Change) throws {
    guard change.columnCount <= 65_536 else {
      throw SQLiteError(
        .range, "A change has at most 65,536 columns (got \(change.columnCount))")
    }
    table = foldedName(change.table)
    let columns = tables[table] ?? Columns(of: change)
    tables[table] = columns
    var keys = [UInt8](repeating: 0, count: columns.count)
    for (position, column) in columns.primaryKey.enumerated() {
      keys[column] = UInt8(clamping: position + 1)
    }
    bytes.append(UInt8(ascii: isPatchset ? "P" : "T"))
    bytes += DatabaseValue.length(columns.count)
    bytes += keys
    bytes += change.table.utf8
    bytes.append(0)
  }

  private mutating func append(_ values: [DatabaseValue?]) {
    for value in values { bytes += value?.recorded ?? [0] }
  }

  private func lacksOldValues(_ change: Changeset.Change) -> SQLiteError {
    SQLiteError(
      .mismatch,
      "A changeset needs the old values of a change, which a patchset does not: \(change)")
  }
}

extension DatabaseValue {
  /// The bytes of the value in recorded changes.
  var recorded: [UInt8] {
    switch self {
    case .integer(let integer): [1] + Self.bytes(of: UInt64(bitPattern: integer))
    // SQLite stores NULL in place of a NaN.
    case .real(let real) where real.isNaN: [5]
    case .real(let real): [2] + Self.bytes(of: real.bitPattern)
    case .text(let text): [3] + Self.length(text.utf8.count) + text.utf8
    case .blob(let bytes): [4] + Self.length(bytes.count) + bytes
    case .null: [5]
    }
  }

  private static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  /// Returns a length of less than 32 GiB in groups of seven bits.
  fileprivate static func length(_ count: Int) -> [UInt8] {
    let groups = (0..<5).map { count >> (28 - 7 * $0) & 0x7f }
    let needed = groups.dropLast().drop { $0 == 0 }
    return needed.map { UInt8($0) | 0x80 } + [UInt8(groups[4])]
  }
}
