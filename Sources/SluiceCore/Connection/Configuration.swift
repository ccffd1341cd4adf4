/// The settings that a connection opens with.
///
/// A new configuration enforces foreign keys, waits five seconds for locks, and takes a misspelt name in
/// double quotes for an error, not for a string. The schema may call the functions of SQLite, and your
/// functions that have an option for it: see ``FunctionOptions``. Nil leaves a setting as the linked SQLite has it;
/// ``sqliteDefaults`` leaves all.
public struct Configuration: Hashable, Sendable {
  /// Whether foreign keys are enforced.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_FKEY`.
  public var foreignKeys: Bool? = true

  /// How long to wait for a lock that another connection holds, before ``ResultCode/busy`` is thrown.
  ///
  /// The corresponding C function is `sqlite3_busy_timeout`, which counts milliseconds.
  public var busyTimeout: Duration? = .seconds(5)

  /// Whether the schema may use the functions and virtual tables of SQLite.
  ///
  /// The schema is all that a file brings along: views, triggers, indexes, CHECK constraints, generated
  /// columns and defaults. Whatever this setting is, it uses only those functions and virtual tables of the
  /// program that are ``FunctionOptions/innocuous`` or ``FunctionOptions/usableInSchema``.
  ///
  /// If the schema is not trusted, it uses only what is innocuous. SQLite 3.40 counts neither JSON
  /// functions nor the tables of FTS5, FTS4 and R*Tree among these; newer versions may. A file that needs
  /// them then throws ``ResultCode/authorization``.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_TRUSTED_SCHEMA`.
  public var trustedSchema: Bool? = true

  /// Whether a name in double quotes that means nothing is taken for a string.
  ///
  /// The corresponding C values are `SQLITE_DBCONFIG_DQS_DML` and `SQLITE_DBCONFIG_DQS_DDL`.
  public var doubleQuotedStrings: Bool? = false

  /// Whether SQL may call `fts3_tokenizer`, which takes and gives addresses in memory: whoever can
  /// write SQL can then run any code.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER`.
  public var fts3Tokenizer: Bool? = false

  /// Whether a connection can only read, however it is opened.
  ///
  /// The corresponding C value is `SQLITE_OPEN_READONLY`.
  public var readOnly = false

  /// Whether the connection keeps to its file; see ``untrusted``.
  ///
  /// SQL can then neither attach files nor turn this off. A virtual table in the file is one of FTS3 to FTS5, of R*Trees
  /// or of geopoly, or throws ``ResultCode/authorization`` or ``ResultCode/error`` when it is used: modules in Swift are
  /// for tables of the schema `temp`, and for use by their name alone.
  public var isConfined = false

  /// How much the connection takes, where that is less than the linked SQLite takes by itself.
  ///
  /// A number that it cannot have becomes the nearest that it can.
  ///
  /// The corresponding C function is `sqlite3_limit`.
  public var limits: [ConnectionLimit: Int] = [:]

  /// The key of an encrypted database, or of one that is to be made; nil for one that is not encrypted.
  ///
  /// Opening throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/encryption``,
  /// and ``ResultCode/notADatabase`` if the file has another key or other ``CipherSettings``, or is not encrypted.
  ///
  /// The corresponding C function is `sqlite3_key`.
  public var encryptionKey: EncryptionKey?

  /// How transactions are made durable; nil leaves a database file as it is.
  ///
  /// Opening throws if the database cannot have the mode: one in memory has no WAL.
  ///
  /// The corresponding SQL is `PRAGMA journal_mode`.
  public var journalMode: JournalMode?

  /// How often SQLite waits until the disk has what was written; nil leaves it as the linked SQLite has it.
  ///
  /// With a WAL, ``SynchronousMode/normal`` is the usual choice: a power failure then loses the last commits at
  /// most, and never damages the database.
  ///
  /// The corresponding SQL is `PRAGMA synchronous`.
  public var synchronous: SynchronousMode?

  /// The bytes of a page of a new database, a power of two from 512 to 65,536; nil leaves the choice to SQLite.
  ///
  /// A database that has been written keeps its page size, and opens without an error:
  /// ``Connection/vacuum(database:pageSize:autoVacuum:)`` changes it. Opening throws ``ResultCode/range`` for a
  /// number that cannot be a page size, and ``ResultCode/misuse`` if a new database does not take it, or has an
  /// ``encryptionKey``: its page size is one of the ``CipherSettings``.
  ///
  /// The corresponding SQL is `PRAGMA page_size`.
  public var pageSize: Int?

  /// Further pragmas, which each connection that opens runs in order, the readers of a pool included.
  ///
  /// See ``Pragmas``.
  public var pragmas: Pragmas = [:]

  /// The name of the file system that the database is reached through; nil for the default one.
  ///
  /// Opening throws ``ResultCode/error`` if there is none of this name. See
  /// ``SQLiteLibrary/addFileSystem(_:_:isDefault:)``.
  ///
  /// The corresponding C value is `zVfs`, an argument of `sqlite3_open_v2`.
  public var fileSystem: String?

