import Dispatch
import Sluice

extension Scene {
  /// Connections that several users share.
  static var many: [Scene] {
    [
      Scene("queues") { database in
        var configuration = database.configuration
        configuration.journalMode = .wal
        let queue = try ConnectionQueue(path: database.path, configuration: configuration)
        let half = "INSERT INTO pair(text) VALUES ('q')"
        try queue.syncTransaction { connection, _ in
          try connection.execute(sql: half)
          try connection.execute(sql: half)
        }
        try queue.syncSavepoint { connection, command in
          try connection.execute(sql: half)
          command = .rollback
        }
        let reader = try ConnectionReadQueue(writeQueue: queue)
        let count = try reader.syncReadTransaction { connection in
          try connection.first(.column(.int), sql: "SELECT count(*) FROM pair")
        }
        try require(count == 4, "\(count as Any) rows are there")
        try reader.syncClose()
        try queue.syncClose()
      },
      // A reader is opened on a thread of the pool, which may be the last to release it.
      Scene("pools", endsLater: true) { database in
        var configuration = database.configuration
        configuration.prepareConnection { connection in
          try connection.addFunction("initial") { (name: String) in String(name.prefix(1)) }
        }
        let pool = try ConnectionPool(path: database.path, readers: 2, configuration: configuration)
        _ = try pool.syncWrite { connection in
          try connection.transaction { connection, _ in
            try connection.execute(sql: "INSERT INTO pair(text) VALUES (initial('p')), ('q')")
          }
        }
        let initials = try pool.syncRead { connection in
          try connection.query(.column(.string), sql: "SELECT initial(name) FROM person")
        }
        try require(initials == ["A", "A"], "\(initials) were read")
        try pool.syncClose()
      },
      // Checkpoints run in the background, and each write tries to restart the WAL.
      upkeep("upkeep") { _ in },
      // Another program runs the checkpoints, but each write tries a passive one.
      upkeep("upkeep without checkpoints") { $0.checkpointsAutomatically = false },
      // A commit that has succeeded is reported with exactly its rows, unless the sequence ends with an error.
      Scene("row changes", needs: [.preUpdateHook], endsLater: true) { database in
        let pool = try ConnectionPool(
          path: database.path, readers: 1, configuration: database.configuration)
        let reported = ReportedRows()
        let subscription = pool.rowChanges(in: "pair").sink { completion in
          if case .failure(let error) = completion { reported.state.withLock { $0.error = error } }
        } receiveValue: { changes in
          reported.state.withLock { $0.count += changes.changes.count }
        }
        defer { subscription.cancel() }
        var written = 0
        do {
          for _ in 0..<2 {
            try pool.syncWrite { connection in
              try connection.execute(sql: "INSERT INTO pair(text) VALUES ('r'), ('s')")
              try connection.savepoint { connection, command in
                try connection.execute(sql: "UPDATE pair SET text = 'not'")
                command = .rollback
              }
            }
            written += 2
          }
        } catch {
          settle(pool)
          let count = reported.state.withLock { $0.count }
          try require(
            count % 2 == 0 && count <= written + 2, "\(count) rows of \(written) were reported")
          throw error
        }
        settle(pool)
        let (count, error) = reported.state.withLock { ($0.count, $0.error) }
        if let error { throw error }
        try require(count == 4, "\(count) rows were reported")
        try pool.syncClose()
      },
      Scene("tasks", endsLater: true) { database in
        try waiting {
          let queue = try ConnectionQueue(
            path: database.path, configuration: database.configuration)
          try await queue.transaction { connection, _ in
            try connection.execute(sql: "INSERT INTO pair(text) VALUES ('a'), ('b')")
          }
          var names: [String] = []
          for try await name in queue.rows(.column(.string), sql: "SELECT name FROM person") {
            names.append(name)
          }
          try require(names == ["Ada", "Alan"], "\(names) were streamed")
          let counts = queue.observe { connection in
            try connection.first(.column(.int), sql: "SELECT count(*) FROM pair") ?? 0
          }
          var iterator = counts.makeAsyncIterator()
          let before = try await iterator.next()
          try await queue.perform {
            try $0.execute(sql: "INSERT INTO pair(text) VALUES ('c'), ('d')")
          }
          let after = try await iterator.next()
          try require(before == 4 && after == 6, "observed \(before as Any), then \(after as Any)")
          try await queue.close()
        }
      },
    ]
  }
}

/// The rows that a sequence of row changes has reported.
private final class ReportedRows: Sendable {
  let state = Locked<(count: Int, error: (any Error)?)>((0, nil))
}

/// Waits until the pool has delivered everything that its earlier accesses have caused.
private func settle(_ pool: ConnectionPool) {
  let done = DispatchSemaphore(value: 0)
  pool.async { _ in
  } completion: { _ in
    done.signal()
  }
  done.wait()
}

/// Runs asynchronous code, and blocks the calling thread until it has ended.
private func waiting(_ body: @escaping @Sendable () async throws -> Void) throws {
  let done = DispatchSemaphore(value: 0)
  let outcome = Outcome()
  Task {
    do { try await body() } catch { outcome.error = error }
    done.signal()
  }
  done.wait()
  if let error = outcome.error { throw error }
}

// The semaphore orders the accesses of the two threads.
private final class Outcome: @unchecked Sendable { var error: (any Error)? }

extension Scene {
  /// A scene with a pool whose upkeep runs as often as possible.
  private static func upkeep(
    _ name: String, _ change: @escaping @Sendable (inout Configuration) -> Void
  ) -> Scene {
    Scene(name, endsLater: true) { database in
      var configuration = database.configuration
      change(&configuration)
      var upkeep = PoolUpkeep()
      upkeep.checkpointFrames = 1
      upkeep.walLimit = .slowWrites(bytes: 1, by: .zero)
      let pool = try ConnectionPool(
        path: database.path, readers: 2, configuration: configuration, upkeep: upkeep)
      for _ in 0..<3 {
        try pool.syncWrite { connection in
          try connection.execute(sql: "INSERT INTO pair(text) VALUES ('u'), ('v')")
        }
        _ = try pool.syncRead { connection in
          try connection.first(.column(.int), sql: "SELECT count(*) FROM pair")
        }
      }
      try pool.syncWarmUp(["SELECT count(*) FROM pair", "DELETE FROM pair WHERE text = ?"])
      try pool.syncReleaseMemory()
      let count = try pool.syncRead { connection in
        try connection.first(.column(.int), sql: "SELECT count(*) FROM pair")
      }
      try require(count == 8, "\(count as Any) rows are there")
      try pool.syncClose()
    }
  }
}
