import CSluice

extension Connection {
  /// Lets SQL use tables that `make` makes, of a module called `name`.
  ///
  /// ```swift
  /// try connection.addModule("csv") { try CSVTable($0) }
  /// try connection.execute(sql: "CREATE VIRTUAL TABLE city USING csv(filename='city.csv')")
  /// ```
  ///
  /// A table is made when it is created, and again whenever SQLite connects it: after the database has
  /// been opened, and after the schema has changed. Then `make` can read the database, but not write.
  /// What it throws ends the statement.
  ///
  /// A module of the same name is replaced: tables that are connected stay what they are, and so do
  /// statements that are compiled. It throws ``ResultCode/busy`` while a statement is compiled or a
  /// table made.
  ///
  /// `shadowNames` says which tables hold the data of a virtual table `t`: with `["data"]` it is
  /// `t_data`, which SQL cannot change on a connection that is defensive. A process can have eight such
  /// sets of names.
  ///
  /// The connection keeps `make` until the module is replaced or removed and its tables are gone, or
  /// the connection closes. So if `make` refers to the connection, neither is released before
  /// ``close()``.
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
    if name.lowercased() == "fts5" { hasLostFTS5 = true }
    // SQLite lets go of the box even if it refuses the module.
    try check(
      unsafe sqlite3_create_module_v2(
        handle, name,
        UnsafeMutableRawPointer(box.functions).assumingMemoryBound(to: sqlite3_module.self),
        box.retained(), releaseBox))
    unsafe disconnectTables(of: handle)
  }

  /// Takes a module back: no table of it can be created or connected any more.
  ///
  /// Tables that are connected stay until SQLite disconnects them. It throws ``ResultCode/busy`` while a
  /// statement is compiled or a table made.
  public func removeModule(_ name: String) throws {
    try refuseNUL(in: name, "The name of the module")
    let handle = try unsafe handle()
    try refuseChangesOfModules()
    defer { state.settle() }
    evictStatements()
    if name.lowercased() == "fts5" { hasLostFTS5 = true }
    try check(unsafe sqlite3_create_module_v2(handle, name, nil, nil, nil))
    unsafe disconnectTables(of: handle)
  }

  /// Takes all modules back but some: also those that SQLite brings along, such as `fts5`.
  ///
  /// Names have to be written as they were when the module was added. `array` stays in any case. Without `fts5`,
  /// tokenizers and full-text functions can no longer be added: that throws ``ResultCode/notFound``.
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
    if !names.contains("fts5") { hasLostFTS5 = true }
    unsafe kept.append(nil)
    var pointers = unsafe kept.map { unsafe UnsafePointer<CChar>($0) }
    try check(unsafe sqlite3_drop_modules(handle, &pointers))
    unsafe disconnectTables(of: handle)
  }

  /// Sees to it that SQL knows a function of this name, so that virtual tables can say what it does for
  /// their columns.
  ///
  /// For all else it throws.
  ///
  /// The corresponding C function is `sqlite3_overload_function`.
  public func addOverloadableFunction(_ name: String, arity: Int) throws {
    let arity = try Self.arity(arity, of: name)
    try refuseChangesOfFunctions()
    try check(unsafe sqlite3_overload_function(handle(), name, arity))
  }

  /// Lets SQLite disconnect the tables that a module had by its name, which it does when it compiles.
  private func disconnectTables(of handle: OpaquePointer) {
    state.calling { _ = unsafe sqlite3_exec(handle, " ", nil, nil, nil) }
  }

  /// Refuses to change modules while SQLite refers to what would go with them.
  private func refuseChangesOfModules() throws {
    try state.require(.use)
    try state.require(.changeModules)
  }
}

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
      throw SQLiteError(.notFound, "usesAllSchemas needs SQLite 3.41 or later")
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

/// The names of the tables that a module keeps its data in, behind the name of the virtual table.
///
/// SQLite asks for them by a function that is told nothing of the module. So there are some of these,
/// each with its names, which stay for ever.
@safe struct ShadowNames {
  typealias Function = @convention(c) (UnsafePointer<CChar>?) -> Int32

  let function: Function

  private static let limit = 8
  private static let taken = Locked<[Set<String>]>([])

  /// Those of a module; nil if it has none.
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
