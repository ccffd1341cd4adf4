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
  let writer: SerialConnection
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
    writer = SerialConnection(label: label, qos: qos, target: nil, of: .pool, connection)
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
    guard readers > 0 else { throw SQLiteError(.misuse, "A pool needs at least one reader") }
  }

  private init(
    _ limit: Int, _ label: String, _ qos: DispatchQoS, _ connection: sending Connection,
    _ location: DatabaseLocation?
  ) throws {
    // A database without a file belongs to its connection alone, and has no WAL.
    if location != nil, connection.configuration.journalMode == nil, !connection.isReadOnly() {
      try connection.setJournalMode(.wal)
    }
    self.location = location
    writer = SerialConnection(label: label, qos: qos, target: nil, of: .pool, connection)
    readers = location.map {
      ReaderPool($0, limit: limit, label: label + ".reader", qos: qos)
    }
  }
}

extension ConnectionPool {
  /// The current state of the pool.
  public var status: PoolStatus {
    let state = readers?.snapshot
    let connections = (state?.connections ?? []) + [writer]
    return PoolStatus(
      readerLimit: readers?.limit ?? 0, openReaderCount: state?.connections.count ?? 0,
      busyReaderCount: state?.busyCount ?? 0, waitingReadCount: state?.waiters.count ?? 0,
      waitingWriteCount: writer.waitingCount,
      lockWaitCount: connections.reduce(0) {
        $0 + $1.interruptState.busyCount.load(ordering: .relaxed)
      },
      walSize: location.flatMap { sizeOfFile($0.filename + "-wal") })
  }

  private func sizeOfFile(_ path: String) -> Int? {
    let size = unsafe sluice_file_size(path)
    return size < 0 ? nil : Int(size)
  }

  /// Refuses a call from inside of a closure of this pool, which could wait for itself.
  func refuseNested() throws {
    let thread = sluice_current_thread()
    guard writer.interruptState.holder.load(ordering: .relaxed) != thread,
      readers?.isHeld(by: thread) != true
    else { throw Self.nested }
  }

  static var nested: SQLiteError {
    SQLiteError(
      .misuse, "This access already uses the pool; use the connection that its closure received")
  }
}

/// Accesses to a connection that reads, and to the connection that writes.
extension ConnectionPool: DatabaseWriter {
  /// Runs `body` in a read transaction: it sees one state of the database, whatever others write.
  ///
  /// That is the state in which its first query finds the database. Writing throws ``ResultCode/readOnly``. The task
  /// waits, no thread does. If it is cancelled, or if the `deadline` passes, `body` does not begin or is interrupted, as
  /// with ``ConnectionQueue/perform(qos:deadline:_:)``.
  @discardableResult
  public func read<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    guard let readers else {
      return try await writer.perform(deadline: deadline) { connection in
        try transactGuarded(&connection, body)
      }
    }
    // Whether that succeeds shows as soon as something is read.
    if owesJournal { _ = try? await writer.perform(deadline: deadline) { _ in } }
    return try await readers.perform(deadline: deadline) { connection in
      try transactReadingLater(&connection, body)
    }
  }

  /// Runs `body` in a read transaction on the calling thread: it sees one state of the database.
  ///
  /// That is the state in which its first query finds the database. Writing throws ``ResultCode/readOnly``.
  @inlinable
  @available(*, noasync, message: "Use read, which does not block the thread")
  @discardableResult
  public func syncRead<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    guard let serial = try takeReader() else { return try syncReadInTurn(deadline: nil, body) }
    defer { give(serial) }
    return try serial.sync { connection in try transactReadingLater(&connection, body) }
  }

  /// Runs `body` in a read transaction on the calling thread, and throws ``DeadlineError`` if it has not returned by
  /// then.
  ///
  /// For all else, and without a `deadline`, it is like ``syncRead(_:)``.
  @available(*, noasync, message: "Use read, which does not block the thread")
  @discardableResult
  public func syncRead<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    guard let deadline else { return try syncRead(body) }
    return try syncReadInTurn(deadline: deadline, body)
  }

  /// Runs `body` in a read transaction later, and calls `completion` with the result.
  ///
  /// Completions are called one after another, and may use the pool. The call is part of
  /// `group` until its completion has returned.
  public func asyncRead<T: Sendable>(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    guard let readers else {
      return writer.async(
        group: group, qos: qos, { connection in try transactGuarded(&connection, body) },
        completion: completion)
    }
    group?.enter()
    let read = { @Sendable [writer] in
      readers.start(Job(), qos: qos) { connection in
        try transactReadingLater(&connection, body)
      } result: { result in
        writer.complete(result, group: group, qos: qos, completion)
      }
    }
    guard owesJournal else { return read() }
    writer.async { _ in
    } result: { _ in
      read()
    }
  }

  /// Calls `body` with the write connection, without a transaction: for `VACUUM`, checkpoints and settings.
  ///
  /// The task waits without blocking a thread.
  @discardableResult
  public func perform<T: Sendable>(
    qos: DispatchQoS = .unspecified, deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await writer.perform(qos: qos, deadline: deadline, body)
  }

  /// Calls `body` with the write connection on the calling thread, without a transaction: for `VACUUM`, checkpoints
  /// and settings.
  @available(*, noasync, message: "Use perform, which does not block the thread")
  @discardableResult
  public func sync<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try refuseNested()
    return try writer.sync(until: deadline, body)
  }

  /// Calls `body` with the write connection later, without a transaction, and `completion` with the
  /// result.
  ///
  /// Completions are called one after another, and may use the pool. The call is part of
  /// `group` until its completion has returned.
  public func async<T: Sendable>(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    writer.async(group: group, qos: qos, body, completion: completion)
  }
}

extension ConnectionPool {
  /// A connection that reads, if there is one that the calling thread can have without more ado.
  @usableFromInline
  func takeReader() throws -> SerialConnection? {
    let thread = sluice_current_thread()
    guard writer.interruptState.holder.load(ordering: .relaxed) != thread else { throw Self.nested }
    return owesJournal ? nil : try readers?.takeIdle(for: thread)
  }

  /// Whether the writer has to undo something before anybody can read.
  private var owesJournal: Bool { writer.interruptState.has(InterruptState.hotJournal) }

  /// Takes back what `takeReader()` has given.
  @usableFromInline
  func give(_ serial: SerialConnection) { readers?.give(serial) }

  /// Reads on the calling thread, which waits for a connection.
  @usableFromInline
  func syncReadInTurn<T: Sendable>(
    deadline: ContinuousClock.Instant?, _ body: (inout sending Connection) throws -> T
  ) throws -> T {
    try refuseNested()
    guard let readers else {
      return try writer.sync(until: deadline) { connection in
        try transactGuarded(&connection, body)
      }
    }
    if owesJournal { _ = try? writer.sync(until: deadline) { _ in } }
    return try readers.sync(deadline: deadline) { connection in
      try transactReadingLater(&connection, body)
    }
  }
}

/// The state of a ``ConnectionPool`` at a moment.
public struct PoolStatus: Hashable, Sendable {
  /// How many connections may read at the same time.
  public let readerLimit: Int
  /// How many connections are open for reading.
  public let openReaderCount: Int
  /// How many of them are in use, or being opened.
  public let busyReaderCount: Int
  /// How many reads wait for a connection.
  public let waitingReadCount: Int
  /// How many accesses wait in line for the connection that writes.
  public let waitingWriteCount: Int
  /// How many times a connection has had to wait for a lock of another one, such as one of another process.
  public let lockWaitCount: Int
  /// How many bytes the file of the WAL has; nil if there is none.
  public let walSize: Int?
}
