public import Dispatch

/// Immediate write transactions; see ``TransactionKind/immediate``.
extension DatabaseWriter {
  /// Runs `body` in an immediate transaction, commits the transaction, and returns the result of `body`.
  ///
  /// This method is equivalent to `transaction` with the kind ``TransactionKind/immediate``.
  @discardableResult
  public func write<T: Sendable>(
    retries: Int = 0, deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await transaction(.immediate, retries: retries, deadline: deadline, body)
  }

  /// Runs `body` on the calling thread in an immediate transaction, and returns the result of `body`.
  @inlinable
  @available(*, noasync, message: "Use write, which does not block the thread")
  @discardableResult
  public func syncWrite<T: Sendable>(
    retries: Int = 0, deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try syncTransaction(.immediate, retries: retries, deadline: deadline, body)
  }

  /// Schedules `body` to run in an immediate transaction, and calls `completion` with the result.
  public func asyncWrite<T: Sendable>(
    retries: Int = 0, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    asyncTransaction(
      .immediate, retries: retries, group: group, qos: qos, body, completion: completion)
  }
}

/// Transactions on the write connection.
extension DatabaseWriter {
  /// Runs `body` in a transaction, commits the transaction, and returns the result of `body`.
  @discardableResult
  public func transaction<T: Sendable>(
    _ kind: TransactionKind = .immediate, retries: Int = 0,
    deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await perform(qos: .unspecified, deadline: deadline) { connection in
      try transact(&connection, kind, retries: retries) { connection, _ in
        try body(&connection)
      }.value
    }
  }

  /// Runs `body` in a transaction on the calling thread, and returns the result of `body`.
  @inlinable
  @available(*, noasync, message: "Use transaction, which does not block the thread")
  @discardableResult
  public func syncTransaction<T: Sendable>(
    _ kind: TransactionKind = .immediate, retries: Int = 0,
    deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try sync(deadline: deadline) { connection in
      try transact(&connection, kind, retries: retries) { connection, _ in
        try body(&connection)
      }.value
    }
  }

  /// Schedules `body` to run in a transaction, and calls `completion` with the result.
  public func asyncTransaction<T: Sendable>(
    _ kind: TransactionKind = .immediate, retries: Int = 0, group: DispatchGroup? = nil,
    qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    async(
      group: group, qos: qos,
      { connection in
        try transact(&connection, kind, retries: retries) { connection, _ in
          try body(&connection)
        }.value
      }, completion: completion)
  }

  /// Runs `body` in a transaction, which `body` can roll back by setting `command`.
  ///
  /// - Returns: The command, and the result of `body`.
  @discardableResult
  public func transaction<T: Sendable>(
    _ kind: TransactionKind = .immediate, retries: Int = 0,
    deadline: ContinuousClock.Instant? = nil,
    _ body:
      @escaping @Sendable (
        _ connection: inout sending Connection, _ command: inout TransactionCommand
      ) throws -> T
  ) async throws -> (command: TransactionCommand, value: T) {
    try await perform(qos: .unspecified, deadline: deadline) { connection in
      try transact(&connection, kind, retries: retries, body)
    }
  }

  /// Runs `body` on the calling thread in a transaction, which `body` can roll back by setting `command`.
  ///
  /// - Returns: The command, and the result of `body`.
  @inlinable
  @available(*, noasync, message: "Use transaction, which does not block the thread")
  @discardableResult
  public func syncTransaction<T: Sendable>(
    _ kind: TransactionKind = .immediate, retries: Int = 0,
    deadline: ContinuousClock.Instant? = nil,
    _ body:
      sending (
        _ connection: inout sending Connection, _ command: inout TransactionCommand
      ) throws -> T
  ) throws -> (command: TransactionCommand, value: T) {
    try sync(deadline: deadline) { connection in
      try transact(&connection, kind, retries: retries, body)
    }
  }

