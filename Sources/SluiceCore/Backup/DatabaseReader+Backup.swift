/// Copies of databases that queues and pools own.
extension DatabaseReader {
  /// Copies this database to another one, whose content is replaced; the task waits without blocking a thread.
  ///
  /// ```swift
  /// try await pool.backup(to: copy)
  /// ```
  ///
  /// The copy is the state of one read of this database, whatever others write meanwhile. `destination` runs no
  /// other work until the copy is complete. In all else it is like
  /// ``Connection/backup(to:database:as:pagesPerStep:busyLimit:progress:)``, which defines the parameters
  /// and errors. A database that is copied to itself throws ``ResultCode/misuse``. When the task is cancelled, the
  /// destination keeps its content.
  public func backup(
    to destination: some DatabaseWriter, pagesPerStep: Int? = nil,
    progress: (@Sendable (_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) async throws {
    try await destination.perform { target in
      try self.copy(to: &target, pagesPerStep: pagesPerStep, progress: progress)
    }
  }

  /// Copies this database to another one on the calling thread.
  @available(*, noasync, message: "Use backup, which does not block the thread")
  public func syncBackup(
    to destination: some DatabaseWriter, pagesPerStep: Int? = nil,
    progress: (@Sendable (_ remainingPages: Int, _ pageCount: Int) throws -> Void)? = nil
  ) throws {
    try destination.sync { target in
      try self.copy(to: &target, pagesPerStep: pagesPerStep, progress: progress)
    }
  }

  /// Copies this database to a new file at `path`; the task waits without blocking a thread.
  ///
  /// The copy is the state of one read of this database, whatever others write meanwhile. In all else it is like
  /// the method of a ``Connection`` that takes a path.
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

  private func copy(
    to target: inout sending Connection, pagesPerStep: Int?,
    progress: (@Sendable (Int, Int) throws -> Void)?
  ) throws {
    let target = LentTarget(target)
    try syncRead { source in
      try source.takeSnapshot()
      try unsafe source.backup(
        to: target.connection, pagesPerStep: pagesPerStep, progress: progress)
    }
  }
}

/// The target of a backup, for the closure that has the source; `copy` has it for longer than that.
@safe private final class LentTarget: Sendable {
  nonisolated(unsafe) let connection: Connection
  init(_ connection: Connection) { unsafe self.connection = connection }
}
