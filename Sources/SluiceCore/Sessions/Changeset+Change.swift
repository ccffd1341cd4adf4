import CSluice

extension Changeset {
  /// The change of one row in a ``Changeset`` or a ``Patchset``.
  ///
  /// The columns are those of the table, in their order; their names are not recorded.
  public struct Change: Hashable, Sendable {
    /// The name of the table.
    public let table: String
    /// The kind of the change.
    public let operation: Operation
    /// Whether a trigger or a foreign key made the change, or ``Session/setIndirect(_:)`` said so.
    public let isIndirect: Bool
    /// The indexes of the columns that make up the primary key.
    public let primaryKey: [Int]
    /// The value of each column before the change; nil where it is not recorded.
    ///
    /// An insertion has none. An update has the key and what it changes. In a ``Patchset``, there are only
    /// keys.
    public let old: [DatabaseValue?]
    /// The value of each column after the change; nil where an update has not touched it.
    ///
    /// A deletion has none.
    public let new: [DatabaseValue?]

    /// The kind of a change of a row.
    public enum Operation: Hashable, Sendable, CaseIterable {
      /// The row is new.
      case insert
      /// The row has the same key as before, and other values.
      case update
      /// The row is gone.
      case delete
    }

    /// How many columns are recorded of the table.
    public var columnCount: Int { new.count }

    /// The columns that make up the key, with their values.
    var key: [(column: Int, value: DatabaseValue)] {
      primaryKey.compactMap { column in
        (operation == .insert ? new[column] : old[column]).map { (column, $0) }
      }
    }
  }
}

extension Changeset.Change {
  /// The change on which an iterator of SQLite's stands.
  ///
  /// With `isRepaired`, text that is not UTF-8 becomes a blob of its bytes, and does not throw.
  init(at iterator: OpaquePointer, isRepaired: Bool = false) throws {
    var name: UnsafePointer<CChar>?
    var count: Int32 = 0
    var code: Int32 = 0
    var indirect: Int32 = 0
    var keys: UnsafeMutablePointer<UInt8>?
    try SessionModule.check(
      unsafe sluice_changeset_op(iterator, &name, &count, &code, &indirect))
    try SessionModule.check(unsafe sluice_changeset_pk(iterator, &keys, nil))
    guard let name = unsafe name, let table = unsafe String(validatingCString: name) else {
      throw SQLiteError(.mismatch, "The name of a changed table is not UTF-8")
    }
    self.table = table
    isIndirect = indirect != 0
    let columns = 0..<Int(count)
    primaryKey = columns.filter { unsafe keys?[$0] ?? 0 != 0 }
    operation =
      switch code {
      case SQLITE_INSERT: .insert
      case SQLITE_DELETE: .delete
      default: .update
      }
    let none = [DatabaseValue?](repeating: Optional.none, count: columns.count)
    old =
      operation == .insert
      ? none
      : try unsafe Self.values(columns, "The old value", isRepaired: isRepaired) {
        unsafe sluice_changeset_old(iterator, $0, $1)
      }
    new =
      operation == .delete
      ? none
      : try unsafe Self.values(columns, "The new value", isRepaired: isRepaired) {
        unsafe sluice_changeset_new(iterator, $0, $1)
      }
  }

  /// Copies what `read` finds for each column.
  static func values(
    _ columns: Range<Int>, _ noun: String, isRepaired: Bool,
    _ read: (Int32, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  ) throws -> [DatabaseValue?] {
    var values: [DatabaseValue?] = []
    values.reserveCapacity(columns.count)
    for column in columns {
      var value: OpaquePointer?
      try SessionModule.check(unsafe read(Int32(column), &value))
      guard let value = unsafe value else {
        values.append(Optional.none)
        continue
      }
      let argument = unsafe Argument(value)
      do { values.append(try isRepaired ? argument.repaired() : argument.stored()) } catch {
        throw error.error("\(noun) of column \(column)")
      }
    }
    return values
  }
}

extension Argument {
  /// A copy of the value as it is stored, or a blob of the bytes of text that is not UTF-8.
  fileprivate func repaired() throws(ReadFailure) -> DatabaseValue {
    do { return try stored() } catch {
      guard case .notUTF8 = error else { throw error }
      return .blob(try blob())
    }
  }
}

extension Changeset.Change {
  /// The change as one statement of SQL, which does the same if the row is as it was.
  ///
  /// `columns` are the names of the columns, of which there may be more than the change has; if there are
  /// fewer, it throws ``ResultCode/range``. Each value comes back as it was, reals to the last bit, so some
  /// are written as a division.
  public func sql(columns: [String]) throws -> String {
    guard columns.count >= columnCount else {
      throw SQLiteError(.range, "The change has \(columnCount) columns, not \(columns.count)")
    }
    let names = try columns.map(quoted(identifier:))
    return try sql(table: quoted(identifier: table), \.exactLiteral) { names[$0] }
  }

