import Dispatch
import SluiceCore
import Synchronization
import TestSupport
import Testing

/// Concurrent calls in all forms, from threads that start together and from tasks.
@Suite(.tags(.reliability), .timeLimit(.minutes(10))) struct `queues under load` {
  let folder: TestFolder
  let queue: ConnectionQueue
  let reader: ConnectionReadQueue
  let group = DispatchGroup()
  /// The number of calls that have written their two rows.
  let written = Counter()

  init() throws {
    folder = try TestFolder()
    // Even a sole writer sometimes waits while a reader recovers the WAL.
    var configuration = Configuration.impatientWAL
    configuration.busyTimeout = .seconds(30)
    queue = try ConnectionQueue(path: folder.file(), configuration: configuration)
    try queue.sync { connection in
      try connection.execute(sql: "CREATE TABLE t(a TEXT)")
      try Self.equip(connection)
    }
    reader = try ConnectionReadQueue(writeQueue: queue)
    try reader.sync { try Self.equip($0) }
  }

  /// Adds closures that share state, which is safe only because a connection is used exclusively.
  private static func equip(_ connection: Connection) throws {
    let calls = Tally()
    try connection.addFunction("label", arity: 0) { _ in
      calls.count += 1
      return .text("row \(calls.count)")
    }
    try connection.addCollation("backwards") { (first: String, second: String) in
      calls.count += 1
      return SQLOrder(second, first)
    }
  }

  private static let insert = "INSERT INTO t VALUES (label()), (label())"

  /// Makes a call in one of the forms that a thread can use.
  private func call(_ form: Int) throws {
    let completion = { @Sendable (result: Result<Void, any Error>) in
      switch result {
      case .success: written.add()
      case .failure(let error):
        // Other calls close the queue or replace its connection.
        let code = (error as? SQLiteError)?.code
        #expect(code == .misuse || code == .misuseClosed, "\(error)")
      }
    }
    switch form % 9 {
    case 0:
      try queue.sync { try $0.execute(sql: Self.insert) }
      written.add()
    case 1:
      queue.async(group: group) {
        try $0.execute(sql: Self.insert)
      } completion: {
        completion($0)
      }
    case 2:
      try queue.syncTransaction { connection, _ in try connection.execute(sql: Self.insert) }
      written.add()
    case 3:
      queue.asyncTransaction(group: group) { connection, _ in
        try connection.execute(sql: Self.insert)
      } completion: {
        completion($0.map { _ in })
      }
    case 4:
      try queue.syncSavepoint { connection, command in
        try connection.execute(sql: Self.insert)
        command = .rollback
      }
    case 5: try queue.sync { try Self.equip($0) }
    case 6: try expectWholePairs(reader.syncReadTransaction { try $0.pairs() })
    case 7:
      reader.asyncReadTransaction(group: group) {
        try $0.pairs()
      } completion: {
        if case .success(let pairs) = $0 { expectWholePairs(pairs) }
      }
    default:
      try reader.sync { connection in
        try connection.beginReadTransaction()
        try connection.updateReadTransaction()
        expectWholePairs(try connection.pairs())
        try connection.endReadTransaction()
      }
    }
  }

  private func expectWholePairs(_ counts: [Int]) {
    #expect(counts[0] % 2 == 0 && counts[0] == counts[1])
  }

  private func rows() throws -> Int {
    try Connection(path: folder.file()).integers("SELECT count(*) FROM t")[0]
  }

  @Test func `threads and tasks that mix all forms of a call lose no write`() async throws {
    async let threadsAreDone = apart {
      concurrently(4) { number in
        for step in 0..<72 { #expect(failure { try call(number + step) } == nil) }
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for _ in 0..<4 {
        tasks.addTask {
          for _ in 0..<12 {
            try await queue.perform { try $0.execute(sql: Self.insert) }
            try await queue.transaction { connection, _ in try connection.execute(sql: Self.insert)
            }
            try await queue.savepoint { connection, _ in try connection.execute(sql: Self.insert) }
            for _ in 0..<3 { written.add() }
            expectWholePairs(try await reader.readTransaction { try $0.pairs() })
          }
        }
      }
      try await tasks.waitForAll()
    }
    #expect(await threadsAreDone)
    #expect(await apart { group.finishes() })
    #expect(written.count == 4 * 12 * 3 + 4 * 72 / 9 * 4)
    #expect(try rows() == written.count * 2)
  }

  @Test func `a call during the close of a queue either completes or throws misuse`() throws {
    let refused = Counter()
    let isDone = concurrently(6) { number in
      for step in 0..<45 {
        let error = failure {
          if number == 0, step == 9 { try queue.syncClose() }
          if number == 1, step == 9 { try reader.syncClose() }
          try call(number + step)
        }
        #expect(error == nil || error?.code == .misuseClosed)
        if error != nil { refused.add() }
      }
    }
    #expect(isDone)
    #expect(group.finishes())
    #expect(refused.count > 0)
    #expect(try rows() == written.count * 2)
  }

  @Test func `queues released by a job, a completion or a thread close their connections`() throws {
    let isDone = concurrently(4) { _ in
      for step in 0..<15 {
        let error = failure {
          let queue = try ConnectionQueue()
          try queue.sync { connection in
            let witness = Departure(group)
            try connection.addFunction("f", arity: 0) { _ in
              withExtendedLifetime(witness) { .null }
            }
          }
          // A job, a completion, another thread or this thread holds the last reference to the queue.
          if step % 2 == 0 {
            queue.async { [queue] connection in
              withExtendedLifetime(queue) { _ = try? connection.value("SELECT f()") }
            } completion: { [queue] _ in
              if step % 4 == 0 { withExtendedLifetime(queue) {} }
            }
          }
          DispatchQueue(label: "other").async { _ = try? queue.sync { try $0.value("SELECT f()") } }
        }
        #expect(error == nil)
      }
    }
    #expect(isDone)
    #expect(group.finishes())
  }

  @Test func `a connection moved out of its queue remains usable while the queue throws misuse`()
    async throws
  {
    let isUsed = Gate()
    async let threadsAreDone = apart {
      concurrently(4) { number in
        for step in 0..<30 {
          let error = failure {
            guard number == 0, step == 5 else { return try call(step) }
            // Until the closure returns, the connection belongs to the queue.
            let hasReturned = Gate()
            defer { hasReturned.open() }
            try queue.sync { connection in
              let own = connection
              connection = try Connection()
              Task {
                #expect(hasReturned.pass())
                let error = failure { for _ in 0..<20 { try own.execute(sql: Self.insert) } }
                #expect(error == nil)
                isUsed.open()
              }
            }
          }
          #expect(error == nil || error?.code == .misuse)
        }
      }
    }
    #expect(await threadsAreDone)
    #expect(await apart { group.finishes() && isUsed.pass() })
    #expect(failure { try call(0) }?.code == .misuse)
    #expect(try rows() == written.count * 2 + 40)
  }
}

/// An object that is a member of a dispatch group until it is deallocated.
private final class Departure {
  private let group: DispatchGroup

  init(_ group: DispatchGroup) {
    self.group = group
    group.enter()
  }

  deinit { group.leave() }
}

extension Connection {
  /// Returns the number of rows from two separate queries.
  fileprivate func pairs() throws -> [Int] {
    _ = try column("SELECT a FROM t ORDER BY a COLLATE backwards LIMIT 1")
    return try integers("SELECT count(*) FROM t") + integers("SELECT count(*) FROM t")
  }
}
