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
    defer { state.drainOutside() }
    expireStatements()
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
    defer { state.drainOutside() }
    expireStatements()
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
    defer { state.drainOutside() }
    expireStatements()
    var kept = unsafe (names + ArrayModule.names).map { unsafe sluice_message($0) }
    defer { for index in unsafe kept.indices { unsafe sqlite3_free(kept[index]) } }
    guard unsafe !kept.contains(where: { unsafe $0 == nil }) else {
      throw SQLiteError(.noMemory, "No memory for the names of modules")
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
