/// The settings that a connection opens with.
///
/// A new configuration enforces foreign keys, waits up to five seconds for locks, and treats a misspelled name in
/// double quotes as an error, not as a string. The schema may call the functions of SQLite, and those of your
/// functions that have an option for this: see ``FunctionOptions``. A nil setting keeps the default of the linked
/// SQLite; ``sqliteDefaults`` keeps all defaults.
public struct Configuration: Hashable, Sendable {
  /// Whether foreign keys are enforced.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_FKEY`.
  public var foreignKeys: Bool? = true

  /// The time to wait for a lock of another connection before ``ResultCode/busy`` is thrown.
  ///
  /// The corresponding C function is `sqlite3_busy_timeout`, which counts milliseconds.
  public var busyTimeout: Duration? = .seconds(5)

  /// Whether the schema may use the functions and virtual tables of SQLite.
  ///
  /// The schema is everything that a file brings with it: views, triggers, indexes, CHECK constraints, generated
  /// columns and defaults. Regardless of this setting, the schema can use only those functions and virtual tables
  /// of the program that are ``FunctionOptions/innocuous`` or ``FunctionOptions/usableInSchema``.
  ///
  /// An untrusted schema can use only innocuous functions and virtual tables. In SQLite 3.40, neither JSON
  /// functions nor the tables of FTS5, FTS4 and R*Tree are innocuous; they may be in newer versions. A file that
  /// needs them then throws ``ResultCode/authorization``.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_TRUSTED_SCHEMA`.
  public var trustedSchema: Bool? = true

  /// Whether an unknown name in double quotes is treated as a string.
  ///
  /// The corresponding C values are `SQLITE_DBCONFIG_DQS_DML` and `SQLITE_DBCONFIG_DQS_DDL`.
  public var doubleQuotedStrings: Bool? = false

  /// Whether SQL may call `fts3_tokenizer`.
  ///
  /// The function accepts and returns memory addresses, so anyone who can write SQL can then run any code.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER`.
  public var fts3Tokenizer: Bool? = false

  /// Whether a connection is read-only, regardless of how it is opened.
  ///
  /// The corresponding C value is `SQLITE_OPEN_READONLY`.
  public var readOnly = false

  /// Whether the connection is confined to its file; see ``untrusted``.
  ///
  /// SQL can then neither attach files nor turn this setting off. Virtual tables in the file can be those of FTS3
  /// to FTS5, R*Tree and geopoly; any other throws ``ResultCode/authorization`` or ``ResultCode/error`` when it
  /// is used. Modules in Swift are only for tables of the schema `temp`, and for use by the name of the module.
  public var isConfined = false

  /// The limits of the connection, where they are lower than those of the linked SQLite.
  ///
  /// A number that is out of range becomes the nearest valid one.
  ///
  /// The corresponding C function is `sqlite3_limit`.
  public var limits: [ConnectionLimit: Int] = [:]

  /// The key of an encrypted database, existing or new; nil for an unencrypted one.
  ///
  /// Opening throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/encryption``,
  /// and ``ResultCode/notADatabase`` if the file has another key or other ``CipherSettings``, or is not encrypted.
  ///
  /// The corresponding C function is `sqlite3_key`.
  public var encryptionKey: EncryptionKey?

  /// The journal mode; nil keeps the mode of the database file.
  ///
  /// Opening throws if the database cannot have the mode. For example, an in-memory database has no WAL.
  ///
  /// The corresponding SQL is `PRAGMA journal_mode`.
  public var journalMode: JournalMode?

  /// The synchronous mode; nil keeps the default of the linked SQLite.
  ///
  /// The mode determines how often SQLite waits for data to reach the disk. With a WAL,
  /// ``SynchronousMode/normal`` is the usual choice: a power failure then loses at most the latest commits, and
  /// never damages the database.
  ///
  /// The corresponding SQL is `PRAGMA synchronous`.
  public var synchronous: SynchronousMode?