  /// Schedules `body` to run in a transaction, which `body` can roll back by setting `command`.
  public func asyncTransaction<T: Sendable>(
    _ kind: TransactionKind = .immediate, retries: Int = 0, group: DispatchGroup? = nil,
    qos: DispatchQoS = .unspecified,
    _ body:
      @escaping @Sendable (
        _ connection: inout sending Connection, _ command: inout TransactionCommand
      ) throws -> T,
    completion: (
      @Sendable (_ result: Result<(command: TransactionCommand, value: T), any Error>) -> Void
    )? = nil
  ) {
    async(
      group: group, qos: qos,
      { connection in
        try transact(&connection, kind, retries: retries, body)
      }, completion: completion)
  }
}

/// Savepoints on the write connection.
extension DatabaseWriter {
  /// Runs `body` in a savepoint, releases the savepoint, and returns the result of `body`.
  @discardableResult
  public func savepoint<T: Sendable>(
    _ name: String? = nil, deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await perform(qos: .unspecified, deadline: deadline) { connection in
      try transact(&connection, .deferred, name: name) { connection, _ in
        try body(&connection)
      }.value
    }
  }

  /// Runs `body` in a savepoint on the calling thread, and returns the result of `body`.
  @inlinable
  @available(*, noasync, message: "Use savepoint, which does not block the thread")
  @discardableResult
  public func syncSavepoint<T: Sendable>(
    _ name: String? = nil, deadline: ContinuousClock.Instant? = nil,
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try sync(deadline: deadline) { connection in
      try transact(&connection, .deferred, name: name) { connection, _ in
        try body(&connection)
      }.value
    }
  }

  /// Schedules `body` to run in a savepoint, and calls `completion` with the result.
  public func asyncSavepoint<T: Sendable>(
    _ name: String? = nil, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    async(
      group: group, qos: qos,
      { connection in
        try transact(&connection, .deferred, name: name) { connection, _ in
          try body(&connection)
        }.value
      }, completion: completion)
  }

  /// Runs `body` in a savepoint, which `body` can roll back by setting `command`.
  ///
  /// - Returns: The command, and the result of `body`.
  @discardableResult
  public func savepoint<T: Sendable>(
    _ name: String? = nil, deadline: ContinuousClock.Instant? = nil,
    _ body:
      @escaping @Sendable (
        _ connection: inout sending Connection, _ command: inout TransactionCommand
      ) throws -> T
  ) async throws -> (command: TransactionCommand, value: T) {
    try await perform(qos: .unspecified, deadline: deadline) { connection in
      try transact(&connection, .deferred, name: name, body)
    }
  }

  /// Runs `body` on the calling thread in a savepoint, which `body` can roll back by setting `command`.
  ///
  /// - Returns: The command, and the result of `body`.
  @inlinable
  @available(*, noasync, message: "Use savepoint, which does not block the thread")
  @discardableResult
  public func syncSavepoint<T: Sendable>(
    _ name: String? = nil, deadline: ContinuousClock.Instant? = nil,
    _ body:
      sending (
        _ connection: inout sending Connection, _ command: inout TransactionCommand
      ) throws -> T
  ) throws -> (command: TransactionCommand, value: T) {
    try sync(deadline: deadline) { connection in
      try transact(&connection, .deferred, name: name, body)
    }
  }

  /// Schedules `body` to run in a savepoint, which `body` can roll back by setting `command`.
  public func asyncSavepoint<T: Sendable>(
    _ name: String? = nil, group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified,
    _ body:
      @escaping @Sendable (
        _ connection: inout sending Connection, _ command: inout TransactionCommand
      ) throws -> T,
    completion: (
      @Sendable (_ result: Result<(command: TransactionCommand, value: T), any Error>) -> Void
    )? = nil
  ) {
    async(
      group: group, qos: qos,
      { connection in
        try transact(&connection, .deferred, name: name, body)
      }, completion: completion)
  }
}
