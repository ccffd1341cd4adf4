import Dispatch
import Sluice
import TestSupport

/// A public member of a queue, and a closure that calls it.
struct QueueEntry<Queue: Sendable>: Sendable {
  typealias Done = @Sendable (Result<Void, any Error>) -> Void

  let symbol: String
  let refusals: Refusals
  /// Whether the member closes the queue.
  var closes = false
  /// Calls the member, and passes its outcome to the closure, immediately or asynchronously.
  let use: @Sendable (Queue, @escaping Done) -> Void

  /// Returns the entry for a member that blocks the calling thread.
  static func waits<Value>(
    _ symbol: String, _ refusals: Refusals = .waits,
    _ use: @escaping @Sendable (Queue) throws -> Value
  ) -> Self {
    Self(symbol: symbol, refusals: refusals) { queue, done in
      done(Result { _ = try use(queue) })
    }
  }

  /// Returns the entry for the member that closes the queue, which succeeds even on a closed queue.
  static func closes(
    _ symbol: String, _ use: @escaping @Sendable (Queue) throws -> Void
  ) -> Self {
    var entry = waits(symbol, .waits.but(.closed, nil), use)
    entry.closes = true
    return entry
  }

  /// Returns the entry for the member that closes the queue once it is free, which succeeds even on a closed queue.
  static func closesLater(
    _ symbol: String, _ use: @escaping @Sendable (Queue) async throws -> Void
  ) -> Self {
    var entry = awaits(symbol, .never, use)
    entry.closes = true
    return entry
  }

  /// Returns the entry for a member that awaits its result.
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

  /// Returns the entry for a member that calls a completion handler.
  static func completes(
    _ symbol: String, _ refusals: Refusals = .isLater,
    _ use: @escaping @Sendable (Queue, @escaping Done) -> Void
  ) -> Self {
    Self(symbol: symbol, refusals: refusals, use: use)
  }
}

extension MisuseMatrix {
  static let queue: [QueueEntry<ConnectionQueue>] = [
    .awaits("ConnectionQueue.snapshot(readers:)") { try await $0.snapshot() },
    .waits("ConnectionQueue.syncSnapshot(readers:)") { try $0.syncSnapshot(readers: 2) },
    .closes("ConnectionQueue.syncClose(_:)") { try $0.syncClose() },
    .awaits("ConnectionQueue.suspend()", .never) { queue in
      try await queue.suspend()
      queue.resume()
    },
    .waits("ConnectionQueue.syncSuspend()", .waits.but(.closed, nil)) { queue in
      defer { queue.resume() }
      try queue.syncSuspend()
    },
    .waits("ConnectionQueue.resume()", .never) { $0.resume() },
    .waits("ConnectionQueue.sync(_:)") { try $0.sync { try $0.execute(sql: select) } },
    .awaits("ConnectionQueue.perform(qos:deadline:_:)") {
      try await $0.perform(qos: .utility) { try $0.execute(sql: insert) }
    },
    .waits("ConnectionQueue.sync(deadline:_:)") {
      try $0.sync(deadline: .now + .seconds(600)) { try $0.execute(sql: insert) }
    },
    .completes("ConnectionQueue.async(group:qos:_:completion:)") { queue, done in
      queue.async(qos: .utility) {
        try $0.execute(sql: insert)
      } completion: {
        done($0)
      }
    },
    .awaits("ConnectionQueue.read(deadline:_:)") {
      try await $0.read(deadline: .now + .seconds(600)) { try $0.execute(sql: select) }
    },
    .waits("ConnectionQueue.syncRead(deadline:_:)") {
      try $0.syncRead(deadline: .now + .seconds(600)) { try $0.execute(sql: select) }
    },
    .completes("ConnectionQueue.asyncRead(group:qos:_:completion:)") { queue, done in
      queue.asyncRead(qos: .utility) {
        try $0.execute(sql: select)
      } completion: {
        done($0)
      }
    },
  ]

