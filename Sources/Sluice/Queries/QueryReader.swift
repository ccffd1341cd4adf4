public import SluiceCore

/// What reads a database: a queue, a read queue or a pool.
///
/// Queries in `.sql` files that read become functions of all of them.
public protocol QueryReader: Sendable {
  /// Lends a connection that reads to `body`; the task waits, no thread does.
  func performReading<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T

  /// Lends a connection that reads to `body` on the calling thread.
  @available(*, noasync, message: "Use performReading, which does not block the thread")
  func syncReading<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T
}

/// What reads and writes a database: a queue or a pool.
///
/// Queries in `.sql` files that write become functions of both, and not of a ``ConnectionReadQueue``.
public protocol QueryWriter: QueryReader {
  /// Lends the connection that writes to `body`; the task waits, no thread does.
  func performWriting<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T

  /// Lends the connection that writes to `body` on the calling thread.
  @available(*, noasync, message: "Use performWriting, which does not block the thread")
  func syncWriting<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T
}

extension ConnectionQueue: QueryWriter {
  /// Lends the connection to `body`; see ``perform(qos:deadline:_:)``.
  public func performReading<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await perform(body)
  }

  /// Lends the connection to `body` on the calling thread.
  @available(*, noasync, message: "Use performReading, which does not block the thread")
  public func syncReading<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try sync(body)
  }

  /// Lends the connection to `body`; see ``perform(qos:deadline:_:)``.
  public func performWriting<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await perform(body)
  }

  /// Lends the connection to `body` on the calling thread.
  @available(*, noasync, message: "Use performWriting, which does not block the thread")
  public func syncWriting<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try sync(body)
  }
}

extension ConnectionReadQueue: QueryReader {
  /// Lends the connection to `body`; see ``perform(qos:deadline:_:)``.
  public func performReading<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await perform(body)
  }

  /// Lends the connection to `body` on the calling thread.
  @available(*, noasync, message: "Use performReading, which does not block the thread")
  public func syncReading<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try sync(body)
  }
}

extension ConnectionPool: QueryWriter {
  /// Lends a connection that reads to `body`, in a transaction; see ``read(deadline:_:)``.
  public func performReading<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await read(body)
  }

  /// Lends a connection that reads to `body` on the calling thread, in a transaction.
  @available(*, noasync, message: "Use performReading, which does not block the thread")
  public func syncReading<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try syncRead(body)
  }

  /// Lends the connection that writes to `body`, without a transaction; see ``perform(deadline:_:)``.
  public func performWriting<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await perform(body)
  }

  /// Lends the connection that writes to `body` on the calling thread, without a transaction.
  @available(*, noasync, message: "Use performWriting, which does not block the thread")
  public func syncWriting<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try sync(body)
  }
}
