import Sluice

/// A public member of a queue, and how it is used.
struct QueueEntry<Queue: Sendable>: Sendable {
  typealias Done = @Sendable (Result<Void, any Error>) -> Void

  let symbol: String
  let refusals: Refusals
  /// Whether the queue is closed by it.
  var closes = false
  /// Calls the closure with what came of it, at once or later.
  let use: @Sendable (Queue, @escaping Done) -> Void

  /// A member that waits on the thread that calls it.
  static func waits<Value>(
    _ symbol: String, _ refusals: Refusals = .waits,
    _ use: @escaping @Sendable (Queue) throws -> Value
  ) -> Self {
    Self(symbol: symbol, refusals: refusals) { queue, done in
      done(Result { _ = try use(queue) })
    }
  }

  /// The member that closes the queue, also if it is closed.
  static func closes(
    _ symbol: String, _ use: @escaping @Sendable (Queue) throws -> Void
  ) -> Self {
    var entry = waits(symbol, .waits.but(.closed, nil), use)
    entry.closes = true
    return entry
  }

  /// A member that awaits.
  static func awaits<Value>(
    _ symbol: String, _ use: @escaping @Sendable (Queue) async throws -> Value
  ) -> Self {
    Self(symbol: symbol, refusals: .isLater) { queue, done in
      Task {
        do {
          _ = try await use(queue)
          done(.success(()))
        } catch { done(.failure(error)) }
      }
    }
  }

  /// A member that calls a completion.
  static func completes(
    _ symbol: String, _ use: @escaping @Sendable (Queue, @escaping Done) -> Void
  ) -> Self {
    Self(symbol: symbol, refusals: .isLater, use: use)
  }
}

extension MisuseMatrix {
  static let queue: [QueueEntry<ConnectionQueue>] = [
    .closes("ConnectionQueue.close()") { try $0.close() },
    .waits("ConnectionQueue.sync(_:)") { try $0.sync { try $0.execute(sql: select) } },
    .waits("ConnectionQueue.syncTransaction(_:_:)") {
      try $0.syncTransaction { connection, _ in try connection.execute(sql: insert) }
    },
    .waits("ConnectionQueue.syncSavepoint(_:_:)") {
      try $0.syncSavepoint { connection, _ in try connection.execute(sql: insert) }
    },
    .awaits("ConnectionQueue.perform(qos:_:)") {
      try await $0.perform { try $0.execute(sql: insert) }
    },
    .awaits("ConnectionQueue.transaction(_:_:)") {
      try await $0.transaction { connection, _ in try connection.execute(sql: insert) }
    },
    .awaits("ConnectionQueue.savepoint(_:_:)") {
      try await $0.savepoint { connection, _ in try connection.execute(sql: insert) }
    },
    .completes("ConnectionQueue.async(group:qos:_:completion:)") { queue, done in
      queue.async {
        try $0.execute(sql: insert)
      } completion: {
        done($0)
      }
    },
    .completes("ConnectionQueue.asyncTransaction(_:group:qos:_:completion:)") { queue, done in
      queue.asyncTransaction { connection, _ in
        try connection.execute(sql: insert)
      } completion: {
        done($0.map { _ in })
      }
    },
    .completes("ConnectionQueue.asyncSavepoint(_:group:qos:_:completion:)") { queue, done in
      queue.asyncSavepoint { connection, _ in
        try connection.execute(sql: insert)
      } completion: {
        done($0.map { _ in })
      }
    },
  ]

  static let readQueue: [QueueEntry<ConnectionReadQueue>] = [
    .closes("ConnectionReadQueue.close()") { try $0.close() },
    .waits("ConnectionReadQueue.access", .never) { $0.access },
    .waits("ConnectionReadQueue.sync(_:)") { try $0.sync { try $0.execute(sql: select) } },
    .waits("ConnectionReadQueue.syncReadTransaction(_:)") {
      try $0.syncReadTransaction { try $0.execute(sql: select) }
    },
    .awaits("ConnectionReadQueue.perform(qos:_:)") {
      try await $0.perform { try $0.execute(sql: select) }
    },
    .awaits("ConnectionReadQueue.readTransaction(_:)") {
      try await $0.readTransaction { try $0.execute(sql: select) }
    },
    .completes("ConnectionReadQueue.async(group:qos:_:completion:)") { queue, done in
      queue.async {
        try $0.execute(sql: select)
      } completion: {
        done($0)
      }
    },
    .completes("ConnectionReadQueue.asyncReadTransaction(group:qos:_:completion:)") { queue, done in
      queue.asyncReadTransaction {
        try $0.execute(sql: select)
      } completion: {
        done($0)
      }
    },
  ]
}