  /// The page size of a new database in bytes; nil leaves the choice to SQLite.
  ///
  /// The size is a power of two from 512 to 65,536. A database that has been written keeps its page size, and
  /// opens without an error; ``Connection/vacuum(database:pageSize:autoVacuum:)`` changes the size.
  ///
  /// Opening throws ``ResultCode/range`` for a number that cannot be a page size. It throws ``ResultCode/misuse``
  /// if a new database does not accept the size, or if there is an ``encryptionKey``: the page size of an
  /// encrypted database is one of the ``CipherSettings``.
  ///
  /// The corresponding SQL is `PRAGMA page_size`.
  public var pageSize: Int?

  /// Further pragmas that each connection runs in order when it opens, including the readers of a pool.
  ///
  /// See ``Pragmas``.
  public var pragmas: Pragmas = [:]

  /// The name of the file system that accesses the database; nil for the default one.
  ///
  /// Opening throws ``ResultCode/error`` if there is no file system with this name. See
  /// ``SQLiteLibrary/addFileSystem(_:_:isDefault:)``.
  ///
  /// The corresponding C value is `zVfs`, an argument of `sqlite3_open_v2`.
  public var fileSystem: String?

  /// The threading mode, which determines whether SQLite guards the connection with a mutex.
  ///
  /// A mutex is not needed, because the compiler ensures that only one thread at a time uses a connection. Nil
  /// keeps the default of the linked SQLite, except for a connection that a queue owns, which is never guarded
  /// twice.
  public var threadingMode: ThreadingMode? = .multiThread

  var monitorBox: MonitorBox?

  /// The closures that prepare each connection, in order.
  var preparations: [Preparation] = []

  /// An object that lives as long as this configuration and its connections, such as a file system.
  package var retainedResource: ClientState?

  /// State that a module above the engine keeps with the configuration.
  package var clientState: ClientState?

  /// The number of prepared statements that a connection caches for repeated SQL; 0 for none.
  ///
  /// See ``Connection/statementCacheStatistics``.
  public var statementCacheSize = 128

  /// Whether ``Connection/close()`` updates the statistics for the query planner when this is worthwhile.
  ///
  /// The corresponding SQL is `PRAGMA optimize`.
  public var optimizesOnClose = true

  /// Whether closing the connection deletes the database file and all files that belong to it.
  ///
  /// Use this setting for files that serve one purpose and are not to be kept. Nothing is deleted if closing
  /// fails, if the connection is read-only, if the file is not a database, or if the database is in memory. A
  /// link is followed: the link stays, and its target is deleted. The file of a ``ConnectionQueue`` is deleted
  /// with the queue; a ``ConnectionReadQueue`` deletes nothing.
  ///
  /// The corresponding C function is the `xDelete` of the `sqlite3_vfs`.
  public var deletesFileOnClose = false

  /// Creates a configuration with the safe settings.
  public init() {}

  /// A configuration with the default settings of the linked SQLite.
  public static var sqliteDefaults: Configuration {
    var configuration = Configuration()
    configuration.foreignKeys = nil
    configuration.busyTimeout = nil
    configuration.trustedSchema = nil
    configuration.doubleQuotedStrings = nil
    configuration.fts3Tokenizer = nil
    configuration.threadingMode = nil
    configuration.optimizesOnClose = false
    return configuration
  }

  /// A journal mode: how SQLite makes transactions durable, and undoes unfinished ones.
  ///
  /// The corresponding SQL is `PRAGMA journal_mode`.
  public enum JournalMode: String, Hashable, Sendable, CaseIterable {
    /// A journal file that is deleted at each commit, which is SQLite's default.
    case delete
    /// A journal file that is emptied at each commit.
    case truncate
    /// A journal file that is overwritten at each commit.
    case persist
    /// A journal in memory: a crash in the middle of a commit damages the database.
    case memory
    /// A write-ahead log: readers and a writer do not wait for each other.
    case wal
    /// No journal: nothing can be rolled back, and a crash damages the database.
    case off
  }

