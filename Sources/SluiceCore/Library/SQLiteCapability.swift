import CSluice

/// Something that some builds of SQLite can do, and others cannot.
///
/// ``SQLiteLibrary/has(_:)`` tells whether the one that the program is linked with can. Calling what is
/// missing throws ``ResultCode/notFound``, and the message says which build brings it.
public enum SQLiteCapability: Hashable, Sendable, CaseIterable {
  /// The columns of tables from which those of a result come: ``Statement/columnOrigins``.
  case columnMetadata
  /// Database files that are encrypted: ``Configuration/encryptionKey``.
  case encryption
  /// The place in the SQL at which an error lies: ``SQLiteError/offset``, which is nil without it.
  case errorOffset
  /// The question whether a connection has been interrupted: ``Connection/isInterrupted``.
  case interruptState
  /// Extensions that are loaded from a shared library.
  case loadableExtensions
  /// SQL without the values that stand in it: ``Statement/normalizedSQL``.
  case normalizedSQL
  /// A hook that is told of each row before it is changed.
  case preUpdateHook
  /// How often each loop of a statement ran: ``Statement/scanStatus``.
  case scanStatus
  /// Databases as bytes.
  case serialization
  /// Changes that are recorded, to be applied elsewhere.
  case sessions
  /// States of a database with a WAL to which a reader can go back.
  case snapshots
  /// Being told when another connection with the same shared cache gives up its lock.
  case unlockNotify

  /// The table `dbstat`, which tells where the space of a file goes.
  case dbstat
  /// Full-text search, as it was before FTS5.
  case fts4
  /// Full-text search.
  case fts5
  /// Polygons in indexes: the module `geopoly`.
  case geopoly
  /// Functions for JSON.
  case json
  /// Functions such as `sin` and `ln`.
  case mathFunctions
  /// Ranges in several dimensions in indexes: the module `rtree`.
  case rtree
}

extension SQLiteCapability {
  /// Whether the linked SQLite has it.
  var isThere: Bool {
    switch self {
    case .columnMetadata: sluice_has_column_metadata() != 0
    case .encryption: sluice_has_encryption() != 0
    case .errorOffset: sluice_has_error_offset() != 0
    case .interruptState: sluice_has_interrupt_state() != 0
    case .loadableExtensions: sluice_has_loadable_extensions() != 0
    case .normalizedSQL: sluice_has_normalized_sql() != 0
    case .preUpdateHook: sluice_has_pre_update_hook() != 0
    case .scanStatus: sluice_has_scan_status() != 0
    case .serialization: sluice_has_serialization() != 0
    case .sessions: sluice_has_sessions() != 0
    case .snapshots: sluice_has_snapshots() != 0
    case .unlockNotify: sluice_has_unlock_notify() != 0
    case .dbstat: BuiltIn.modules.contains("dbstat")
    case .fts4: BuiltIn.modules.contains("fts4")
    case .fts5: BuiltIn.modules.contains("fts5")
    case .geopoly: BuiltIn.modules.contains("geopoly")
    case .json: BuiltIn.functions.contains("json")
    case .mathFunctions: BuiltIn.functions.contains("ln")
    case .rtree: BuiltIn.modules.contains("rtree")
    }
  }

  /// The build that brings it.
  fileprivate var build: String {
    switch self {
    case .columnMetadata: "SQLITE_ENABLE_COLUMN_METADATA"
    case .encryption: "encryption, such as SQLCipher"
    case .errorOffset: "version 3.38 or later"
    case .interruptState: "version 3.41 or later"
    case .loadableExtensions: "no SQLITE_OMIT_LOAD_EXTENSION"
    case .normalizedSQL: "SQLITE_ENABLE_NORMALIZE"
    case .preUpdateHook: "SQLITE_ENABLE_PREUPDATE_HOOK"
    case .scanStatus: "SQLITE_ENABLE_STMT_SCANSTATUS"
    case .serialization: "no SQLITE_OMIT_DESERIALIZE"
    case .sessions: "SQLITE_ENABLE_SESSION and SQLITE_ENABLE_PREUPDATE_HOOK"
    case .snapshots: "SQLITE_ENABLE_SNAPSHOT"
    case .unlockNotify: "SQLITE_ENABLE_UNLOCK_NOTIFY"
    case .dbstat: "SQLITE_ENABLE_DBSTAT_VTAB"
    case .fts4: "SQLITE_ENABLE_FTS4"
    case .fts5: "SQLITE_ENABLE_FTS5"
    case .geopoly: "SQLITE_ENABLE_GEOPOLY"
    case .json: "version 3.38 or later"
    case .mathFunctions: "SQLITE_ENABLE_MATH_FUNCTIONS"
    case .rtree: "SQLITE_ENABLE_RTREE"
    }
  }
}

/// The setting with which each connection begins.
private enum BuiltIn {
  static let modules = names(in: "pragma_module_list")
  static let functions = names(in: "pragma_function_list")

  private static func names(in table: String) -> Set<String> {
    // Where no connection can be opened, none can use a module.
    let connection = try? Connection(configuration: .sqliteDefaults)
    let names = try? connection?.query(.column(.string), sql: "SELECT name FROM \(table)")
    return Set(names ?? [])
  }
}

extension SQLiteLibrary {
  /// Whether the linked SQLite has `capability`.
  ///
  /// ```swift
  /// if SQLiteLibrary.has(.fts5) {
  ///   try connection.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(text)")
  /// }
  /// ```
  public static func has(_ capability: SQLiteCapability) -> Bool { capability.isThere }

  /// Throws ``ResultCode/notFound`` if the linked SQLite does not have `capability`, with a message that
  /// says which build does.
  ///
  /// What needs a capability does this by itself. A program that cannot do without one can do it when
  /// it starts.
  public static func require(_ capability: SQLiteCapability) throws {
    guard !has(capability) else { return }
    throw SQLiteError(
      .notFound,
      "The linked SQLite \(version) lacks \(capability); it needs a build with \(capability.build)")
  }
}
