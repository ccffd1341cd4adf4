import CSluice

extension Changeset {
  /// A change to one row in a ``Changeset`` or a ``Patchset``.
  ///
  /// The columns are those of the table, in order. Their names are not recorded.
  public struct Change: Hashable, Sendable {
    /// The name of the table.
    public let table: String
    /// The kind of change.
    public let operation: Operation
    /// Whether the change is indirect.
    ///
    /// A change is indirect if a trigger or a foreign key made it, or if ``Session/setIndirect(_:)`` marked it.
    public let isIndirect: Bool
    /// The indexes of the primary key columns, counted from zero, in the order of the key.
    public let primaryKey: [Int]
    /// The value of each column before the change; nil where it is not recorded.
    ///
    /// An insertion has no old values. An update has old values only for the key and for the columns that it
    /// changes. In a ``Patchset``, only the key has old values.
    public let old: [DatabaseValue?]
    /// The value of each column after the change; nil where an update leaves the column unchanged.
    ///
    /// A deletion has no new values.
    public let new: [DatabaseValue?]

    /// The kinds of change to a row.
    public enum Operation: Hashable, Sendable, CaseIterable {
      /// The row is inserted.
      case insert
      /// The row keeps its key, but some other values change.
      case update
      /// The row is deleted.
      case delete
    }

    /// The number of recorded columns.
    public var columnCount: Int { new.count }

    /// The columns of the primary key, with their values.
    var key: [(column: Int, value: DatabaseValue)] {
      primaryKey.compactMap { column in
        (operation == .insert ? new[column] : old[column]).map { (column, $0) }
      }
    }
  }
}

extension Changeset.Change {
  /// Creates a change that no session has recorded.
  ///
  /// ```swift
  /// let insertion = try Changeset.Change(
  ///   .insert, in: "person", primaryKey: [0], new: [3, "Grace"])
  /// let update = try Changeset.Change(
  ///   .update, in: "person", primaryKey: [0], old: [2, "Eve"], new: [nil, "Eva"])
  /// let deletion = try Changeset.Change(
  ///   .delete, in: "person", primaryKey: [0], old: [1, "Ada"])
  /// try other.apply(Changeset(changes: [insertion, update, deletion]))
  /// ```
  ///
  /// ``RecordedChanges/init(changes:)`` creates a ``Changeset`` or a ``Patchset`` of changes. An update cannot change the
  /// key: delete the row, and insert it again.
  ///
  /// - Parameters:
  ///   - operation: The kind of change.
  ///   - table: The name of the table.
  ///   - primaryKey: The indexes of the primary key columns, counted from zero, in the order of the key.
  ///   - old: The values before the change: those of all columns for a deletion, and those of the key and of the changed
  ///     columns for an update, whose other values are ignored; empty for an insertion. For a ``Patchset``, the key is
  ///     enough. A value that is not needed can be nil.
  ///   - new: The values after the change: those of all columns for an insertion, and nil for each column that an update
  ///     leaves unchanged; empty for a deletion.
  ///   - isIndirect: Whether the change counts as one that a trigger or a foreign key made.
  /// - Throws: ``ResultCode/range`` if the key is empty, names a missing column, or names one column twice;
  ///   ``ResultCode/misuse`` if the table has no name, a value of the key is NULL, an insertion lacks a value or has old
  ///   values, a deletion has new values, or an update has different numbers of old and new values, changes the key, or
  ///   changes no column.
  ///
  /// The corresponding C functions are `sqlite3changegroup_change_begin` and those whose names begin with
  /// `sqlite3changegroup_change_`. This initializer does not call them, so it works with every version of SQLite.
  public init(
    _ operation: Operation, in table: String, primaryKey: [Int], old: [DatabaseValue?] = [],
    new: [DatabaseValue?] = [], isIndirect: Bool = false
  ) throws {
    func require(_ condition: Bool, _ problem: String) throws {
      guard condition else {
        throw SQLiteError(.misuse, "The \(operation) of a row of \(table) \(problem)")
      }
    }
    try refuseNUL(in: table, "The name of a table")
    guard !table.isEmpty else { throw SQLiteError(.misuse, "A change must name its table") }
    try require(operation != .insert || old.isEmpty, "has no old values")
    try require(operation != .delete || new.isEmpty, "has no new values")
    let columns = (operation == .insert ? new : old).indices
    try require(!columns.isEmpty, "needs the values of the row")
    guard !primaryKey.isEmpty, primaryKey.allSatisfy(columns.contains),
      Set(primaryKey).count == primaryKey.count
    else {
      throw SQLiteError(
        .range,
        "The key must name different columns from 0 to \(columns.count - 1) (got \(primaryKey))")
    }
    let none = [DatabaseValue?](repeating: Optional.none, count: columns.count)
    self.operation = operation
    self.table = table
    self.primaryKey = primaryKey
    self.isIndirect = isIndirect
    switch operation {
    case .insert:
      try require(!new.contains(nil), "needs the value of each column")
      (self.old, self.new) = (none, new)
    case .delete:
      (self.old, self.new) = (old, none)
    case .update:
      try require(new.count == old.count, "needs an old and a new value, or nil, for each column")
      try require(
        primaryKey.allSatisfy { new[$0] == nil || new[$0] == old[$0] }, "cannot change the key")
      let isKey = Set(primaryKey)
      let changed = columns.map { isKey.contains($0) ? nil : new[$0] }
      try require(changed.contains { $0 != nil }, "changes no column")
      self.old = columns.map { isKey.contains($0) || new[$0] != nil ? old[$0] : nil }
      self.new = changed
    }
    let values = operation == .insert ? new : old
    try require(
      primaryKey.allSatisfy { (values[$0] ?? .null) != .null },
      "needs a value that is not NULL for each column of the key")
  }

