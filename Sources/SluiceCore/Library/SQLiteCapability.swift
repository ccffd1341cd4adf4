import CSluice

/// A feature that only some builds of SQLite have.
///
/// ``SQLiteLibrary/has(_:)`` returns whether the linked SQLite has a feature. A call that needs a missing feature
/// throws ``ResultCode/notFound``, with a message that names the build option or version that provides it.
public enum SQLiteCapability: Hashable, Sendable, CaseIterable {
  /// The table columns that the columns of a result come from: ``Statement/columnOrigins``.
  case columnMetadata
  /// Encrypted database files: ``Configuration/encryptionKey``.
  case encryption
  /// The position of an error in the SQL: ``SQLiteError/offset``, which is nil without this feature.
  case errorOffset
  /// A check of whether a connection has been interrupted: ``Connection/isInterrupted``.
  case interruptState
  /// Extensions that are loaded from a shared library.
  case loadableExtensions
  /// SQL without its literal values: ``Statement/normalizedSQL``.
  case normalizedSQL
  /// A hook that reports each row before it changes.
  case preUpdateHook
  /// The number of times that each loop of a statement ran: ``Statement/scanStatus``.
  case scanStatus
  /// Databases that are serialized as bytes.
  case serialization
  /// Recorded changes, which can be applied elsewhere.
  case sessions
  /// Snapshots, with which a reader can return to an earlier state of a WAL database.
  case snapshots
  /// A notification when another connection with the same shared cache releases its lock.
  case unlockNotify

  /// The table `dbstat`, which reports how the space in a file is used.
  case dbstat
  /// Full-text search with FTS4, the predecessor of FTS5.
  case fts4
  /// Full-text search with FTS5.
  case fts5
  /// Indexes of polygons: the module `geopoly`.
  case geopoly
  /// JSON functions.
  case json
  /// JSONB, the binary form of JSON: the function `jsonb` and related functions.
  case jsonb
  /// Mathematical functions, such as `sin` and `ln`.
  case mathFunctions
  /// Indexes of ranges in several dimensions: the module `rtree`.
  case rtree
}

extension SQLiteCapability {
  /// Whether the linked SQLite has the feature.
  var isThere: Bool {
    switch self {
    case .columnMetadata: sluice_has_column_metadata() != 0
    case .encryption: sluice_has_encryption() != 0 && BuiltIn.encrypts
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
    case .jsonb: BuiltIn.functions.contains("jsonb")
    case .mathFunctions: BuiltIn.functions.contains("ln")
    case .rtree: BuiltIn.modules.contains("rtree")
    }
  }

  /// The build option or version of SQLite that provides the feature.
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
    case .jsonb: "version 3.45 or later"
    case .mathFunctions: "SQLITE_ENABLE_MATH_FUNCTIONS"
    case .rtree: "SQLITE_ENABLE_RTREE"
    }
  }
}

/// The modules, functions and encryption of every new connection.
private enum BuiltIn {
  static let modules = Set(texts("SELECT name FROM pragma_module_list"))
  static let functions = Set(texts("SELECT name FROM pragma_function_list"))

  /// Whether there is a cipher: the function `sqlite3_key` of Apple's SQLite does nothing.
  static let encrypts: Bool =
    SQLiteLibrary.isBuilt(with: "HAS_CODEC")
    || ["cipher_version", "cipher"].contains { !texts("PRAGMA \($0)").isEmpty }

  /// Returns the first column of a query; empty if no connection can be opened, because no connection can then use
  /// anything.
  private static func texts(_ sql: String) -> [String] {
    var handle: OpaquePointer?
    defer { unsafe sqlite3_close(handle) }
    var texts: [String] = []
    do {
      try SQLiteLibrary.start()
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
      guard unsafe sqlite3_open_v2(":memory:", &handle, flags, nil) == SQLITE_OK,
        let handle = unsafe handle
      else { return [] }
      try unsafe RawQuery.run(sql, on: handle) { texts.append(unsafe RawQuery.text($0, 0)) }
    } catch { return [] }
    return texts
  }
}

extension SQLiteLibrary {
  /// Returns whether the linked SQLite has `capability`.
  ///
  /// ```swift
  /// if SQLiteLibrary.has(.fts5) {
  ///   try connection.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(text)")
  /// }
  /// ```
  public static func has(_ capability: SQLiteCapability) -> Bool { capability.isThere }

  /// Throws ``ResultCode/notFound`` if the linked SQLite does not have `capability`.
  ///
  /// The message names the build that provides the capability. Calls that need a capability perform this check
  /// automatically. A program that requires a capability can perform the check when the program starts.
  public static func require(_ capability: SQLiteCapability) throws {
    guard !has(capability) else { return }
    throw SQLiteError(
      .notFound,
      "The linked SQLite \(version) lacks \(capability); it needs a build with \(capability.build)")
  }
}