  /// A threading mode: whether a mutex guards each call.
  public enum ThreadingMode: Hashable, Sendable {
    /// SQLite locks a mutex, so two threads are never inside the connection at the same time.
    ///
    /// The corresponding C value is `SQLITE_OPEN_FULLMUTEX`.
    case serialized
    /// SQLite does not lock a mutex, which is faster where something else keeps threads apart.
    ///
    /// The corresponding C value is `SQLITE_OPEN_NOMUTEX`.
    case multiThread
  }
}

/// A closure that sets up a connection, compared by identity.
final class Preparation: Sendable, Hashable {
  let body: @Sendable (Connection) throws -> Void

  init(_ body: @escaping @Sendable (Connection) throws -> Void) { self.body = body }

  static func == (first: Preparation, second: Preparation) -> Bool { first === second }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Configuration {
  /// Adds a closure that sets up each connection with this configuration, before its first use.
  ///
  /// ```swift
  /// var configuration = Configuration()
  /// configuration.prepareConnection { connection in
  ///   try connection.addFunction("initial") { (name: String) in String(name.prefix(1)) }
  ///   try connection.addCollation("backwards") { (a: String, b: String) in SQLOrder(b, a) }
  /// }
  /// let pool = try ConnectionPool(path: "app.db", configuration: configuration)
  /// ```
  ///
  /// Use this method to add functions, collations, modules and hooks to all connections of a ``ConnectionPool``,
  /// including those that it opens later, and to the ``ConnectionReadQueue`` of a queue. Several closures are
  /// called in the order in which they were added. If a closure throws, the connection does not open.
  ///
  /// The closure runs on the thread that opens the connection, after all other settings have been applied.
  /// Read-only connections are prepared as well. The closure has exclusive access to the connection: calling the
  /// pool that opens it throws ``ResultCode/misuse``. A pool may open several connections at once, and then calls
  /// the closure for each on a separate thread.
  public mutating func prepareConnection(
    _ body: @escaping @Sendable (_ connection: Connection) throws -> Void
  ) {
    preparations.append(Preparation(body))
  }
}

extension Configuration {
  /// A configuration for a file from an untrusted source: an upload, an attachment, a download.
  ///
  /// ```swift
  /// let upload = try Connection(path: path, configuration: .untrusted)
  /// let problems = try upload.integrityProblems(isQuick: true)
  /// ```
  ///
  /// The connection is read-only, and the schema of the file is not trusted. The schema calls only functions that
  /// are ``FunctionOptions/innocuous``; a statement throws ``ResultCode/authorization`` for any other. The only
  /// virtual tables are those of SQLite that are confined to the file: see ``isConfined``. ``limits`` restrict
  /// the size and complexity of SQL and values. A program that writes such files sets ``readOnly`` to false.
  ///
  /// Time is not limited, and a view may never end. Read with a deadline, as a ``ConnectionReadQueue`` has, or
  /// see ``Connection/onProgress(every:_:)``.
  public static var untrusted: Configuration {
    var configuration = Configuration()
    configuration.readOnly = true
    configuration.isConfined = true
    configuration.trustedSchema = false
    configuration.optimizesOnClose = false
    configuration.limits = [
      .length: 100_000_000, .sqlLength: 1_000_000, .expressionDepth: 100, .compoundSelects: 50,
      .operations: 100_000, .attachedDatabases: 0, .likePatternLength: 1000, .triggerDepth: 10,
      .workerThreads: 0,
    ]
    return configuration
  }
}

/// State that a module above the engine keeps with a connection.
package struct ClientState: Hashable, Sendable {
  package let object: any AnyObject & Sendable

  package init(_ object: any AnyObject & Sendable) { self.object = object }

  package static func == (first: ClientState, second: ClientState) -> Bool {
    first.object === second.object
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}