  /// Creates the change at the current position of an SQLite iterator.
  ///
  /// Throws for a value that is text but not UTF-8. If `isRepaired` is true, a blob of its bytes replaces such text.
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
    let positions = columns.map { unsafe keys?[$0] ?? 0 }
    primaryKey = columns.filter { positions[$0] != 0 }.sorted {
      (positions[$0], $0) < (positions[$1], $1)
    }
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

  /// Returns copies of the values that `read` returns for the columns.
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
  /// Returns a copy of the value; text that is not UTF-8 becomes a blob of its bytes.
  fileprivate func repaired() throws(ReadFailure) -> DatabaseValue {
    do { return try stored() } catch {
      guard case .notUTF8 = error else { throw error }
      return .blob(try blob())
    }
  }
}

extension Changeset.Change {
  /// Returns the change of a table with additional columns, which the row has with the given values.
  func appending(_ values: [DatabaseValue]) -> Self {
    let none = [DatabaseValue?](repeating: Optional.none, count: values.count)
    return Self(
      table: table, operation: operation, isIndirect: isIndirect, primaryKey: primaryKey,
      old: old + (operation == .delete ? values : none),
      new: new + (operation == .insert ? values : none))
  }

  /// Returns an SQL statement with the same effect as the change, if the row is in the recorded state.
  ///
  /// `columns` contains the names of the columns, and may contain more names than the change has columns. Throws
  /// ``ResultCode/range`` if `columns` contains fewer names. Each value is preserved exactly, including the last
  /// bit of a real, so some reals are written as a division or a multiplication.
  public func sql(columns: [String]) throws -> String {
    guard columns.count >= columnCount else {
      throw SQLiteError(
        .range, "The change has \(columnCount) columns (got \(columns.count) names)")
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
  /// The change as human-readable SQL.
  ///
  /// Columns have numbers instead of names, because names are not recorded.
  public var description: String {
    sql(table: table.quoted("\""), \.description) { "column\($0)" }
  }
}

extension Connection {
  /// Returns changes as an SQL script, with the column names of the tables in this database.
  ///
  /// The statements have the same effect as the changes if the rows are in the recorded state. The statements do
  /// not detect conflicts. Changes that ``Session/Options/rowidTables`` has recorded name the rowid. Throws
  /// ``ResultCode/error`` if a table is missing, and ``ResultCode/range`` if a table has fewer columns than its changes.
  public func sql<Format: Session.Format>(
    for changes: RecordedChanges<Format>, schema: String = "main"
  ) throws -> String {
    _ = try transactionState(schema: schema)
    var columns: [String: [String]] = [:]
    var script = ""
    try changes.forEachChange { change in
      let table = change.table
      let names = try columns[foldedName(table)] ?? recordedNames(of: table, schema)
      columns[foldedName(table)] = names
      script += try change.sql(columns: names) + ";\n"
    }
    return script
  }

  /// Returns the names of the columns that a session records.
  private func recordedNames(of table: String, _ schema: String) throws -> [String] {
    let statement = try prepare(sql: "SELECT name, pk FROM pragma_table_info(?, ?)")
    let columns = try statement.bind(.string(table), .string(schema))
      .query(.columns(.string, .int))
    guard !columns.isEmpty else { throw SQLiteError(.error, "There is no table \(table)") }
    let names = columns.map(\.0)
    // In a table without a primary key, a session records the rowid as the first column.
    guard columns.allSatisfy({ $0.1 == 0 }), let rowid = rowidName(besides: names) else {
      return names
    }
    return [rowid] + names
  }
}

extension DatabaseValue {
  /// An SQL expression that evaluates to exactly this value, including the last bit of a real.
  var exactLiteral: String {
    switch self {
    case .text(let text) where text.utf8.contains(0): Self.literal(withNUL: text)
    case .real(let value): Self.literal(value)
    case .integer, .text, .blob, .null: description
    }
  }

  /// Returns an expression for text that contains NUL, because SQLite stops reading SQL at a NUL.
  private static func literal(withNUL text: String) -> String {
    let parts = text.unicodeScalars.split(separator: "\0", omittingEmptySubsequences: false)
    return "(" + parts.map { String($0).quoted("'") }.joined(separator: "||char(0)||") + ")"
  }

  /// Returns an expression that SQLite evaluates to exactly this real.
  ///
  /// SQLite reads some decimal literals with an error in the last bit, but reads whole numbers and powers of two
  /// exactly.
  private static func literal(_ value: Double) -> String {
    guard !value.isNaN else { return "NULL" }
    let magnitude = abs(value)
    let isShort = magnitude < 1e9 && (magnitude * 64).rounded() == magnitude * 64
    let isWhole = magnitude < 0x1p53 && magnitude.rounded() == magnitude
    if isShort || isWhole || value.isInfinite { return DatabaseValue.real(value).description }
    // The expression multiplies or divides the significand, as a whole number, by powers of two.
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
