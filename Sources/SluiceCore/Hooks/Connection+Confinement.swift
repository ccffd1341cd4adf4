import CSluice

extension Configuration {
  /// Modules of SQLite whose virtual tables store all their data in the database file.
  ///
  /// A confined connection uses only those that the program names; see ``Configuration/storedModules``.
  public enum StoredModule: Hashable, Sendable, CaseIterable {
    /// The full-text modules `fts3` and `fts4`, and `fts4aux`.
    case fts4
    /// The full-text module `fts5`, and `fts5vocab`.
    case fts5
    /// The modules `rtree` and `rtree_i32` of R*Tree indexes.
    case rtree
    /// The module `geopoly` of polygons.
    case geopoly

    fileprivate var names: [String] {
      switch self {
      case .fts4: ["fts3", "fts4", "fts4aux"]
      case .fts5: ["fts5", "fts5vocab"]
      case .rtree: ["rtree", "rtree_i32"]
      case .geopoly: ["geopoly"]
      }
    }
  }
}

/// Confines a connection to its file.
extension Connection {
  func confine(allowing modules: Set<Configuration.StoredModule>) throws {
    try setOption(.defensive, true)
    try setOption(.loadableExtensions, false)
    // If another program truncates a mapped file, reading the file terminates this process.
    try execute(sql: "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    try removeModules(keeping: Confinement.modules + modules.flatMap(\.names))
    try authorize { Confinement.decide($0.action) }
  }

  /// Calls `prepare`, and then reads the schema of a confined connection for the first time.
  ///
  /// Reading and releasing the schema needs stack in proportion to the length of its statements, so another thread does both.
  /// If the connection cannot use the schema, that thread calls `undo`.
  func readSchema(preparing prepare: () throws -> Void = {}, orElse undo: () throws -> Void) throws
  {
    let usual = try limit(.sqlLength)
    let longest = min(usual, Confinement.longestStatement)
    unsafe sqlite3_limit(try handle(), SQLITE_LIMIT_SQL_LENGTH, Int32(longest))
    // Without a handle, `undo` has closed the connection.
    defer {
      if let handle = unsafe rawHandle {
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, Int32(usual))
      }
    }
    try LargeStack.call(bytes: Confinement.stack(forStatementOf: longest)) {
      try state.onOtherThread {
        do {
          try prepare()
          try refuseDeepSchema()
        } catch {
          try undo()
          throw error
        }
      }
    }
  }

  /// Throws if compiling a statement that uses the schema could need more stack than a thread has.
  private func refuseDeepSchema() throws {
    var schema = SchemaStack(
      expressionDepth: try limit(.expressionDepth), includesChanges: !configuration.readOnly)
    let handle = try unsafe handle()
    try unsafe RawQuery.run("SELECT sql FROM sqlite_schema", on: handle) { row in
      unsafe schema.add(RawQuery.text(row, 0))
    }
    guard let (object, bytes) = schema.deepest, bytes > Confinement.stack else { return }
    throw SQLiteError(
      .tooBig,
      "\(object) nests so deeply that statements could overflow the stack of a thread; an untrusted file must not"
    )
  }

  /// Calls `body`, which follows the pages of a database, on a thread with enough stack for a chain of all of them.
  func withStackForPages<T>(of database: String, _ body: () throws -> T) throws -> T {
    guard state.calls.depth == 0,
      case .integer(let pages)? = try pragmaAnswer("\(prefix(of: database))page_count"),
      pages > Confinement.stack / Confinement.stackPerPage
    else { return try body() }
    let stack = min(Int(pages), Confinement.mostPages) * Confinement.stackPerPage
    return try LargeStack.call(bytes: stack) { try state.onOtherThread(body) }
  }
}

private enum Confinement {
  #if BundledSQLite && DEBUG
    /// A debug build does not optimize the SQLite that it compiles, whose functions then need up to 2.1 times the stack.
    private static let stackFactor = 2
  #else
    private static let stackFactor = 1
  #endif
  /// The bytes of stack that the estimate for statements on an untrusted file can reach.
  ///
  /// An optimized SQLite then leaves half of what each thread has on Apple's platforms.
  static let stack = (256 << 10) / stackFactor
  /// The bytes of stack for each page in a chain of pages, which needs up to 260, also if SQLite is not optimized.
  static let stackPerPage = 512
  /// The number of pages in the longest chain that there is enough stack for.
  static let mostPages = 2 << 20
  /// The maximum length of a statement of the schema in bytes.
  static let longestStatement = 8_000_000

  /// The bytes of stack for reading a statement of the schema, which needs up to 19 for each byte of the statement.
  static func stack(forStatementOf length: Int) -> Int {
    (256 << 10) + 32 * stackFactor * length
  }

  /// The modules that SQL can use without a virtual table in the file, and that show only data of their own database.
  static let modules = ["dbstat", "json_each", "json_tree"]
  /// The functions that access memory or files outside the database; some exist only in extended builds of SQLite.
  static let functions: Set = ["edit", "fts3_tokenizer", "load_extension", "readfile", "writefile"]
  static let settings: Set = [
    "cell_size_check", "data_store_directory", "mmap_size", "temp_store_directory",
    "trusted_schema", "writable_schema",
  ]

  static func decide(_ action: AuthorizedAction) -> Authorization {
    switch action {
    case .attach, .detach, .other: .deny
    case .function(let name): functions.contains(name.lowercased()) ? .deny : .allow
    case .pragma(let name, _?): settings.contains(name.lowercased()) ? .deny : .allow
    default: .allow
    }
  }
}
