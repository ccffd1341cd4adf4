import CSluice
public import Dispatch
import Synchronization

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
    guard let line = try takeReader() else { return try syncReadInTurn(deadline: nil, body) }
    defer { give(line) }
    return try line.sync { connection in try transactReadingLater(&connection, body) }
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
        try transactGuarded(&connection, body)
      }
    }
    if owesJournal { _ = try? writer.sync(until: deadline) { _ in } }
    return try readers.sync(deadline: deadline) { connection in
      try transactReadingLater(&connection, body)
    }
  }
}
