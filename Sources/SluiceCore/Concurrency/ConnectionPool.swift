import CSluice
public import Dispatch
import Synchronization

/// A database that many threads and tasks read at the same time, while one of them writes.
///
/// ```swift
/// let pool = try ConnectionPool(path: "app.db", readers: 4)
/// try await pool.write { connection in
///   try connection.execute(sql: "CREATE TABLE IF NOT EXISTS event(title TEXT NOT NULL)")
/// }
/// let count = try await pool.read { connection in
///   try connection.first(.column(.int), sql: "SELECT count(*) FROM event")
/// }
/// ```
///
/// A pool has one connection that writes, and opens others that only read when they are needed, up to
/// `readers`. Accesses that wait get their connection in the order of the calls; a thread that reads again may pass those
/// that have waited for less than ten milliseconds. All connections are set up by one ``Configuration``, which
/// ``Configuration/prepareConnection(_:)`` tells of functions and the like. The database has a WAL, unless the
/// configuration says otherwise or only reads, so that readers and the writer do not wait for each other.
///
/// If the file is moved, deleted or replaced, the connections that are open keep the old file. A reader that
/// would have to open the new one throws ``ResultCode/cantOpen`` instead: close the pool, and make another one.
///
/// A closure of the pool uses the connection that it is lent: a call of the pool from inside of one throws
/// ``ResultCode/misuse``. All else is as with a ``ConnectionQueue``.
///
/// A database that belongs to its connection alone, as one in memory does, has that one for all: its reads
/// and writes wait for each other. A read cannot write there either, not even to temporary tables.
public final class ConnectionPool: Sendable {
  let writer: ConnectionLine
  /// Nil if there is one connection for all.
  let readers: ReaderPool?
  let location: DatabaseLocation?
  /// Held while the connections are told to halt or to go on.
  let halting = Locked(())

  /// Makes a pool over a database in memory, which has one connection for all.
  public init(
    label: String = "ConnectionPool", qos: DispatchQoS = .unspecified,
    configuration: Configuration = Configuration()
  ) throws {
    let connection = try Connection(configuration: configuration.ownedByQueue)
    writer = ConnectionLine(label: label, qos: qos, target: nil, of: .pool, connection)
    location = nil
    readers = nil
  }

  /// Makes a pool over the database file at `path`; see ``Connection/init(path:readOnly:create:configuration:)``.
  ///
  /// It throws ``ResultCode/misuse`` for less than one reader.
  public convenience init(
    path: String, create: Bool = true, readers: Int = 4, label: String = "ConnectionPool",
    qos: DispatchQoS = .unspecified, configuration: Configuration = Configuration()
  ) throws {
    try Self.checkCount(readers)
    let configuration = configuration.ownedByQueue
    let connection = try Connection(path: path, create: create, configuration: configuration)
    let location = DatabaseLocation(of: connection, configuration)
    try self.init(readers, label, qos, connection, location)
  }

  /// Makes a pool over the database that a URI means; see ``Connection/init(uri:readOnly:create:configuration:)``.
  ///
  /// It throws ``ResultCode/misuse`` for less than one reader.
  public convenience init(
    uri: String, create: Bool = true, readers: Int = 4, label: String = "ConnectionPool",
    qos: DispatchQoS = .unspecified, configuration: Configuration = Configuration()
  ) throws {
    try Self.checkCount(readers)
    let configuration = configuration.ownedByQueue
    let connection = try Connection(uri: uri, create: create, configuration: configuration)
    let location = DatabaseLocation(of: connection, openedBy: uri, configuration)
    try self.init(readers, label, qos, connection, location)
  }

  /// Looks at the number of readers before a file is made.
  private static func checkCount(_ readers: Int) throws {
    guard readers > 0 else { throw SQLiteError(.misuse, "A pool needs one reader at least") }
  }

  private init(
    _ limit: Int, _ label: String, _ qos: DispatchQoS, _ connection: sending Connection,
    _ location: DatabaseLocation?
  ) throws {
    // One that is no file belongs to its connection alone, and has no WAL.
    if location != nil, connection.configuration.journalMode == nil, !connection.isReadOnly() {
      try connection.setJournalMode(.wal)
    }
    self.location = location
    writer = ConnectionLine(label: label, qos: qos, target: nil, of: .pool, connection)
    readers = location.map {
      ReaderPool($0, limit: limit, label: label + ".reader", qos: qos)
    }
  }
}

extension ConnectionPool {
  /// What the pool has and does now.
  public var status: PoolStatus {
    let state = readers?.snapshot
    let lines = (state?.lines ?? []) + [writer]
    return PoolStatus(
      readerLimit: readers?.limit ?? 0, openReaderCount: state?.lines.count ?? 0,
      busyReaderCount: state?.busyCount ?? 0, waitingReadCount: state?.waiters.count ?? 0,
      waitingWriteCount: writer.waitingCount,
      lockWaitCount: lines.reduce(0) { $0 + $1.alarm.busyCount.load(ordering: .relaxed) },
      walSize: location.flatMap { sizeOfFile($0.filename + "-wal") })
  }

  private func sizeOfFile(_ path: String) -> Int? {
    let size = unsafe sluice_file_size(path)
    return size < 0 ? nil : Int(size)
  }

  /// Refuses a call from inside of a closure of this pool, which could wait for itself.
  func refuseNested() throws {
    let thread = sluice_current_thread()
    guard writer.alarm.holder.load(ordering: .relaxed) != thread,
      readers?.isHeld(by: thread) != true
    else { throw Self.nested }
  }

  static var nested: SQLiteError {
    SQLiteError(
      .misuse, "The pool is in use by this very call: use the connection that it has lent")
  }
}
