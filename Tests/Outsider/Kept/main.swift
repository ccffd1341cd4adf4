// Stores values that a queue passes to its closures, which the Swift 5 mode allows, and prints how many uses throw.
import Dispatch
import Sluice
import Synchronization

func isRefused(_ use: () throws -> Void) -> Bool {
  do { try use() } catch SQLiteError.misuse { return true } catch { print(error) }
  return false
}

func keep() throws {
  let queue = try ConnectionQueue()
  var connection: Connection?
  var statement: Statement?
  var row: Row?
  try queue.sync {
    try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    connection = $0
    statement = try $0.prepare(sql: "SELECT a FROM t")
    row = try statement?.step()
  }
  print("connection", isRefused { try connection!.execute(sql: "UPDATE t SET a = a + 1") })
  print("statement", isRefused { _ = try statement!.step() as Row? })
  print("row", isRefused { _ = try row!.value(at: 0) })

  let refusals = Mutex(0)
  DispatchQueue.concurrentPerform(iterations: 8) { thread in
    for _ in 0..<500 {
      let isCounted = isRefused {
        switch thread % 4 {
        case 0: try connection!.execute(sql: "UPDATE t SET a = a + 1")
        case 1: try statement!.execute()
        case 2: try queue.sync { try $0.execute(sql: "UPDATE t SET a = a + 1") }
        default:
          var own: Statement?
          try queue.sync { own = try $0.prepare(sql: "SELECT a FROM t") }
          try own!.execute()
        }
      }
      if isCounted { refusals.withLock { $0 += 1 } }
    }
  }
  let sum = try queue.sync { try $0.first(.column(.int), sql: "SELECT sum(a) FROM t") }
  print("threads", refusals.withLock { $0 }, sum ?? 0)
}

try keep()
