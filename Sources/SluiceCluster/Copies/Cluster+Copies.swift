import SluiceCore

/// Copies of a database to and from a file.
extension Cluster {
  /// Copies the database to a new file, without blocking a thread.
  ///
  /// ```swift
  /// try await cluster.backup(to: "backup.db")
  /// ```
  ///
  /// The copy contains every change that was committed before the call. A follower makes it, so the leader continues
  /// to work; if no follower answers, the leader makes it. The node needs memory for another copy of the database, and
  /// executes nothing else meanwhile. This process needs little memory. The file appears when it is complete, has
  /// passed `PRAGMA quick_check`, and is on the disk. Until then, writes of this object wait.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - overwriting: Whether to replace an existing file.
  ///   - deadline: The instant at which the method throws; nil for no limit.
  ///   - progress: A closure that receives the number of bytes that were copied, and of all bytes. If it throws, there
  ///     is no new file. After a failure of a node, the bytes are counted from the beginning again.
  /// - Throws: ``ResultCode/cantOpen`` if the file exists and `overwriting` is false, or if a program seems to be
  ///   using it, ``ResultCode/notFound`` if the database does not exist or is empty, ``ResultCode/busy`` while the
  ///   database is being restored, ``ResultCode/ioError`` if the file cannot be written, and the errors of
  ///   ``perform(qos:deadline:_:)``.
  public func backup(
    to path: String, overwriting: Bool = false, deadline: ContinuousClock.Instant? = nil,
    progress: (@Sendable (_ byteCount: Int, _ totalByteCount: Int) throws -> Void)? = nil
  ) async throws {
    let database = database
    try await linked(deadline: deadline) { link in
      try Self.backup(link, database, path, overwriting, progress)
    }
  }

  /// Copies the database to a new file on the calling thread; see ``backup(to:overwriting:deadline:progress:)``.
  @available(*, noasync, message: "Use backup, which does not block the thread")
  public func syncBackup(
    to path: String, overwriting: Bool = false, deadline: ContinuousClock.Instant? = nil,
    progress: (@Sendable (_ byteCount: Int, _ totalByteCount: Int) throws -> Void)? = nil
  ) throws {
    try syncLinked(deadline: deadline) { link in
      try Self.backup(link, database, path, overwriting, progress)
    }
  }

  /// Copies a database file into the database, which must be empty, without blocking a thread.
  ///
  /// ```swift
  /// let restored = try Cluster(nodes: nodes, database: "restored")
  /// try await restored.restore(from: "backup.db")
  /// ```
  ///
  /// The copy consists of many transactions, because a large one would hold up the cluster. Until it is complete, whoever
  /// connects to the database gets ``ResultCode/busy``. If the copy ends early, call the method again with the same file:
  /// it continues where it has stopped. Another file can be restored only under another name. This process needs memory
  /// for one row and 256 KB.
  ///
  /// The copy has the same tables, rows with their rowids, indexes, views, triggers, virtual tables, statistics,
  /// `user_version` and `application_id`. Triggers do not run, and foreign keys are not checked.
  ///
  /// - Parameters:
  ///   - path: The path of the file, which must not change meanwhile. A WAL next to it belongs to the database.
  ///   - deadline: The instant at which the method throws; nil for no limit.
  ///   - progress: A closure that receives the number of rows that were copied, including those of an earlier call, and
  ///     of all rows. If it throws, the copy stops.
  /// - Throws: ``ResultCode/cantOpen`` if the file does not exist, ``ResultCode/notADatabase`` if it is no database,
  ///   ``ResultCode/misuse`` if the database of the cluster is not empty, ``ResultCode/mismatch`` if it contains a
  ///   part of another file or if the text of the file is UTF-16, ``ResultCode/tooBig`` if a row does not fit into a
  ///   request, and the errors of ``perform(qos:deadline:_:)``.
  public func restore(
    from path: String, deadline: ContinuousClock.Instant? = nil,
    progress: (@Sendable (_ rowCount: Int, _ totalRowCount: Int) throws -> Void)? = nil
  ) async throws {
    let database = database
    try await linked(deadline: deadline) { link in
      try Self.restore(link, database, path, progress)
    }
  }

  /// Copies a database file into the database on the calling thread; see ``restore(from:deadline:progress:)``.
  @available(*, noasync, message: "Use restore, which does not block the thread")
  public func syncRestore(
    from path: String, deadline: ContinuousClock.Instant? = nil,
    progress: (@Sendable (_ rowCount: Int, _ totalRowCount: Int) throws -> Void)? = nil
  ) throws {
    try syncLinked(deadline: deadline) { link in
      try Self.restore(link, database, path, progress)
    }
  }

  private static func backup(
    _ link: LeaderLink, _ database: String, _ path: String, _ overwriting: Bool,
    _ progress: ((Int, Int) throws -> Void)?
  ) throws {
    let copy = try ReceivedCopy(path, overwriting: overwriting)
    defer {
      copy.abandon()
      link.close()
    }
    try ClusterBackup(link, of: database).run(to: copy, progress: progress)
  }

  private static func restore(
    _ link: LeaderLink, _ database: String, _ path: String,
    _ progress: ((Int, Int) throws -> Void)?
  ) throws {
    let source = try Connection(path: path, readOnly: true)
    guard try source.first(.column(.int), sql: "PRAGMA page_count") ?? 0 > 0 else {
      throw SQLiteError(.notADatabase, "The file is empty and contains no database: \(path)")
    }
    defer { link.close() }
    try ClusterRestore(link, of: database).run(from: source, progress: progress)
  }
}
