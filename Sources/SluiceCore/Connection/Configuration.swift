/// The settings that a connection opens with.
///
/// A new configuration enforces foreign keys, and waits up to five seconds for locks. It treats a misspelled name
/// in double quotes as an error, not as a string. The schema may call SQLite's functions, and those of your
/// functions whose ``FunctionOptions`` allow it. A nil setting keeps the default of the linked SQLite;
/// ``sqliteDefaults`` keeps all defaults.
public struct Configuration: Hashable, Sendable {
  /// Whether foreign keys are enforced.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_FKEY`.
  public var foreignKeys: Bool? = true

  /// The time to wait for another connection's lock before a call throws ``ResultCode/busy``.
  ///
  /// The corresponding C function is `sqlite3_busy_timeout`, which counts milliseconds.
  public var busyTimeout: Duration? = .seconds(5)

  /// Whether the schema may use SQLite's functions and virtual tables.
  ///
  /// The schema includes all SQL stored in the file: views, triggers, indexes, CHECK constraints, generated columns
  /// and defaults. Regardless of this setting, the schema can use the program's own functions and virtual tables
  /// only if they are ``FunctionOptions/innocuous`` or ``FunctionOptions/usableInSchema``.
  ///
  /// An untrusted schema can use only innocuous functions and virtual tables. In SQLite 3.40, JSON functions and
  /// FTS5, FTS4 and R*Tree tables are not innocuous; in newer versions, they may be. If they are not, SQL that uses
  /// them through an untrusted schema throws ``ResultCode/authorization``.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_TRUSTED_SCHEMA`.
  public var trustedSchema: Bool? = true

  /// Whether an unknown name in double quotes is treated as a string.
  ///
  /// The corresponding C values are `SQLITE_DBCONFIG_DQS_DML` and `SQLITE_DBCONFIG_DQS_DDL`.
  public var doubleQuotedStrings: Bool? = false

  /// Whether SQL may call `fts3_tokenizer`.
  ///
  /// The function accepts and returns memory addresses. If SQL may call it, anyone who can write SQL can run any
  /// code.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER`.
  public var fts3Tokenizer: Bool? = false

  /// Whether a connection is read-only, regardless of how it is opened.
  ///
  /// The corresponding C value is `SQLITE_OPEN_READONLY`.
  public var readOnly = false

  /// Whether the connection is confined to its file; see ``untrusted``.
  ///
  /// On a confined connection, SQL can neither attach files nor turn this setting off. Virtual tables in the file
  /// can use only the modules in ``storedModules``; any other virtual table throws
  /// ``ResultCode/authorization`` or ``ResultCode/error`` when it is used. Modules in Swift can be used only for
  /// tables in the schema `temp`, or directly by the module's name.
  ///
  /// Opening a confined connection reads the schema, and so waits for locks and throws for damage where another connection
  /// would do so later. It throws ``ResultCode/tooBig`` if the schema nests so deeply that using it could overflow the
  /// stack of a thread.
  public var isConfined = false

  /// The modules that SQL can use for virtual tables if ``isConfined`` is true.
  ///
  /// The others are removed before the connection reads the file, so SQLite's code for them never reads its content.
  public var storedModules: Set<StoredModule> = []

  /// Whether a connection without a queue or pool throws ``ResultCode/misuse`` if two threads use it at the same
  /// time.
  ///
  /// Only the Swift 5 language mode lets threads share such a connection, which would damage its state.
  public var excludesThreads = true

  /// The connection's limits, where they are lower than those of the linked SQLite.
  ///
  /// A number that is out of range is replaced by the nearest valid number.
  ///
  /// The corresponding C function is `sqlite3_limit`.
  public var limits: [ConnectionLimit: Int] = [:]

  /// The key of an existing or new encrypted database; nil for an unencrypted database.
  ///
  /// Opening throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/encryption``,
  /// and ``ResultCode/notADatabase`` if the file has another key or other ``CipherSettings``, or is not encrypted.
  ///
  /// The corresponding C function is `sqlite3_key`.
  public var encryptionKey: EncryptionKey?

  /// The journal mode; nil keeps the mode of the database file.
  ///
  /// Opening throws if the database does not support the mode. For example, an in-memory database cannot have a
  /// WAL.
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

  /// Whether checkpoints run automatically: in commits, in the background of a pool, and when a connection closes.
  ///
  /// Set this property to false if another program runs the checkpoints; see ``replicated``. The WAL then grows until
  /// that program runs one, and remains when the last connection closes. After a checkpoint, the first commit that
  /// restarts the WAL also truncates its file. ``Connection/checkpoint(_:database:)`` still runs a checkpoint.
  ///
  /// The corresponding SQL is `PRAGMA wal_autocheckpoint` and `PRAGMA journal_size_limit`, and the C value is
  /// `SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE`.
  public var checkpointsAutomatically = true

  /// The page size of a new database in bytes; nil leaves the choice to SQLite.
  ///
  /// The size is a power of two from 512 to 65,536. A database that already has pages keeps its page size, and
  /// opens without an error; ``Connection/vacuum(database:pageSize:autoVacuum:)`` can change the size.
  ///
  /// Opening throws ``ResultCode/range`` for an invalid page size. It throws ``ResultCode/misuse`` if a new
  /// database does not accept the size, or if there is an ``encryptionKey``: the page size of an encrypted database
  /// is part of its ``CipherSettings``.
  ///
  /// The corresponding SQL is `PRAGMA page_size`.
  public var pageSize: Int?

  /// Further pragmas that each connection, including each reader of a pool, runs in order when it opens.
  ///
  /// See ``Pragmas``.
  public var pragmas: Pragmas = [:]

