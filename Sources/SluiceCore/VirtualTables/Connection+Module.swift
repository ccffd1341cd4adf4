import CSluice

extension Connection {
  /// Adds a module, whose virtual tables are created by `make`.
  ///
  /// ```swift
  /// try connection.addModule("csv") { try CSVTable($0) }
  /// try connection.execute(sql: "CREATE VIRTUAL TABLE city USING csv(filename='city.csv')")
  /// ```
  ///
  /// `make` is called when a table is created, and again whenever SQLite connects the table: after the database
  /// has been opened, and after the schema has changed. While SQLite connects a table, `make` can only read the
  /// database. If `make` throws, the statement throws the same error.
  ///
  /// A module of the same name is replaced. Connected tables and prepared statements continue to use the
  /// replaced module. Throws ``ResultCode/busy`` while a statement is being prepared or a table is being
  /// created.
  ///
  /// `shadowNames` lists the shadow tables, which contain the data of a virtual table. With `["data"]`, the
  /// shadow table of `t` is `t_data`. On a defensive connection, SQL cannot change a shadow table. A process
  /// can have at most eight different sets of shadow names.
  ///
  /// The connection retains `make` until the module is replaced or removed and its tables are disconnected, or
  /// until the connection closes. If `make` refers to the connection, neither is released before ``close()``.
  ///
  /// The corresponding C function is `sqlite3_create_module_v2`.
  public func addModule<Table: VirtualTable>(
    _ name: String, as use: VirtualTableUse = .created, shadowNames: Set<String> = [],
    _ make: @escaping (_ arguments: VirtualTableArguments) throws -> Table
  ) throws {
    try refuseNUL(in: name, "The name of the module")
    let handle = try unsafe handle()
    try refuseChangesOfModules()
    let box = ModuleBox(
      self, use, isWritable: Table.self is any WritableVirtualTable.Type,
      shadow: try ShadowNames(shadowNames), make)
    defer { state.settle() }
    evictStatements()
    if name.lowercased() == "fts5" { loseFTS5() }
    // SQLite releases the box even if it rejects the module.
    try check(
      unsafe sqlite3_create_module_v2(
        handle, name,
        UnsafeMutableRawPointer(box.functions).assumingMemoryBound(to: sqlite3_module.self),
        box.retained(), releaseBox))
    unsafe disconnectTables(of: handle)
  }

  /// Removes a module, so that its tables can no longer be created or connected.
  ///
  /// Connected tables remain usable until SQLite disconnects them. Throws ``ResultCode/busy`` while a statement
  /// is being prepared or a table is being created.
  public func removeModule(_ name: String) throws {
    try refuseNUL(in: name, "The name of the module")
    let handle = try unsafe handle()
    try refuseChangesOfModules()
    defer { state.settle() }
    evictStatements()
    if name.lowercased() == "fts5" { loseFTS5() }
    try check(unsafe sqlite3_create_module_v2(handle, name, nil, nil, nil))
    unsafe disconnectTables(of: handle)
  }

  /// Removes all modules, including SQLite's own such as `fts5`, except the named ones.
  ///
  /// Each name must have the spelling with which the module was added. The module `array` is never removed.
  /// Without `fts5`, adding a tokenizer or a full-text function throws ``ResultCode/notFound``.
  ///
  /// The corresponding C function is `sqlite3_drop_modules`.
  public func removeModules(keeping names: [String] = []) throws {
    for name in names { try refuseNUL(in: name, "The name of the module") }
    let handle = try unsafe handle()
    try refuseChangesOfModules()
    defer { state.settle() }
    evictStatements()
    var kept = unsafe (names + ArrayModule.names).map { unsafe sluice_message($0) }
    defer { for index in unsafe kept.indices { unsafe sqlite3_free(kept[index]) } }
    guard unsafe !kept.contains(where: { unsafe $0 == nil }) else {
      throw SQLiteError(.noMemory, "Out of memory for the names of modules")
    }
    if !names.contains("fts5") { loseFTS5() }
    unsafe kept.append(nil)
    var pointers = unsafe kept.map { unsafe UnsafePointer<CChar>($0) }
    try check(unsafe sqlite3_drop_modules(handle, &pointers))
    unsafe disconnectTables(of: handle)
  }

  /// Ensures that there is an SQL function with this name and arity for virtual tables to overload.
  ///
  /// If there is none, this method adds a function that throws wherever no virtual table overloads it.
  ///
  /// The corresponding C function is `sqlite3_overload_function`.
  public func addOverloadableFunction(_ name: String, arity: Int) throws {
    let arity = try Self.arity(arity, of: name)
    try refuseChangesOfFunctions()
    try check(unsafe sqlite3_overload_function(handle(), name, arity))
  }

  /// Prepares an empty statement, so that SQLite disconnects the eponymous tables of a changed module.
  private func disconnectTables(of handle: OpaquePointer) {
    state.calling { _ = unsafe sqlite3_exec(handle, " ", nil, nil, nil) }
  }

