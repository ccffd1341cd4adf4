import CSluice

/// The properties of a ``VirtualTable`` that SQLite relies on.
///
/// By default the views and triggers of a file cannot use the table.
public struct VirtualTableOptions: OptionSet, Hashable, Sendable {
  /// A bit for each option, which is not that of C.
  public let rawValue: Int

  /// The options for these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A change that throws ``ResultCode/constraint`` has changed nothing, and heeds
  /// ``VirtualTableRow/conflictResolution``, so that `OR IGNORE` and the like do what they say.
  ///
  /// The corresponding C value is `SQLITE_VTAB_CONSTRAINT_SUPPORT`.
  public static var constraintSupport: VirtualTableOptions { VirtualTableOptions(rawValue: 1) }

  /// Views and triggers may use the table if ``Configuration/trustedSchema`` is on.
  ///
  /// Without this option and without ``innocuous`` the table is direct-only: the statements of the program
  /// can use it, and temporary views and triggers, but not those of a file.
  ///
  /// The corresponding C value is the absence of `SQLITE_VTAB_DIRECTONLY`.
  public static var usableInSchema: VirtualTableOptions { VirtualTableOptions(rawValue: 2) }

  /// The table is harmless: views and triggers may use it, even where the schema is not trusted.
  ///
  /// The corresponding C value is `SQLITE_VTAB_INNOCUOUS`.
  public static var innocuous: VirtualTableOptions { VirtualTableOptions(rawValue: 4) }

  /// The table reads all databases of the connection, so a statement that reads it locks them all.
  ///
  /// It takes SQLite 3.41 or later, and throws ``ResultCode/notFound`` without.
  ///
  /// The corresponding C value is `SQLITE_VTAB_USES_ALL_SCHEMAS`.
  public static var usesAllSchemas: VirtualTableOptions { VirtualTableOptions(rawValue: 8) }

  /// Columns that an `UPDATE` does not change are not read for it:
  /// ``VirtualTableRow/isUnchanged(at:)`` tells which they are, and their values are NULL.
  ///
  /// The corresponding C function is `sqlite3_vtab_nochange`.
  public static var skipsUnchanged: VirtualTableOptions { VirtualTableOptions(rawValue: 16) }

  /// Tells SQLite about the table that is being made.
  func apply(to connection: OpaquePointer?) throws {
    if contains(.usesAllSchemas), sqlite3_libversion_number() < 3_041_000 {
      throw SQLiteError(.notFound, "usesAllSchemas takes SQLite 3.41 or later")
    }
    let operations: [(Bool, Int32)] = [
      (contains(.constraintSupport), SQLITE_VTAB_CONSTRAINT_SUPPORT),
      (isDisjoint(with: [.innocuous, .usableInSchema]), SQLITE_VTAB_DIRECTONLY),
      (contains(.innocuous), SQLITE_VTAB_INNOCUOUS), (contains(.usesAllSchemas), 4),
    ]
    for case (true, let operation) in operations {
      let code = unsafe sluice_vtab_config(connection, operation, 1)
      guard code == SQLITE_OK else { throw unsafe SQLiteError(code, of: connection) }
    }
  }
}

/// How a module is used in SQL.
public enum VirtualTableUse: Hashable, Sendable, CaseIterable {
  /// By `CREATE VIRTUAL TABLE name USING module(…)`.
  case created
  /// So, and also by the name of the module, as a table or a table-valued function.
  case eponymous
  /// Only by the name of the module.
  case eponymousOnly
}
