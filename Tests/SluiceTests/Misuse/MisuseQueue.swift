import Sluice
import TestSupport
import Testing

/// A queue, pool or snapshot that passes a connection to closures.
protocol LendingQueue: Sendable {
  func sync<T: Sendable>(_ body: sending (inout sending Connection) throws -> T) throws -> T

  /// Closes the connection that closures receive.
  func closeConnection() throws
}

extension LendingQueue {
  func closeConnection() throws {
    try sync { connection in try connection.close() }
  }
}

extension ConnectionQueue: LendingQueue {}
extension ConnectionReadQueue: LendingQueue {}

extension ConnectionPool: LendingQueue {
  func sync<T: Sendable>(_ body: sending (inout sending Connection) throws -> T) throws -> T {
    try sync(deadline: nil, body)
  }
}

extension DatabaseSnapshot: LendingQueue {
  func sync<T: Sendable>(_ body: sending (inout sending Connection) throws -> T) throws -> T {
    try syncRead(deadline: nil, body)
  }

  func closeConnection() throws { try syncClose() }
}

extension LendingQueue {
  /// Returns the error that `entry` throws in a situation of the queue.
  func refusal(_ situation: Situation, _ entry: QueueEntry<Self>) async throws -> SQLiteError? {
    let result = await withCheckedContinuation { continuation in
      use(entry, situation) { continuation.resume(returning: $0) }
    }
    do {
      try result.get()
      return nil
    } catch let error as SQLiteError { return error }
  }

  private func use(
    _ entry: QueueEntry<Self>, _ situation: Situation, _ done: @escaping QueueEntry<Self>.Done
  ) {
    do {
      switch situation {
      case .nested: try sync { _ in entry.use(self, done) }
      case .inFunction:
        try sync { connection in
          try connection.addFunction("called", arity: 0) { _ in
            entry.use(self, done)
            return .null
          }
          try connection.execute(sql: "SELECT called()")
        }
      case .inCollation:
        try sync { connection in
          try connection.addCollation("compared") { (first: String, second: String) in
            entry.use(self, done)
            return SQLOrder(first, second)
          }
          // Sorting two rows compares them once.
          try connection.execute(
            sql: """
              SELECT column1 FROM (VALUES ('b'), ('a')) ORDER BY column1 COLLATE compared
              """)
        }
      case .closed:
        try closeConnection()
        entry.use(self, done)
      default: entry.use(self, done)
      }
    } catch SQLiteError.interrupt
      where entry.symbol.contains(".suspend(")
    {
      // A suspension that another task begins interrupts the statement that calls the function.
    } catch { Issue.record(error) }
  }

  /// Checks that an open queue is usable, and that a closed one throws its error.
  func expectUsable(isOpen: Bool) throws {
    let answer = Result {
      try sync { connection in try connection.first(.column(.int), sql: "SELECT count(*) FROM t") }
    }
    switch answer {
    case .success(let count): #expect(isOpen && count == 3)
    case .failure(let error): #expect(!isOpen && (error as? SQLiteError)?.code == .misuseClosed)
    }
    // The functions and collations of the connection refer to the queue.
    if isOpen { try closeConnection() }
  }
}

extension QueueEntry {
  /// Returns the code of the error that the entry throws in a situation; a queue has its own code once it is closed.
  func refusal(in situation: Situation) -> ResultCode? {
    let code = refusals[situation]
    return situation == .closed && code == .misuse ? .misuseClosed : code
  }
}
