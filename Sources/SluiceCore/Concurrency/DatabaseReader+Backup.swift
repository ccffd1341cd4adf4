/// Methods that copy databases owned by queues and pools.
extension DatabaseReader {
  /// Replaces the content of another database with a copy of this one, without blocking a thread.
  ///
  /// ```swift
  /// try await pool.backup(to: copy)
  /// ```
  ///
  /// The copy is a snapshot of this database, unaffected by concurrent writes. It is written in steps of
  /// `pagesPerStep` pages, or of 1000 pages if `pagesPerStep` is nil. `destination` runs no other work until
  /// the copy is complete.
  ///
  /// If the task is cancelled, even while it waits for one of the databases, the destination keeps its content.
  /// In all other respects, this method behaves like
  /// ``Connection/backup(to:database:as:pagesPerStep:busyLimit:progress:)``, which documents the parameters and
  /// errors.
  public func backup(
    to destination: some DatabaseWriter, pagesPerStep: Int? = nil,
    progress: (@Sendable (_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) async throws {
    let copy = DatabaseCopy(
      source: self, destination: destination, pagesPerStep: pagesPerStep, progress: progress)
    try await withTaskCancellationHandler {
      try await copy.run()
    } onCancel: {
      copy.second.stop()
    }
  }

  /// Replaces the content of another database with a copy of this one, on the calling thread.
  @available(*, noasync, message: "Use backup, which does not block the thread")
  public func syncBackup(
    to destination: some DatabaseWriter, pagesPerStep: Int? = nil,
    progress: (@Sendable (_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) throws {
    try DatabaseCopy(
      source: self, destination: destination, pagesPerStep: pagesPerStep, progress: progress
    ).runBlocking()
  }

  /// Copies this database to a new file at `path`, without blocking a thread.
  ///
  /// The copy is a snapshot of this database, unaffected by concurrent writes. In all other respects, this
  /// method behaves like the method of ``Connection`` that accepts a path.
  public func backup(
    to path: String, overwriting: Bool = false, pagesPerStep: Int? = nil,
    progress: (@Sendable (_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) async throws {
    try await read { connection in
      try connection.takeSnapshot()
      try connection.backup(
        to: path, overwriting: overwriting, pagesPerStep: pagesPerStep, progress: progress)
    }
  }

  /// Copies this database to a new file at `path` on the calling thread.
  @available(*, noasync, message: "Use backup, which does not block the thread")
  public func syncBackup(
    to path: String, overwriting: Bool = false, pagesPerStep: Int? = nil,
    progress: (@Sendable (_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) throws {
    try syncRead { connection in
      try connection.takeSnapshot()
      try connection.backup(
        to: path, overwriting: overwriting, pagesPerStep: pagesPerStep, progress: progress)
    }
  }
}

/// An operation that copies one database to another, and needs both connections on one thread.
///
/// The connections of two queues are acquired in a fixed order, regardless of which is the source. Two copies
/// in opposite directions therefore cannot deadlock.
private struct DatabaseCopy<Source: DatabaseReader, Destination: DatabaseWriter>: Sendable {
  let source: Source
  let destination: Destination
  let pagesPerStep: Int?
  let progress: (@Sendable (Int, Int) throws -> Void)?
  /// The job that waits for the second connection while the first one is held.
  let second = CurrentJob()

  func run() async throws {
    if let serial = connectionTakenSecond {
      try await source.read { try self.run(from: &$0, to: serial) }
    } else {
      try await destination.perform { try self.run(to: &$0) }
    }
  }

  func runBlocking() throws {
    if let serial = connectionTakenSecond {
      try source.syncRead { try self.run(from: &$0, to: serial) }
    } else {
      try destination.sync { try self.run(to: &$0) }
    }
  }

  /// The destination's connection if it is acquired after the source's connection; otherwise nil.
  private var connectionTakenSecond: SerialConnection? {
    guard let own = try? source.observableAccess,
      let serial = try? destination.observableAccess.writer
    else { return nil }
    switch own.source {
    case .pool: return serial
    case .serial(let other), .guarded(let other):
      return ObjectIdentifier(other) < ObjectIdentifier(serial) ? serial : nil
    }
  }

  private func run(from source: inout sending Connection, to serial: SerialConnection) throws {
    let source = Lent(source)
    try serial.sync(second) { destination in
      try unsafe copy(source.value, to: destination)
    }
  }

  private func run(to destination: inout sending Connection) throws {
    let destination = Lent(destination)
    switch try? source.observableAccess.source {
    case .serial(let serial), .guarded(let serial):
      try serial.sync(second) { source in
        try transactGuarded(&source) { try unsafe copy($0, to: destination.value) }
      }
    case .pool, nil:
      try source.syncRead { try unsafe copy($0, to: destination.value) }
    }
  }

  private func copy(_ source: Connection, to destination: Connection) throws {
    try source.takeSnapshot()
    // The copy can be cancelled, and the destination suspended or closed, only between two steps. The copy is
    // therefore made in several steps.
    try source.backup(to: destination, pagesPerStep: pagesPerStep ?? 1000, progress: progress)
  }
}
