import CSluice
public import Dispatch

/// A fixed state of a database, which threads and tasks can read while others write.
///
/// ```swift
/// let snapshot = try await pool.snapshot()
/// let count = try await snapshot.read { connection in
///   try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
/// }
/// // Other reads of the snapshot return the same count, regardless of concurrent writes.
/// try await snapshot.close()
/// ```
///
/// A snapshot has its own connections, each of which is in a read transaction until the snapshot is closed or
/// released. Writing throws ``ResultCode/readOnly``. If a closure ends the transaction, the call throws
/// ``ResultCode/misuse``, and the connection is closed.
///
/// A snapshot may outlive its pool or queue. However, closing the pool or queue then runs only an incomplete
/// checkpoint: as long as there is a file with the suffix `-wal`, a copy of only the database file is not a valid
/// database.
///
/// Databases that the configuration attaches are part of the snapshot if they have a WAL.
///
/// A snapshot keeps SQLite from emptying the WAL, so that the WAL grows with each write. Close a snapshot as soon
/// as possible, and before your app suspends its pool.
///
/// Observing a snapshot delivers only the first value.
public final class DatabaseSnapshot: Sendable {
  private let readers: ReaderPool
  /// The first connection, whose queue calls completion handlers.
  private let first: SerialConnection

  /// Creates a snapshot from connections that are in a read transaction.
  fileprivate init(_ connections: [SerialConnection], label: String, qos: DispatchQoS) {
    readers = ReaderPool(connections, label: label, qos: qos)
    first = connections[0]
  }
}

extension DatabaseSnapshot: DatabaseReader {
  /// Runs `body` on a connection of the snapshot, and returns its result without blocking a thread.
  ///
  /// If the task is cancelled or the `deadline` passes, `body` does not begin or is interrupted.
  @discardableResult
  public func read<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await readers.perform(deadline: deadline) { try transactReadingLater(&$0, body) }
  }

  /// Runs `body` with a connection of the snapshot on the calling thread, and returns its result.
  ///
  /// Throws ``DeadlineError`` if `body` has not returned by the `deadline`.
  @available(*, noasync, message: "Use read, which does not block the thread")
  @discardableResult
  public func syncRead<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    guard !readers.isHeld(by: sluice_current_thread()) else { throw first.nested }
    return try readers.sync(deadline: deadline) { try transactReadingLater(&$0, body) }
  }

  /// Schedules `body` to run on a connection of the snapshot, and calls `completion` with the result.
  ///
  /// The call belongs to `group` until its completion handler has returned.
  public func asyncRead<T: Sendable>(
    group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    group?.enter()
    readers.start(Job(), qos: qos) {
      try transactReadingLater(&$0, body)
    } result: { [first] result in
      first.complete(result, group: group, qos: qos, completion)
    }
  }
}

/// Closing a snapshot, which ends its read transactions.
extension DatabaseSnapshot {
  /// Closes the connections on the calling thread.
  ///
  /// Later calls throw ``ResultCode/misuseClosed``; `mode` determines how earlier calls are treated. A second call has
  /// no effect.
  @available(*, noasync, message: "Use close, which does not block the thread")
  public func syncClose(_ mode: CloseMode = .drain) throws {
    guard !readers.isHeld(by: sluice_current_thread()) else { throw first.nested }
    try readers.close(mode)
  }
}

extension DatabaseSnapshot: ObservableDatabase {
  var access: DatabaseAccess { DatabaseAccess(source: .pool(readers), writer: first) }
}

// MARK: - Taking snapshots

extension ConnectionPool {
  /// Takes a snapshot of the committed state of the database, without blocking a thread.
  ///
  /// `readers` is the number of reads that can run at the same time. The method opens that number of connections.
  /// With more than one reader, no other connection can write until all these connections are open, so that all of
  /// them see the same state. In a cancelled task, the method throws.
  ///
  /// This method throws:
  ///
  /// - ``ResultCode/misuse`` if `readers` is less than one, or greater than one for a read-only database.
  /// - ``ResultCode/misuse`` for a database that is private to its connection, such as an in-memory database.
  /// - ``ResultCode/misuse`` for a database without a WAL, where a snapshot would keep other connections from
  ///   writing.
  /// - ``ResultCode/cantOpen`` if the file was moved, deleted or replaced since the pool opened it.
  /// - ``ResultCode/interrupt`` if the pool is suspended.
  /// - ``ResultCode/busy`` in some cases, if `readers` is greater than one and another process writes.
  public func snapshot(readers: Int = 1) async throws -> DatabaseSnapshot {
    try await SnapshotMaker(location, readers, writer).snapshot()
  }

