public import Sluice
import SluiceCore

/// The place where models are kept: a queue that is opened on first use, and the tables in it.
///
/// ```swift
/// enum App {
///   static let store = ModelStore(creating: Person.self, Message.self) {
///     try ConnectionQueue(path: "app.db", label: "app")
///   }
/// }
/// ```
///
/// Whoever calls it first opens the database, and makes the tables that are not there. If that fails,
/// it throws, and the next call tries again.
public final class ModelStore: Sendable {
  private let models: [any Model.Type]
  private let open: @Sendable () throws -> ConnectionQueue
  private let state = Locked(State())

  private struct State {
    var queue: ConnectionQueue?
    var hasTables = false
  }

  /// A store in what `open` returns, which is called once, on first use, and cannot use the store.
  ///
  /// The tables of `models` are created then, if they are not there, in the order in which the models
  /// are named.
  public init(
    creating models: any Model.Type...,
    opening open: @escaping @Sendable () throws -> ConnectionQueue
  ) {
    self.models = models
    self.open = open
  }

  /// A store whose database becomes known later, by ``use(_:)``; until then everything throws
  /// ``ResultCode/misuse``.
  public init(creating models: any Model.Type...) {
    self.models = models
    open = { throw SQLiteError(.misuse, "The store has not been told its database") }
  }

  /// Tells the store its database, which is done once: it throws ``ResultCode/misuse`` if there is one
  /// already.
  public func use(_ queue: ConnectionQueue) throws {
    try refuseOpening()
    try state.withLock { state in
      guard state.queue == nil else {
        throw SQLiteError(.misuse, "The store has a database already")
      }
      state.queue = queue
    }
  }

  /// The queue, in which the tables may still have to be created.
  public var queue: ConnectionQueue {
    get throws {
      try refuseOpening()
      return try state.withLock { state in
        if let queue = state.queue { return queue }
        let queue = try Self.$opening.withValue(Self.opening.union([ObjectIdentifier(self)])) {
          try open()
        }
        state.queue = queue
        return queue
      }
    }
  }

  /// The stores that are being opened by who is asking.
  @TaskLocal private static var opening: Set<ObjectIdentifier> = []

  /// Throws where waiting for the queue would be waiting for oneself.
  private func refuseOpening() throws {
    guard !Self.opening.contains(ObjectIdentifier(self)) else {
      throw SQLiteError(.misuse, "What opens a store cannot use it")
    }
  }
}

extension ModelStore {
  /// Lends the connection to `body` on the calling thread, in a transaction.
  @available(*, noasync, message: "Use write, which does not block the thread")
  @discardableResult
  public func syncWrite<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    let value = try queue.syncWrite { connection in
      try self.createTables(&connection)
      return try body(&connection)
    }
    noteTables()
    return value
  }

  /// Lends the connection to `body` in a transaction; the task waits, no thread does.
  @discardableResult
  public func write<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    let value = try await queue.write { connection in
      try self.createTables(&connection)
      return try body(&connection)
    }
    noteTables()
    return value
  }

  /// Lends the connection to `body` later in a transaction, and calls `completion` with what came of
  /// it.
  public func asyncWrite<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: (@Sendable (_ result: Result<T, any Error>) -> Void)? = nil
  ) {
    do {
      try queue.asyncWrite { connection in
        try self.createTables(&connection)
        return try body(&connection)
      } completion: { result in
        if case .success = result { self.noteTables() }
        completion?(result)
      }
    } catch { completion?(.failure(error)) }
  }

  /// Lends the connection to `body` on the calling thread.
  @available(*, noasync, message: "Use read, which does not block the thread")
  @discardableResult
  public func syncRead<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try queue.sync { connection in
      try self.createTables(&connection)
      self.noteTables()
      return try body(&connection)
    }
  }

  /// Lends the connection to `body`; the task waits, no thread does.
  @discardableResult
  public func read<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await queue.perform { connection in
      try self.createTables(&connection)
      self.noteTables()
      return try body(&connection)
    }
  }

  private func createTables(_ connection: inout sending Connection) throws {
    guard state.withLock({ state in !state.hasTables }) else { return }
    try connection.savepoint { connection in
      for model in models { try connection.createTable(of: model, ifNotExists: true) }
    }
  }

  /// Called when they are committed: what created them may have been undone.
  private func noteTables() { state.withLock { state in state.hasTables = true } }
}

/// A model that knows where it is kept.
///
/// ```swift
/// extension Person: StoredModel {
///   static var store: ModelStore { App.store }
/// }
///
/// let ada = try await Person.write { connection in
///   try connection.insert(Person(name: "Ada"))
/// }
/// ```
public protocol StoredModel: Model {
  /// The store, which any number of models have together.
  static var store: ModelStore { get }
}

extension StoredModel {
  /// Lends the connection of the store to `body` on the calling thread, in a transaction.
  @available(*, noasync, message: "Use write, which does not block the thread")
  @discardableResult
  public static func syncWrite<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try store.syncWrite(body)
  }

  /// Lends the connection of the store to `body` in a transaction; the task waits, no thread does.
  @discardableResult
  public static func write<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await store.write(body)
  }

  /// Lends the connection of the store to `body` later in a transaction, and calls `completion` with
  /// what came of it.
  public static func asyncWrite<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: @escaping @Sendable (_ result: Result<T, any Error>) -> Void
  ) {
    store.asyncWrite(body, completion: completion)
  }

  /// Lends the connection of the store to `body` on the calling thread.
  @available(*, noasync, message: "Use read, which does not block the thread")
  public static func syncRead<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try store.syncRead(body)
  }

  /// Lends the connection of the store to `body`; the task waits, no thread does.
  public static func read<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await store.read(body)
  }
}