  private func sql(
    table: String, _ literal: (DatabaseValue) -> String, _ name: (Int) -> String
  ) -> String {
    let row = key.map { "\(name($0.column)) = \(literal($0.value))" }.joined(separator: " AND ")
    let values = new.enumerated().compactMap { column, value in
      value.map { (name: name(column), literal: literal($0)) }
    }
    switch operation {
    case .insert:
      let names = values.map(\.name).joined(separator: ", ")
      let literals = values.map(\.literal).joined(separator: ", ")
      return "INSERT INTO \(table)(\(names)) VALUES (\(literals))"
    case .update:
      let changes = values.map { "\($0.name) = \($0.literal)" }.joined(separator: ", ")
      return "UPDATE \(table) SET \(changes) WHERE \(row)"
    case .delete: return "DELETE FROM \(table) WHERE \(row)"
    }
  }
}

extension Changeset.Change: CustomStringConvertible {
  /// The change as SQL to be read by people.
  ///
  /// Columns have numbers in the place of names, which are not recorded.
  public var description: String {
    sql(table: table.quoted("\""), \.description) { "column\($0)" }
  }
}

extension Connection {
  /// Changes as a script of SQL, with the names of the columns that the tables have here.
  ///
  /// The statements do what the changes do, if the rows are as they were; they know no conflicts. A table that
  /// is missing throws ``ResultCode/error``, and one with too few columns ``ResultCode/range``.
  public func sql<Format: Session.Format>(
    for changes: RecordedChanges<Format>, schema: String = "main"
  ) throws -> String {
    _ = try transactionState(schema: schema)
    var columns: [String: [String]] = [:]
    var script = ""
    try changes.forEachChange { change in
      let table = change.table
      let names = try columns[table] ?? names(of: table, schema)
      columns[table] = names
      script += try change.sql(columns: names) + ";\n"
    }
    return script
  }

  private func names(of table: String, _ schema: String) throws -> [String] {
    let statement = try prepare(sql: "SELECT name FROM pragma_table_info(?, ?)")
    let names = try statement.bind(.string(table), .string(schema)).query(.column(.string))
    guard !names.isEmpty else { throw SQLiteError(.error, "There is no table \(table)") }
    return names
  }
}

extension DatabaseValue {
  /// SQL that gives this very value, to the last bit.
  fileprivate var exactLiteral: String {
    switch self {
    case .text(let text) where text.utf8.contains(0): Self.literal(withNUL: text)
    case .real(let value): Self.literal(value)
    case .integer, .text, .blob, .null: description
    }
  }

  /// SQL ends at a NUL, wherever it stands.
  private static func literal(withNUL text: String) -> String {
    let parts = text.unicodeScalars.split(separator: "\0", omittingEmptySubsequences: false)
    return "(" + parts.map { String($0).quoted("'") }.joined(separator: "||char(0)||") + ")"
  }

  /// SQLite reads some decimals with an error in the last bit; whole numbers and powers of two it does
  /// not.
  private static func literal(_ value: Double) -> String {
    guard !value.isNaN else { return "NULL" }
    let magnitude = abs(value)
    let isShort = magnitude < 1e9 && (magnitude * 64).rounded() == magnitude * 64
    let isWhole = magnitude < 0x1p53 && magnitude.rounded() == magnitude
    if isShort || isWhole || value.isInfinite { return DatabaseValue.real(value).description }
    // The bits that are set, as a whole number, and the power of two that they have to be brought to.
    let width = magnitude.significandWidth
    var exponent = Int(magnitude.exponent) - width
    var literal = "\(value < 0 ? "-" : "")\(magnitude.significand * pow2(width))"
    while exponent != 0 {
      let step = min(62, abs(exponent))
      literal += (exponent < 0 ? "/" : "*") + "\(1 << step)"
      exponent += exponent < 0 ? step : -step
    }
    return "(\(literal))"
  }

  private static func pow2(_ exponent: Int) -> Double {
    Double(sign: .plus, exponent: exponent, significand: 1)
  }
}
