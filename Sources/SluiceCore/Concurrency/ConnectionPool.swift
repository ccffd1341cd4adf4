import CSluice
public import Dispatch
import Synchronization

/// A database that many threads and tasks can read at the same time, while one of them writes.
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
/// A pool has one write connection, and opens up to `readers` read-only connections on demand. Waiting accesses
/// receive a connection in the order of the calls. Only a thread that reads repeatedly may overtake accesses that
/// have waited for less than ten milliseconds. All connections have the same ``Configuration``; use
/// ``Configuration/prepareConnection(_:)`` to add functions, collations and so on. By default, the pool changes the
/// database to a WAL, so that readers and the writer do not wait for each other. The pool keeps the journal mode if
/// the configuration is read-only, and uses the configuration's journal mode if one is set. ``PoolUpkeep`` keeps the
/// WAL small, and closes readers that nobody uses.
///
/// If the file is moved, deleted or replaced, the open connections still use the old file. A write, and a read that would
/// have to open the new file, throw ``ResultCode/cantOpen``: close the pool, and create another one.
///
/// A closure must use the connection that it borrows: a call to the pool from inside a closure throws
/// ``ResultCode/misuse``. In all other respects, a pool behaves like a ``ConnectionQueue``.
///
/// For a database that is private to its connection, such as an in-memory database, the pool uses one connection
/// for all accesses. Reads and writes then wait for each other. Even on this connection, a read cannot write, not
/// even to temporary tables.
public final class ConnectionPool: Sendable {
  let writer: SerialConnection
  /// The connections that read; nil if there is one connection for all accesses.
  let readers: ReaderPool?
  let location: DatabaseLocation?
  /// A lock that must be held while the connections are suspended or resumed.
  let halting = Locked(())
  /// The maintenance in the background, if there is any.
  let keeper: PoolKeeper?

  /// Creates a pool for an in-memory database, which has one connection for all accesses.
  public init(
    label: String = "ConnectionPool", qos: DispatchQoS = .unspecified,
    configuration: Configuration = Configuration()
  ) throws {
    let connection = try Connection(configuration: configuration.ownedByQueue)
    writer = SerialConnection(label: label, qos: qos, target: nil, of: .pool, connection)
    location = nil
    readers = nil
    keeper = nil
  }

  deinit { keeper?.end() }

  /// Creates a pool for the database file at `path`.
  ///
  /// Throws ``ResultCode/misuse`` if `readers` is less than one. See
  /// ``Connection/init(path:readOnly:create:configuration:)``.
  public convenience init(
    path: String, create: Bool = true, readers: Int = 4, label: String = "ConnectionPool",
    qos: DispatchQoS = .unspecified, configuration: Configuration = Configuration(),
    upkeep: PoolUpkeep = PoolUpkeep()
  ) throws {
    try Self.checkCount(readers)
    let configuration = configuration.ownedByQueue
    let connection = try Connection(path: path, create: create, configuration: configuration)
    let location = DatabaseLocation(of: connection, configuration)
    try self.init(readers, label, qos, connection, location, upkeep)
  }

  /// Creates a pool for the database that a URI filename identifies.
  ///
  /// Throws ``ResultCode/misuse`` if `readers` is less than one. See
  /// ``Connection/init(uri:readOnly:create:configuration:)``.
  public convenience init(
    uri: String, create: Bool = true, readers: Int = 4, label: String = "ConnectionPool",
    qos: DispatchQoS = .unspecified, configuration: Configuration = Configuration(),
    upkeep: PoolUpkeep = PoolUpkeep()
  ) throws {
    try Self.checkCount(readers)
    let configuration = configuration.ownedByQueue
    let connection = try Connection(uri: uri, create: create, configuration: configuration)
    let location = DatabaseLocation(of: connection, openedBy: uri, configuration)
    try self.init(readers, label, qos, connection, location, upkeep)
  }

  /// Throws if `readers` is less than one; called before a file is created.
  private static func checkCount(_ readers: Int) throws {
    guard readers > 0 else { throw SQLiteError(.misuse, "A pool needs at least one reader") }
  }

  private init(
    _ limit: Int, _ label: String, _ qos: DispatchQoS, _ connection: sending Connection,
    _ location: DatabaseLocation?, _ upkeep: PoolUpkeep
  ) throws {
    // A database without a file is private to its connection, and has no WAL.
    if location != nil, connection.configuration.journalMode == nil, !connection.isReadOnly() {
      try connection.setJournalMode(.wal)
    }
    self.location = location
    location?.refuseWrites(toOtherFileBy: connection)
    // The monitor does not receive the accesses and statements of the pool's upkeep.
    let keeper =
      location == nil ? nil : try inMonitor { try PoolKeeper(upkeep, label: label, connection) }
    self.keeper = keeper
    writer = SerialConnection(
      label: label, qos: qos, target: nil, of: .pool, keeper: keeper, connection)
    readers = location.map {
      ReaderPool($0, limit: limit, label: label + ".reader", qos: qos, keeper: keeper)
    }
    try inMonitor { try keeper?.begin(for: self) }
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
      waitingWriteCount: keeper?.waitingCount(of: writer) ?? writer.waitingCount,
      lockWaitCount: connections.reduce(0) {
        $0 + $1.interruptState.busyCount.load(ordering: .relaxed)
      },
      walSize: walSize)
  }

  /// The size of the WAL file in bytes; nil if there is none.
  var walSize: Int? {
    guard let location else { return nil }
    let size = unsafe sluice_file_size(location.filename + "-wal")
    return size < 0 ? nil : Int(size)
  }

  /// Throws if the call comes from inside a closure of this pool, because the call could wait for itself.
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

