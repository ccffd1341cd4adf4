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

  /// The member that closes the queue when it is free, also if it is closed.
  static func closesLater(
    _ symbol: String, _ use: @escaping @Sendable (Queue) async throws -> Void
  ) -> Self {
    var entry = awaits(symbol, .never, use)
    entry.closes = true
    return entry
  }

  /// A member that awaits.
  static func awaits<Value>(
    _ symbol: String, _ refusals: Refusals = .isLater,
    _ use: @escaping @Sendable (Queue) async throws -> Value
  ) -> Self {
    Self(symbol: symbol, refusals: refusals) { queue, done in
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
    .closes("ConnectionQueue.close(_:)") { try $0.close() },
    .closesLater("ConnectionQueue.shutDown(_:)") { try await $0.shutDown() },
    .waits("ConnectionQueue.syncSuspend()", .waits.but(.closed, nil)) { queue in
      defer { queue.resume() }
      try queue.syncSuspend()
    },
    .awaits("ConnectionQueue.suspend()", .never) { queue in
      try await queue.suspend()
      queue.resume()
    },
    .waits("ConnectionQueue.resume()", .never) { $0.resume() },
    .waits("ConnectionQueue.sync(_:)") { try $0.sync { try $0.execute(sql: select) } },
    .waits("ConnectionQueue.sync(deadline:_:)") {
      try $0.sync(deadline: .now + .seconds(600)) { try $0.execute(sql: select) }
    },
    .waits("ConnectionQueue.syncTransaction(_:retries:deadline:_:)") {
      try $0.syncTransaction { connection, _ in try connection.execute(sql: insert) }
    },
    .waits("ConnectionQueue.syncSavepoint(_:deadline:_:)") {
      try $0.syncSavepoint { connection, _ in try connection.execute(sql: insert) }
    },
    .awaits("ConnectionQueue.performReading(_:)") {
      try await $0.performReading { try $0.execute(sql: select) }
    },
    .waits("ConnectionQueue.syncReading(_:)") {
      try $0.syncReading { try $0.execute(sql: select) }
    },
    .awaits("ConnectionQueue.performWriting(_:)") {
      try await $0.performWriting { try $0.execute(sql: insert) }
    },
    .waits("ConnectionQueue.syncWriting(_:)") {
      try $0.syncWriting { try $0.execute(sql: insert) }
    },
    .awaits("ConnectionQueue.perform(qos:deadline:_:)") {
      try await $0.perform { try $0.execute(sql: insert) }
    },
    .awaits("ConnectionQueue.transaction(_:retries:deadline:_:)") {
      try await $0.transaction { connection, _ in try connection.execute(sql: insert) }
    },
    .awaits("ConnectionQueue.savepoint(_:deadline:_:)") {
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
    .closes("ConnectionReadQueue.close(_:)") { try $0.close() },
    .closesLater("ConnectionReadQueue.shutDown(_:)") { try await $0.shutDown() },
    .waits("ConnectionReadQueue.syncSuspend()", .waits.but(.closed, nil)) { queue in
      defer { queue.resume() }
      try queue.syncSuspend()
    },
    .awaits("ConnectionReadQueue.suspend()", .never) { queue in
      try await queue.suspend()
      queue.resume()
    },
    .waits("ConnectionReadQueue.resume()", .never) { $0.resume() },
    .waits("ConnectionReadQueue.access", .never) { $0.access },
    .waits("ConnectionReadQueue.sync(_:)") { try $0.sync { try $0.execute(sql: select) } },
    .waits("ConnectionReadQueue.sync(deadline:_:)") {
      try $0.sync(deadline: .now + .seconds(600)) { try $0.execute(sql: select) }
    },
    .waits("ConnectionReadQueue.syncReadTransaction(deadline:_:)") {
      try $0.syncReadTransaction { try $0.execute(sql: select) }
    },
    .awaits("ConnectionReadQueue.perform(qos:deadline:_:)") {
      try await $0.perform { try $0.execute(sql: select) }
    },
    .awaits("ConnectionReadQueue.performReading(_:)") {
      try await $0.performReading { try $0.execute(sql: select) }
    },
    .waits("ConnectionReadQueue.syncReading(_:)") {
      try $0.syncReading { try $0.execute(sql: select) }
    },
    .awaits("ConnectionReadQueue.readTransaction(deadline:_:)") {
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

  static let pool: [QueueEntry<ConnectionPool>] = [
    .closes("ConnectionPool.close(_:)") { try $0.close() },
    .closesLater("ConnectionPool.shutDown(_:)") { try await $0.shutDown() },
    .waits("ConnectionPool.syncSuspend()", .waits.but(.closed, nil)) { pool in
      defer { pool.resume() }
      try pool.syncSuspend()
    },
    .awaits("ConnectionPool.suspend()", .never) { pool in
      try await pool.suspend()
      pool.resume()
    },
    .waits("ConnectionPool.resume()", .never) { $0.resume() },
    .waits("ConnectionPool.status", .never) { $0.status },
    .waits("ConnectionPool.access", .never) { $0.access },
    .waits("ConnectionPool.sync(deadline:_:)") { try $0.sync { try $0.execute(sql: insert) } },
    .waits("ConnectionPool.syncRead(_:)", .waits.but(.closed, nil)) {
      try $0.syncRead { try $0.execute(sql: select) }
    },
    .waits("ConnectionPool.syncRead(deadline:_:)", .waits.but(.closed, nil)) {
      try $0.syncRead(deadline: .now + .seconds(600)) { try $0.execute(sql: select) }
    },
    .waits("ConnectionPool.syncWrite(retries:deadline:_:)") {
      try $0.syncWrite { try $0.execute(sql: insert) }
    },
    .awaits("ConnectionPool.perform(deadline:_:)") {
      try await $0.perform { try $0.execute(sql: insert) }
    },
    .awaits("ConnectionPool.read(deadline:_:)", .never) {
      try await $0.read { try $0.execute(sql: select) }
    },
    .awaits("ConnectionPool.write(retries:deadline:_:)") {
      try await $0.write { try $0.execute(sql: insert) }
    },
    .awaits("ConnectionPool.performReading(_:)", .never) {
      try await $0.performReading { try $0.execute(sql: select) }
    },
    .waits("ConnectionPool.syncReading(_:)", .waits.but(.closed, nil)) {
      try $0.syncReading { try $0.execute(sql: select) }
    },
    .awaits("ConnectionPool.performWriting(_:)") {
      try await $0.performWriting { try $0.execute(sql: insert) }
    },
    .waits("ConnectionPool.syncWriting(_:)") { try $0.syncWriting { try $0.execute(sql: insert) } },
  ]
}