  /// The mutex by which SQLite guards the connection against use by two threads at once.
  ///
  /// It need not: that a connection is used by one thread at a time is what the compiler sees to. Nil
  /// is what the linked SQLite does by itself, but for a connection that a queue owns, which is never
  /// guarded twice.
  public var threadingMode: ThreadingMode? = .multiThread

  var monitorBox: MonitorBox?

  /// The closures that prepare each connection, in order.
  var preparations: [Preparation] = []

  /// Objects that live as long as this configuration and its connections, such as a file system.
  package var retainedResource: ClientState?

  /// The object that the module above keeps here.
  package var clientState: ClientState?

  /// How many compiled statements a connection keeps for SQL that comes again; 0 for none.
  ///
  /// See ``Connection/statementCacheStatistics``.
  public var statementCacheSize = 128

  /// Whether ``Connection/close()`` brings the statistics for the query planner up to date where
  /// that is worth while.
  ///
  /// The corresponding SQL is `PRAGMA optimize`.
  public var optimizesOnClose = true

  /// Whether the database file is deleted when the connection closes, with all that belongs to it.
  ///
  /// This is for files that serve one purpose and are not to be kept. Nothing is deleted if closing
  /// fails, by a connection that can only read, of a file that is no database, and for a database
  /// that is in memory. A link is followed: it stays, and what it leads to is deleted. On a
  /// ``ConnectionQueue`` the file goes with the queue; a ``ConnectionReadQueue`` deletes nothing.
  ///
  /// The corresponding C function is the `xDelete` of the `sqlite3_vfs`.
  public var deletesFileOnClose = false

  /// The safe settings.
  public init() {}

  /// The settings of the linked SQLite, whatever they are.
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

  /// How SQLite makes a transaction durable, and undoes one that was not finished.
  ///
  /// The corresponding SQL is `PRAGMA journal_mode`.
  public enum JournalMode: String, Hashable, Sendable, CaseIterable {
    /// A journal file that is deleted with each commit: what SQLite does by itself.
    case delete
    /// A journal file that is emptied with each commit.
    case truncate
    /// A journal file that is overwritten with each commit.
    case persist
    /// A journal in memory: a crash in the middle of a commit damages the database.
    case memory
    /// A write-ahead log: readers and a writer do not wait for each other.
    case wal
    /// No journal: nothing can be rolled back, and a crash damages the database.
    case off
  }

  /// The threading mode: a mutex around each call, or none.
  public enum ThreadingMode: Hashable, Sendable {
    /// SQLite locks: two threads never meet inside the connection.
    ///
    /// The corresponding C value is `SQLITE_OPEN_FULLMUTEX`.
    case serialized
    /// SQLite does not lock, which is faster where something else keeps threads apart.
    ///
    /// The corresponding C value is `SQLITE_OPEN_NOMUTEX`.
    case multiThread
  }
}

/// A closure that sets up a connection, which is equal to itself alone.
final class Preparation: Sendable, Hashable {
  let body: @Sendable (Connection) throws -> Void

  init(_ body: @escaping @Sendable (Connection) throws -> Void) { self.body = body }

  static func == (first: Preparation, second: Preparation) -> Bool { first === second }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Configuration {
  /// Lets `body` set up each connection that is opened with this configuration, before anybody uses it.
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
  /// This is how functions, collations, modules and hooks come to all connections of a ``ConnectionPool``, also
  /// to those that it opens later, and to the ``ConnectionReadQueue`` of a queue. Several closures are called in
  /// their order. What one throws keeps the connection from being opened. It runs on the thread that opens the
  /// connection, after all other settings have been made; a connection that can only read is prepared as well.
  /// It has the connection alone: a call of the pool that opens it throws ``ResultCode/misuse``. A pool may open
  /// several connections at once, and call it for each on a thread of its own.
  public mutating func prepareConnection(
    _ body: @escaping @Sendable (_ connection: Connection) throws -> Void
  ) {
    preparations.append(Preparation(body))
  }
}

extension Configuration {
  /// The settings for a file that anybody may have made: an upload, an clientState, a download.
  ///
  /// ```swift
  /// let upload = try Connection(path: path, configuration: .untrusted)
  /// let problems = try upload.integrityProblems(isQuick: true)
  /// ```
  ///
  /// The connection can only read. The schema of the file is not trusted: it calls no function that is not
  /// ``FunctionOptions/innocuous``, which a statement reports as ``ResultCode/authorization``, and makes no virtual
  /// table but those of SQLite that keep to the file: see ``isConfined``. ``limits`` keep what it says short. A program
  /// that writes such files sets ``readOnly`` to false.
  ///
  /// Time is not limited, and a view can be one that never ends: read with a deadline, as a
  /// ``ConnectionReadQueue`` has, or see ``Connection/onProgress(every:_:)``.
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
