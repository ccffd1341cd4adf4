import CSluice

extension Changeset {
  /// The change of one row in a ``Changeset`` or a ``Patchset``.
  ///
  /// The columns are those of the table, in their order; their names are not recorded.
  public struct Change: Hashable, Sendable {
    /// The name of the table.
    public let table: String
    /// What has become of the row.
    public let operation: Operation
    /// Whether a trigger or a foreign key made the change, or ``Session/setIndirect(_:)`` said so.
    public let isIndirect: Bool
    /// The indexes of the columns that make up the primary key.
    public let primaryKey: [Int]
    /// What was in each column before; nil where that is not recorded.
    ///
    /// An insertion has none. An update has the key and what it changes. In a ``Patchset``, there are only
    /// keys.
    public let old: [DatabaseValue?]
    /// What is in each column now; nil where an update has not touched it.
    ///
    /// A deletion has none.
    public let new: [DatabaseValue?]

    /// What becomes of a row.
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