  /// Takes a snapshot of the committed state of the database, on the calling thread.
  ///
  /// Inside a closure that uses the write connection, a snapshot with one reader contains the state that the
  /// closure has committed so far. Other threads can read the snapshot while the closure continues to write.
  /// In all other respects, this method behaves like ``snapshot(readers:)``.
  @available(*, noasync, message: "Use snapshot, which does not block the thread")
  public func syncSnapshot(readers: Int = 1) throws -> DatabaseSnapshot {
    if readers > 1 { try refuseNested() }
    return try SnapshotMaker(location, readers, writer).syncSnapshot()
  }
}

extension ConnectionQueue {
  /// Takes a snapshot of the committed state of the database, without blocking a thread.
  ///
  /// This method behaves like ``ConnectionPool/snapshot(readers:)``.
  public func snapshot(readers: Int = 1) async throws -> DatabaseSnapshot {
    try await SnapshotMaker(location, readers, serial).snapshot()
  }

  /// Takes a snapshot of the committed state of the database, on the calling thread.
  ///
  /// This method behaves like ``ConnectionPool/syncSnapshot(readers:)``.
  @available(*, noasync, message: "Use snapshot, which does not block the thread")
  public func syncSnapshot(readers: Int = 1) throws -> DatabaseSnapshot {
    try SnapshotMaker(location, readers, serial).syncSnapshot()
  }
}

/// A request for a snapshot; it opens the connections of the snapshot.
private struct SnapshotMaker: Sendable {
  let location: DatabaseLocation
  let count: Int
  let writer: SerialConnection

  init(_ location: DatabaseLocation?, _ count: Int, _ writer: SerialConnection) throws {
    try writer.refuseEnded()
    guard !writer.interruptState.has(InterruptState.suspended) else {
      throw SQLiteError(.interrupt, "The \(writer.identity.owner.name) is suspended")
    }
    guard count > 0 else {
      throw SQLiteError(.misuse, "A snapshot needs at least one reader")
    }
    guard let location else {
      throw SQLiteError(
        .misuse, "A database that is private to its connection cannot have a snapshot")
    }
    self.location = location
    self.count = count
    self.writer = writer
  }

  func snapshot() async throws -> DatabaseSnapshot {
    try Task.checkCancellation()
    guard count > 1 else { return try await waitingApart { try make() } }
    return try await writer.perform(deadline: nil) { try makeWhileNobodyWrites(&$0) }
  }

  func syncSnapshot() throws -> DatabaseSnapshot {
    guard count > 1 else { return try make() }
    return try writer.sync { try makeWhileNobodyWrites(&$0) }
  }

  private func make() throws -> DatabaseSnapshot {
    let label = writer.identity.label + ".snapshot"
    let connections = try (0..<count).map { _ in
      let connection = try location.openReader()
      guard try connection.pragma(.journalMode) == .wal else {
        throw SQLiteError(.misuse, "A snapshot needs a WAL; without one it would block writers")
      }
      try connection.beginReadTransaction()
      let attached = try connection.databases().filter {
        try connection.pragma(.journalMode, database: $0.name) == .wal
      }
      for database in attached {
        let schema = try quoted(identifier: database.name)
        try connection.execute(sql: "SELECT 1 FROM \(schema).sqlite_master LIMIT 1")
      }
      return SerialConnection(
        label: label, qos: .unspecified, target: nil, of: .snapshot,
        connection)
    }
    return DatabaseSnapshot(connections, label: label, qos: .unspecified)
  }

  private func makeWhileNobodyWrites(_ writer: inout sending Connection) throws -> DatabaseSnapshot
  {
    guard !writer.isReadOnly() else {
      throw SQLiteError(.misuse, "A snapshot of a read-only database can have only one reader")
    }
    let state = writer.state
    return try state.withoutRollbackObservers {
      try writer.transaction(.immediate) { _, command in
        command = .rollback
        return try make()
      }.value
    }
  }
}