  static let readQueue: [QueueEntry<ConnectionReadQueue>] = [
    .closes("ConnectionReadQueue.syncClose(_:)") { try $0.syncClose() },
    .awaits("ConnectionReadQueue.suspend()", .never) { queue in
      try await queue.suspend()
      queue.resume()
    },
    .waits("ConnectionReadQueue.syncSuspend()", .waits.but(.closed, nil)) { queue in
      defer { queue.resume() }
      try queue.syncSuspend()
    },
    .waits("ConnectionReadQueue.resume()", .never) { $0.resume() },
    .waits("ConnectionReadQueue.sync(_:)") { try $0.sync { try $0.execute(sql: select) } },
    .awaits("ConnectionReadQueue.perform(qos:deadline:_:)") {
      try await $0.perform(qos: .utility) { try $0.execute(sql: select) }
    },
    .waits("ConnectionReadQueue.sync(deadline:_:)") {
      try $0.sync(deadline: .now + .seconds(600)) { try $0.execute(sql: select) }
    },
    .completes("ConnectionReadQueue.async(group:qos:_:completion:)") { queue, done in
      queue.async(qos: .utility) {
        try $0.execute(sql: select)
      } completion: {
        done($0)
      }
    },
    .awaits("ConnectionReadQueue.read(deadline:_:)") {
      try await $0.read(deadline: .now + .seconds(600)) { try $0.execute(sql: select) }
    },
    .waits("ConnectionReadQueue.syncRead(deadline:_:)") {
      try $0.syncRead(deadline: .now + .seconds(600)) { try $0.execute(sql: select) }
    },
    .completes("ConnectionReadQueue.asyncRead(group:qos:_:completion:)") { queue, done in
      queue.asyncRead(qos: .utility) {
        try $0.execute(sql: select)
      } completion: {
        done($0)
      }
    },
    .awaits("ConnectionReadQueue.readTransaction(deadline:_:)") {
      try await $0.readTransaction { try $0.execute(sql: select) }
    },
    .waits("ConnectionReadQueue.syncReadTransaction(deadline:_:)") {
      try $0.syncReadTransaction { try $0.execute(sql: select) }
    },
    .completes("ConnectionReadQueue.asyncReadTransaction(group:qos:_:completion:)") { queue, done in
      queue.asyncReadTransaction {
        try $0.execute(sql: select)
      } completion: {
        done($0)
      }
    },
  ]

  static let snapshot: [QueueEntry<DatabaseSnapshot>] = [
    .closes("DatabaseSnapshot.syncClose(_:)") { try $0.syncClose() },
    .awaits("DatabaseSnapshot.read(deadline:_:)") {
      try await $0.read(deadline: .now + .seconds(600)) { try $0.execute(sql: select) }
    },
    .waits("DatabaseSnapshot.syncRead(deadline:_:)") {
      try $0.syncRead(deadline: .now + .seconds(600)) { try $0.execute(sql: select) }
    },
    .completes("DatabaseSnapshot.asyncRead(group:qos:_:completion:)") { snapshot, done in
      snapshot.asyncRead(qos: .utility) {
        try $0.execute(sql: select)
      } completion: {
        done($0)
      }
    },
  ]

  static let pool: [QueueEntry<ConnectionPool>] = [
    .awaits("ConnectionPool.snapshot(readers:)") { try await $0.snapshot() },
    .waits("ConnectionPool.syncSnapshot(readers:)") { try $0.syncSnapshot(readers: 2) },
    .awaits("ConnectionPool.barrier(deadline:_:)") {
      try await $0.barrier { try $0.execute(sql: insert) }
    },
    .waits("ConnectionPool.syncBarrier(deadline:_:)") {
      try $0.syncBarrier { try $0.execute(sql: insert) }
    },
    .completes("ConnectionPool.asyncBarrier(group:qos:_:completion:)") { pool, done in
      pool.asyncBarrier(qos: .utility) {
        try $0.execute(sql: insert)
      } completion: {
        done($0)
      }
    },
    .closes("ConnectionPool.syncClose(_:)") { try $0.syncClose() },
    .awaits("ConnectionPool.suspend()", .never) { pool in
      try await pool.suspend()
      pool.resume()
    },
    .waits("ConnectionPool.syncSuspend()", .waits.but(.closed, nil)) { pool in
      defer { pool.resume() }
      try pool.syncSuspend()
    },
    .waits("ConnectionPool.resume()", .never) { $0.resume() },
    .awaits("ConnectionPool.warmUp(_:)") { try await $0.warmUp(["SELECT a FROM t"]) },
    .waits("ConnectionPool.syncWarmUp(_:)") { try $0.syncWarmUp(["SELECT a FROM t"]) },
    .awaits("ConnectionPool.releaseMemory()") { try await $0.releaseMemory() },
    .waits("ConnectionPool.syncReleaseMemory()") { try $0.syncReleaseMemory() },
    .waits("ConnectionPool.status", .never) { $0.status },
    .waits("ConnectionPool.syncRead(_:)", .waits.but(.closed, nil)) {
      try $0.syncRead { try $0.execute(sql: select) }
    },
    .awaits("ConnectionPool.perform(qos:deadline:_:)") {
      try await $0.perform(qos: .utility) { try $0.execute(sql: insert) }
    },
    .waits("ConnectionPool.sync(deadline:_:)") {
      try $0.sync(deadline: .now + .seconds(600)) { try $0.execute(sql: insert) }
    },
    .completes("ConnectionPool.async(group:qos:_:completion:)") { pool, done in
      pool.async(qos: .utility) {
        try $0.execute(sql: insert)
      } completion: {
        done($0)
      }
    },
    .awaits("ConnectionPool.read(deadline:_:)", .never) {
      try await $0.read(deadline: .now + .seconds(600)) { try $0.execute(sql: select) }
    },
    .waits("ConnectionPool.syncRead(deadline:_:)", .waits.but(.closed, nil)) {
      try $0.syncRead(deadline: .now + .seconds(600)) { try $0.execute(sql: select) }
    },
    .completes("ConnectionPool.asyncRead(group:qos:_:completion:)", .never) { pool, done in
      pool.asyncRead(qos: .utility) {
        try $0.execute(sql: select)
      } completion: {
        done($0)
      }
    },
  ]
}