  /// The name of the file system that accesses the database; nil for the default file system.
  ///
  /// Opening throws ``ResultCode/error`` if there is no file system with this name. See
  /// ``SQLiteLibrary/addFileSystem(_:_:isDefault:)``.
  ///
  /// The corresponding C value is `zVfs`, an argument of `sqlite3_open_v2`.
  public var fileSystem: String?

  /// The threading mode, which determines whether SQLite guards the connection with a mutex.
  ///
  /// A mutex is not needed, because the compiler ensures that only one thread at a time uses a connection. If the
  /// mode is nil, a connection that a queue owns has no mutex, and any other connection has the default mode of the
  /// linked SQLite.
  public var threadingMode: ThreadingMode? = .multiThread

  /// The preparation that reports each statement to the monitor; it comes before the others.
  var monitoring: Preparation?

  /// The closures that prepare each connection, in order.
  var preparations: [Preparation] = []

  /// An object that this configuration and its connections retain, such as a file system.
  package var retainedResource: ClientState?

  /// State that a higher-level module of Sluice stores with the configuration.
  package var clientState: ClientState?

  /// The number of prepared statements that a connection caches for repeated SQL; 0 for none.
  ///
  /// See ``Connection/statementCacheStatistics``.
  public var statementCacheSize = 128

  /// The largest number of prepared statements that a connection caches for live queries, beyond ``statementCacheSize``.
  ///
  /// They remain compiled until their queries end. If live queries use more statements, these are cached like any others.
  /// Each connection of a pool has statements of its own. A connection that caches no statements caches none for live
  /// queries.
  public var liveStatementCacheSize = 1_000

  /// Whether ``Connection/close()`` updates the statistics for the query planner when this is worthwhile.
  ///
  /// The corresponding SQL is `PRAGMA optimize`.
  public var optimizesOnClose = true

  /// Whether closing the connection deletes the database file and all files that belong to it.
  ///
  /// Use this setting for files that are no longer needed after the connection closes. Nothing is deleted if
  /// closing fails, if the connection is read-only, if the file is not a database, or if the database is in memory.
  /// If the path is a link, its target is deleted, and the link remains. A ``ConnectionQueue`` deletes the file
  /// when its connection closes; a ``ConnectionReadQueue`` deletes nothing.
  ///
  /// The corresponding C function is the `xDelete` of the `sqlite3_vfs`.
  public var deletesFileOnClose = false

  /// Creates a configuration with safe settings.
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

  /// A journal mode, which determines how SQLite makes transactions durable, and undoes unfinished ones.
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
    /// SQLite does not lock a mutex, which is faster if something else ensures that one thread at a time uses the
    /// connection.
    ///
    /// The corresponding C value is `SQLITE_OPEN_NOMUTEX`.
    case multiThread
  }
}

/// A closure that sets up a connection, compared by identity.
final class Preparation: Sendable, Hashable {
  let body: @Sendable (Connection) throws -> Void
  /// The object for which the closure prepares connections; nil for a closure of the program.
  let purpose: (any Sendable)?

  init(
    for purpose: (any Sendable)? = nil, _ body: @escaping @Sendable (Connection) throws -> Void
  ) {
    self.purpose = purpose
    self.body = body
  }

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
  /// including those that it opens later. The closure also prepares the connection of a ``ConnectionReadQueue`` that
  /// is created for a queue with this configuration. If there are several closures, they are called in the order in
  /// which they were added. If a closure throws, the connection does not open.
  ///
  /// The closure runs on the thread that opens the connection, after all other settings have been applied. The
  /// closure also prepares read-only connections. It has exclusive access to the connection: if it calls the pool
  /// that opens the connection, the call throws ``ResultCode/misuse``. A pool that opens several connections at
  /// once calls the closure for each connection on a separate thread.
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
  /// The connection is read-only, and the schema of the file is not trusted. The schema can call only functions
  /// that are ``FunctionOptions/innocuous``; for any other function, a statement throws
  /// ``ResultCode/authorization``. The file cannot use virtual tables: see ``untrusted(allowing:)``. ``limits``
  /// restrict the size and complexity of SQL and values. A schema that nests so deeply that it could overflow the stack
  /// cannot be opened: see ``isConfined``. To write to such a file, set ``readOnly`` to false.
  ///
  /// The running time is not limited, and a query of a view may never end. Read with a deadline, for example on a
  /// ``ConnectionReadQueue``, or see ``Connection/onProgress(every:_:)``.
  public static var untrusted: Configuration { untrusted(allowing: []) }

  /// A configuration for a file from an untrusted source, whose virtual tables can use some of SQLite's modules.
  ///
  /// ```swift
  /// let notes = try Connection(path: path, configuration: .untrusted(allowing: [.fts5]))
  /// ```
  ///
  /// In all other respects, the configuration is ``untrusted``. Allow only the modules that the program needs, the value
  /// of ``storedModules``: each one runs more of SQLite's code on the content of the file.
  public static func untrusted(allowing modules: Set<StoredModule>) -> Configuration {
    var configuration = Configuration()
    configuration.readOnly = true
    configuration.isConfined = true
    configuration.storedModules = modules
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

/// State that a higher-level module of Sluice stores with a connection.
package struct ClientState: Hashable, Sendable {
  package let object: any AnyObject & Sendable

  package init(_ object: any AnyObject & Sendable) { self.object = object }

  package static func == (first: ClientState, second: ClientState) -> Bool {
    first.object === second.object
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}

extension Connection {
  /// State that a higher-level module of Sluice stores; initially the `clientState` of the configuration.
  package var clientState: ClientState? {
    @inline(__always) get { state.clientState }
    set { state.clientState = newValue }
  }
}
