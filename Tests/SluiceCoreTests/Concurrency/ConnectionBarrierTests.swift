import Dispatch
import SluiceCore
import TestSupport
import Testing

/// Threads that use queues at the same time, for the thread sanitizer to check.
@Suite(.tags(.reliability), .timeLimit(.minutes(10))) struct `queues and concurrent threads` {
  @Test func `concurrent threads can use one queue, its cached statements and its SQL function`()
    throws
  {
    let queue = try ConnectionQueue()
    try queue.sync { connection in
      try connection.execute(sql: "CREATE TABLE t(a)")
      let calls = Tally()
      try connection.addFunction("count_up", arity: 0) { _ in
        calls.count += 1
        return .integer(Int64(calls.count))
      }
    }
    let isDone = concurrently(8) { number in
      for step in 0..<60 {
        let result = failure {
          if (number + step) % 3 == 0 {
            try queue.syncTransaction { connection, _ in
              try connection.execute(sql: "INSERT INTO t VALUES (count_up())")
            }
          } else {
            try queue.sync { try $0.execute(sql: "INSERT INTO t VALUES (count_up())") }
          }
        }
        #expect(result == nil)
      }
    }
    #expect(isDone)
    let rows = try queue.sync { try $0.integers("SELECT a FROM t ORDER BY rowid") }
    #expect(rows == Array(1...480))
  }

  @Test func `queues that many threads create, use and release do not affect each other`() throws {
    let isDone = concurrently(8) { number in
      for _ in 0..<10 {
        let error = failure {
          let queue = try ConnectionQueue()
          let group = DispatchGroup()
          queue.async(group: group) {
            try $0.execute(sql: "CREATE TABLE t(a)")
          } completion: { _ in
          }
          try queue.sync { try $0.execute(sql: "INSERT INTO t VALUES (\(number))") }
          #expect(try queue.sync { try $0.integers("SELECT a FROM t") } == [number])
        }
        #expect(error == nil)
      }
    }
    #expect(isDone)
  }
}
