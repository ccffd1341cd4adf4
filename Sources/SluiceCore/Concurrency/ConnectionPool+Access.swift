import CSluice
import Synchronization

/// Reading and writing, on the calling thread or awaited.
extension ConnectionPool {
  /// Runs `body` in a read transaction: it sees one state of the database, whatever others write.
  ///
  /// That is the state in which its first query finds the database. Writing throws ``ResultCode/readOnly``. The task
  /// waits, no thread does. If it is cancelled, or if the `deadline` passes, `body` does not begin or is interrupted, as
  /// with ``ConnectionQueue/perform(qos:deadline:_:)``.
  public func read<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    guard let readers else {
      return try await writer.perform(deadline: deadline) { connection in
        try onlyReading(&connection) { try transactReadingLater(&$0, body) }
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
  public func syncRead<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    guard let line = try takeReader() else { return try syncReadInTurn(deadline: nil, body) }
    defer { give(line) }
    return try line.sync { connection in try transactReadingLater(&connection, body) }
  }

  /// Runs `body` in a read transaction on the calling thread, and throws ``DeadlineError`` if it has not returned by
  /// then.
  ///
  /// For all else, and without a `deadline`, it is like ``syncRead(_:)``.
  @available(*, noasync, message: "Use read, which does not block the thread")
  public func syncRead<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try syncReadInTurn(deadline: deadline, body)
  }

  /// Runs `body` in a transaction that begins by getting the lock to write.
  ///
  /// What `body` does is committed when it returns, and undone when it throws. If another process keeps it from
  /// writing, all of it is run again up to `retries` times, as with
  /// ``ConnectionQueue/transaction(_:retries:deadline:_:)``. The task waits, no thread does. If it is cancelled, or
  /// if the `deadline` passes, `body` does not begin or is interrupted and undone.
  public func write<T: Sendable>(
    retries: Int = 0, deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await writer.perform(deadline: deadline) { connection in
      try transact(&connection, .immediate, retries: retries) { connection, _ in
        try body(&connection)
      }.value
    }
  }

  /// Runs `body` on the calling thread in a transaction that begins by getting the lock to write.
  ///
  /// What it does is committed when it returns, and undone when it throws.
  @available(*, noasync, message: "Use write, which does not block the thread")
  public func syncWrite<T: Sendable>(
    retries: Int = 0, deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try refuseNested()
    return try writer.sync(until: deadline) { connection in
      try transact(&connection, .immediate, retries: retries) { connection, _ in
        try body(&connection)
      }.value
    }
  }

  /// Lends the connection that writes, without a transaction: for `VACUUM`, checkpoints and settings.
  public func perform<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await writer.perform(deadline: deadline, body)
  }

  /// Lends the connection that writes on the calling thread, without a transaction: for `VACUUM`, checkpoints
  /// and settings.
  @available(*, noasync, message: "Use perform, which does not block the thread")
  public func sync<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try refuseNested()
    return try writer.sync(until: deadline, body)
  }
}

extension ConnectionPool {
  /// A connection that reads, if there is one that the calling thread can have without more ado.
  @usableFromInline
  func takeReader() throws -> ConnectionLine? {
    let thread = sluice_current_thread()
    guard writer.alarm.holder.load(ordering: .relaxed) != thread else { throw Self.nested }
    return owesJournal ? nil : try readers?.takeIdle(for: thread)
  }

  /// Whether the writer has to undo something before anybody can read.
  private var owesJournal: Bool { writer.alarm.shows(Alarm.journal) }

  /// Takes back what `takeReader()` has given.
  @usableFromInline
  func give(_ line: ConnectionLine) { readers?.give(line) }

  /// Reads on the calling thread, which waits for a connection.
  @usableFromInline
  func syncReadInTurn<T: Sendable>(
    deadline: ContinuousClock.Instant?, _ body: (inout sending Connection) throws -> T
  ) throws -> T {
    try refuseNested()
    guard let readers else {
      return try writer.sync(until: deadline) { connection in
        try onlyReading(&connection) { try transactReadingLater(&$0, body) }
      }
    }
    if owesJournal { _ = try? writer.sync(until: deadline) { _ in } }
    return try readers.sync(deadline: deadline) { connection in
      try transactReadingLater(&connection, body)
    }
  }
}
