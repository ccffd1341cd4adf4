import CSluice
public import Dispatch

/// One state of a database, which threads and tasks read while others write.
///
/// ```swift
/// let snapshot = try await pool.snapshot()
/// let count = try await snapshot.read { connection in
///   try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
/// }
/// // Other reads of the snapshot return the same count, whatever is written meanwhile.
/// try await snapshot.close()
/// ```
///
/// A snapshot has connections of its own, each of which is in a read transaction until the snapshot is closed or
/// released. It outlives its pool or queue, but then the last checkpoint is not complete: as long as a file with the suffix
/// `-wal` is there, a copy of the database file alone is not a database. Writing throws ``ResultCode/readOnly``. A body that ends the transaction
/// throws ``ResultCode/misuse``, and its connection is closed.
///
/// Databases that the configuration attaches are part of the snapshot if they have a WAL.
///
/// A snapshot keeps the WAL from being emptied, so that the WAL grows with each write: close it soon. An app that suspends
/// its pool closes its snapshots before.
///
/// Observing a snapshot delivers the first value only.
public final class DatabaseSnapshot: Sendable {
  private let readers: ReaderPool
  /// The first of the connections, whose queue runs completions.
  private let first: SerialConnection

  /// Makes a snapshot of connections that are in a read transaction.
  fileprivate init(_ connections: [SerialConnection], label: String, qos: DispatchQoS) {
    readers = ReaderPool(connections, label: label, qos: qos)
    first = connections[0]
  }
}

extension DatabaseSnapshot: DatabaseReader {
  /// Runs `body` on a connection of the snapshot, and returns its value; the task waits without blocking a thread.
  ///
  /// When the task is cancelled or the `deadline` passes, `body` does not begin, or is interrupted.
  @discardableResult
  public func read<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await readers.perform(deadline: deadline) { try transactReadingLater(&$0, body) }
  }

  /// Runs `body` on a connection of the snapshot on the calling thread, and returns its value.
  ///
  /// It throws ``DeadlineError`` if `body` has not returned by the `deadline`.
  @available(*, noasync, message: "Use read, which does not block the thread")
  @discardableResult
  public func syncRead<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    guard !readers.isHeld(by: sluice_current_thread()) else { throw first.nested }
    return try readers.sync(deadline: deadline) { try transactReadingLater(&$0, body) }
  }

  /// Runs `body` on a connection of the snapshot later, and calls `completion` with the result.
  ///
  /// The call is part of `group` until its completion has returned.
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

/// Closing a snapshot ends its read transactions.
extension DatabaseSnapshot {
  /// Closes the connections; the task waits without blocking a thread.
  ///
  /// Later calls throw ``ResultCode/misuse``. `mode` decides about earlier calls. A second call has no effect. Cancelling
  /// the task does not stop it.
  public func close(_ mode: CloseMode = .drain) async throws {
    try await waitingApart { try self.end(mode) }
  }

  /// Closes the connections on the calling thread; see ``close(_:)``.
  @available(*, noasync, message: "Use close, which does not block the thread")
  public func syncClose(_ mode: CloseMode = .drain) throws { try end(mode) }

  /// Closes the connections later, and calls `completion` with the result; see ``close(_:)``.
  public func asyncClose(
    _ mode: CloseMode = .drain,
    completion: (@Sendable (_ result: Result<Void, any Error>) -> Void)? = nil
  ) {
    first.complete(apart: { try self.end(mode) }, completion)
  }

  private func end(_ mode: CloseMode) throws {
    guard !readers.isHeld(by: sluice_current_thread()) else { throw first.nested }
    try readers.close(mode)
  }
}

extension DatabaseSnapshot: ObservableDatabase {
  var access: DatabaseAccess { DatabaseAccess(source: .pool(readers), writer: first) }
}

// MARK: - Taking snapshots

extension ConnectionPool {
  /// Takes a snapshot of what has been committed; the task waits without blocking a thread.
  ///
  /// A task that is cancelled takes none. The snapshot reads with so many connections at the same time as `readers` says. They are opened now. For more than
  /// one, nothing else is written meanwhile, so that all of them find the same state.
  ///
  /// It throws ``ResultCode/misuse`` for less than one reader, a database that belongs to its connection alone, as one in
  /// memory does, and a database without a WAL, whose snapshot would keep others from writing. A database that can only be
  /// read has snapshots of one reader. If the file was moved, deleted or replaced since the pool opened it, the call
  /// throws ``ResultCode/cantOpen``, and ``ResultCode/interrupt`` if the pool is suspended. More than one reader can throw
  /// ``ResultCode/busy`` while another process writes.
  public func snapshot(readers: Int = 1) async throws -> DatabaseSnapshot {
    try await SnapshotMaker(location, readers, writer).snapshot()
  }

  /// Takes a snapshot of what has been committed, on the calling thread.
  ///
  /// In an access to the connection that writes, a snapshot of one reader holds what the access has committed: it can be
  /// read on other threads while the access goes on writing. In all else it is like ``snapshot(readers:)``.
  @available(*, noasync, message: "Use snapshot, which does not block the thread")
  public func syncSnapshot(readers: Int = 1) throws -> DatabaseSnapshot {
    if readers > 1 { try refuseNested() }
    return try SnapshotMaker(location, readers, writer).syncSnapshot()
  }
}

extension ConnectionQueue {
  /// Takes a snapshot of what has been committed; the task waits without blocking a thread.
  ///
  /// In all else it is like that of a pool, ``ConnectionPool/snapshot(readers:)``.
  public func snapshot(readers: Int = 1) async throws -> DatabaseSnapshot {
    try await SnapshotMaker(location, readers, serial).snapshot()
  }

  /// Takes a snapshot of what has been committed, on the calling thread.
  ///
  /// In all else it is like that of a pool, ``ConnectionPool/syncSnapshot(readers:)``.
  @available(*, noasync, message: "Use snapshot, which does not block the thread")
  public func syncSnapshot(readers: Int = 1) throws -> DatabaseSnapshot {
    try SnapshotMaker(location, readers, serial).syncSnapshot()
  }
}

/// Opens the connections of a snapshot.
private struct SnapshotMaker: Sendable {
  let location: DatabaseLocation
  let count: Int
  let writer: SerialConnection

  init(_ location: DatabaseLocation?, _ count: Int, _ writer: SerialConnection) throws {
    try writer.refuseEnded()
    guard !writer.interruptState.has(InterruptState.suspended) else {
      throw SQLiteError(.interrupt, "The \(writer.owner) is suspended")
    }
    guard count > 0 else {
      throw SQLiteError(.misuse, "A snapshot needs at least one reader")
    }
    guard let location else {
      throw SQLiteError(
        .misuse, "A snapshot needs a database file; this database is private to its connection")
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
    let label = writer.label + ".snapshot"
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
        label: label, qos: .unspecified, target: nil, keepsTransactions: true, of: .snapshot,
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
