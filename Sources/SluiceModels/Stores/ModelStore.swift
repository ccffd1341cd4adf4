public import Sluice
import SluiceCore

/// A store for models: a queue that is opened on first use, with the tables of the models.
///
/// ```swift
/// enum Store {
///   static let shared = ModelStore(creating: Person.self, Message.self) {
///     try ConnectionQueue(path: "app.db", label: "app")
///   }
/// }
/// ```
///
/// The first call opens the database, and creates the missing tables. If this fails, the call throws, and the
/// next call tries again.
public final class ModelStore: Sendable {
  private let models: [any Model.Type]
  private let open: @Sendable () throws -> ConnectionQueue
  private let state = Locked(State())

  private struct State {
    var queue: ConnectionQueue?
    var hasTables = false
  }

  /// Creates a store that uses the queue that `open` returns.
  ///
  /// `open` is called on first use, and again on the next use if it throws. It cannot use the store. The first call
  /// that accesses the database creates the missing tables of `models`, in the order of `models`.
  public init(
    creating models: any Model.Type...,
    opening open: @escaping @Sendable () throws -> ConnectionQueue
  ) {
    self.models = models
    self.open = open
  }

  /// Creates a store whose database is set later by ``use(_:)``.
  ///
  /// Until then, every use throws ``ResultCode/misuse``.
  public init(creating models: any Model.Type...) {
    self.models = models
    open = { throw SQLiteError(.misuse, "The store has no database yet; set one with use(_:)") }
  }

  /// Sets the database of the store.
  ///
  /// The database can be set only once; if there already is one, this method throws ``ResultCode/misuse``.
  public func use(_ queue: ConnectionQueue) throws {
    try refuseOpening()
    try state.withLock { state in
      guard state.queue == nil else {
        throw SQLiteError(.misuse, "The store already has a database")
      }
      state.queue = queue
    }
  }

  /// The queue of the store; the tables may not exist yet.
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

  /// The stores that the current task is opening.
  @TaskLocal private static var opening: Set<ObjectIdentifier> = []

  /// Throws if the caller is opening this store, because the store would wait for itself.
  private func refuseOpening() throws {
    guard !Self.opening.contains(ObjectIdentifier(self)) else {
      throw SQLiteError(.misuse, "The closure that opens a store cannot use the store")
    }
  }
}

extension ModelStore {
  /// Calls `body` with the connection in a transaction, on the calling thread, and returns the result.
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

  /// Calls `body` with the connection in a transaction, and returns the result without blocking a thread.
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

  /// Schedules `body` to run with the connection in a transaction, and calls `completion` with the result.
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

  /// Calls `body` with the connection on the calling thread, and returns the result.
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

  /// Calls `body` with the connection, and returns the result without blocking a thread.
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

  /// Records that the tables exist; call it only after they are committed, because a rollback removes new tables.
  private func noteTables() { state.withLock { state in state.hasTables = true } }
}

/// A model that has its own store.
///
/// ```swift
/// extension Person: StoredModel {
///   static var store: ModelStore { Store.shared }
/// }
///
/// let ada = try await Person.write { connection in
///   try connection.insert(Person(name: "Ada"))
/// }
/// ```
public protocol StoredModel: Model {
  /// The store, which any number of models can share.
  static var store: ModelStore { get }
}

extension StoredModel {
  /// Calls `body` with the store's connection in a transaction, on the calling thread, and returns the result.
  @available(*, noasync, message: "Use write, which does not block the thread")
  @discardableResult
  public static func syncWrite<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try store.syncWrite(body)
  }

  /// Calls `body` with the store's connection in a transaction, and returns the result without blocking a thread.
  @discardableResult
  public static func write<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await store.write(body)
  }

  /// Schedules `body` to run with the store's connection in a transaction, and calls `completion` with the
  /// result.
  public static func asyncWrite<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    completion: @escaping @Sendable (_ result: Result<T, any Error>) -> Void
  ) {
    store.asyncWrite(body, completion: completion)
  }

  /// Calls `body` with the store's connection on the calling thread, and returns the result.
  @available(*, noasync, message: "Use read, which does not block the thread")
  public static func syncRead<T: Sendable>(
    _ body: sending (_ connection: inout sending Connection) throws -> T
  ) throws -> T {
    try store.syncRead(body)
  }

  /// Calls `body` with the store's connection, and returns the result without blocking a thread.
  public static func read<T: Sendable>(
    _ body: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) async throws -> T {
    try await store.read(body)
  }
}