/// Accesses to the read connections and to the write connection.
extension ConnectionPool: DatabaseWriter {
  /// Runs `body` in a read transaction, and returns its result without blocking a thread.
  ///
  /// `body` sees a single state of the database, which its first query determines, regardless of concurrent writes.
  /// Writing throws ``ResultCode/readOnly``. If the task is cancelled or the `deadline` passes, `body` does not
  /// begin or is interrupted, as in ``ConnectionQueue/perform(qos:deadline:_:)``.
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
    // An error is ignored here, because the read itself fails if the hot journal remains.
    if owesJournal { _ = try? await writer.perform(deadline: deadline) { _ in } }
    return try await readers.perform(deadline: deadline) { connection in
      try transactReadingLater(&connection, body)
    }
  }

  /// Runs `body` in a read transaction on the calling thread, and returns its result.
  ///
  /// `body` sees a single state of the database, which its first query determines. Writing throws
  /// ``ResultCode/readOnly``.
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

  /// Runs `body` in a read transaction on the calling thread, with a deadline, and returns its result.
  ///
  /// Throws ``DeadlineError`` if `body` has not returned by the `deadline`. If `deadline` is nil, there is no
  /// deadline. In all other respects, this method behaves like ``syncRead(_:)``.
  @available(*, noasync, message: "Use read, which does not block the thread")
  @discardableResult
  public func syncRead<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    guard let deadline else { return try syncRead(body) }
    return try syncReadInTurn(deadline: deadline, body)
  }

  /// Schedules `body` to run in a read transaction, and calls `completion` with the result.
  ///
  /// Completion handlers are called one after another, and may use the pool. The call belongs to `group` until its
  /// completion handler has returned.
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

  /// Calls `body` with the write connection outside a transaction, and returns its result.
  ///
  /// Use this method for `VACUUM`, checkpoints and settings. The task waits without blocking a thread.
  @discardableResult
  public func perform<T: Sendable>(
    qos: DispatchQoS = .unspecified, deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await writer.perform(qos: qos, deadline: deadline, body)
  }

  /// Calls `body` with the write connection on the calling thread, outside a transaction, and returns its result.
  ///
  /// Use this method for `VACUUM`, checkpoints and settings.
  @available(*, noasync, message: "Use perform, which does not block the thread")
  @discardableResult
  public func sync<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try refuseNested()
    return try writer.sync(until: deadline, body)
  }

  /// Schedules a call of `body` with the write connection, outside a transaction.
  ///
  /// `completion` is called with the result. Completion handlers are called one after another, and may use the pool.
  /// The call belongs to `group` until its completion handler has returned.
  public func async<T: Sendable>(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    writer.async(group: group, qos: qos, body, completion: completion)
  }
}

extension ConnectionPool {
  /// Returns an idle reader, or nil if the calling thread cannot use one immediately.
  @usableFromInline
  func takeReader() throws -> SerialConnection? {
    let thread = sluice_current_thread()
    guard writer.interruptState.holder.load(ordering: .relaxed) != thread else { throw Self.nested }
    return owesJournal ? nil : try readers?.takeIdle(for: thread)
  }

  /// Whether the writer must roll back a hot journal before any connection can read.
  private var owesJournal: Bool { writer.interruptState.has(InterruptState.hotJournal) }

  /// Returns a connection from `takeReader()` to the pool.
  @usableFromInline
  func give(_ serial: SerialConnection) { readers?.give(serial) }

  /// Waits for a connection, runs `body` in a read transaction on the calling thread, and returns its result.
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

/// The state of a ``ConnectionPool`` at one point in time.
public struct PoolStatus: Hashable, Sendable {
  /// The maximum number of connections that may read at the same time.
  public let readerLimit: Int
  /// The number of read connections that are open.
  public let openReaderCount: Int
  /// The number of read connections that are in use or being opened.
  public let busyReaderCount: Int
  /// The number of reads that wait for a connection.
  public let waitingReadCount: Int
  /// The number of accesses that wait for the write connection.
  public let waitingWriteCount: Int
  /// The number of times that the open connections have waited for another connection's lock.
  ///
  /// The other connection can belong to another process.
  public let lockWaitCount: Int
  /// The size of the WAL file in bytes; nil if there is none.
  public let walSize: Int?
}