  /// Throws while SQLite refers to objects that adding or removing a module would release.
  private func refuseChangesOfModules() throws {
    try requireLocal(.modules)
    try state.require(.use)
    try state.require(.changeModules)
  }
}

/// Properties that a ``VirtualTable`` declares, and on which SQLite relies.
///
/// By default, the views and triggers stored in a database file cannot use the table.
public struct VirtualTableOptions: OptionSet, Hashable, Sendable {
  /// The options as bits, which differ from the C values.
  public let rawValue: Int

  /// Creates the options that these bits represent.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// A change that throws ``ResultCode/constraint`` leaves the table unchanged.
  ///
  /// The table also honors ``VirtualTableRow/conflictResolution``, so that `OR IGNORE` and the other conflict
  /// clauses work as documented.
  ///
  /// The corresponding C value is `SQLITE_VTAB_CONSTRAINT_SUPPORT`.
  public static var constraintSupport: VirtualTableOptions { VirtualTableOptions(rawValue: 1) }

  /// Views and triggers may use the table if ``Configuration/trustedSchema`` is on.
  ///
  /// Without this option and without ``innocuous``, the table is direct-only. The statements of the program,
  /// and temporary views and triggers, can use a direct-only table; the views and triggers of a database file
  /// cannot.
  ///
  /// The corresponding C value is the absence of `SQLITE_VTAB_DIRECTONLY`.
  public static var usableInSchema: VirtualTableOptions { VirtualTableOptions(rawValue: 2) }

  /// The table is harmless: views and triggers may use it even if the schema is not trusted.
  ///
  /// The corresponding C value is `SQLITE_VTAB_INNOCUOUS`.
  public static var innocuous: VirtualTableOptions { VirtualTableOptions(rawValue: 4) }

  /// The table reads all databases of the connection, so a statement that reads it locks them all.
  ///
  /// This option requires SQLite 3.41 or later. With an earlier version, creating or connecting the table
  /// throws ``ResultCode/notFound``.
  ///
  /// The corresponding C value is `SQLITE_VTAB_USES_ALL_SCHEMAS`.
  public static var usesAllSchemas: VirtualTableOptions { VirtualTableOptions(rawValue: 8) }

  /// Columns that an `UPDATE` does not change are not read.
  ///
  /// ``VirtualTableRow/isUnchanged(at:)`` returns true for a column that was not read. The value of such a column
  /// in the row is NULL.
  ///
  /// The corresponding C function is `sqlite3_vtab_nochange`.
  public static var skipsUnchanged: VirtualTableOptions { VirtualTableOptions(rawValue: 16) }

  /// Applies the options to the table that SQLite is creating or connecting.
  func apply(to connection: OpaquePointer?) throws {
    if contains(.usesAllSchemas), sqlite3_libversion_number() < 3_041_000 {
      throw SQLiteError(.notFound, "usesAllSchemas requires SQLite 3.41 or later")
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

/// The ways in which SQL can use a module.
public enum VirtualTableUse: Hashable, Sendable, CaseIterable {
  /// Tables that `CREATE VIRTUAL TABLE name USING module(…)` creates.
  case created
  /// Created tables, and also a table or table-valued function with the name of the module.
  case eponymous
  /// Only a table or table-valued function with the name of the module.
  case eponymousOnly
}

/// The shadow table names of a module, without the name of the virtual table.
///
/// SQLite checks a name with a C function that receives no context. Sluice therefore has a fixed number of such
/// functions, each with its own set of names. A set exists until the process ends.
@safe struct ShadowNames {
  typealias Function = @convention(c) (UnsafePointer<CChar>?) -> Int32

  let function: Function

  private static let limit = 8
  private static let taken = Locked<[Set<String>]>([])

  /// Creates the shadow names of a module; nil if there are none.
  init?(_ names: Set<String>) throws {
    guard !names.isEmpty else { return nil }
    for name in names { try refuseNUL(in: name, "The name of a shadow table") }
    let names = Set(names.map { $0.lowercased() })
    let index = Self.taken.withLock { taken in
      if let index = taken.firstIndex(of: names) { return index }
      guard taken.count < Self.limit else { return -1 }
      taken.append(names)
      return taken.count - 1
    }
    guard index >= 0 else {
      throw SQLiteError(
        .full, "A process can have at most \(Self.limit) sets of shadow table names")
    }
    unsafe function = Self.functions[index]
  }

  private static let functions: [Function] = unsafe [
    { unsafe contains(0, $0) }, { unsafe contains(1, $0) }, { unsafe contains(2, $0) },
    { unsafe contains(3, $0) }, { unsafe contains(4, $0) }, { unsafe contains(5, $0) },
    { unsafe contains(6, $0) }, { unsafe contains(7, $0) },
  ]

  private static func contains(_ index: Int, _ name: UnsafePointer<CChar>?) -> Int32 {
    guard let name = unsafe name else { return 0 }
    let text = unsafe String(cString: name).lowercased()
    return taken.withLock { $0[index].contains(text) } ? 1 : 0
  }
}
