// Threads and tasks use queues, a pool and observers concurrently. The mistake: two queues, each used inside the
// other.
import Dispatch
import Sluice
import SluiceCore

@main struct Canary {
  let queue: ConnectionQueue
  let readQueue: ConnectionReadQueue
  let pool: ConnectionPool

  /// Runs synchronously, because valgrind cannot handle how the thread of an asynchronous function waits.
  static func main() throws {
    let canary = try Canary(path: CommandLine.arguments[1])
    try canary.onThreads()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do { try await canary.inTasks() } catch { fatalError("\(error)") }
      done.signal()
    }
    done.wait()
    try canary.insideOfAnother()
    try canary.pool.syncClose()
    try canary.queue.syncClose()
  }

  init(path: String) throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    queue = try ConnectionQueue(path: path, configuration: configuration)
    readQueue = try ConnectionReadQueue(writeQueue: queue)
    pool = try ConnectionPool(path: path, readers: 2, configuration: configuration)
    try queue.sync { try $0.execute(sql: "CREATE TABLE event(id INTEGER PRIMARY KEY, title TEXT)") }
  }

  func onThreads() throws {
    let counts = pool.observe {
      try $0.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
    }
    let subscription = counts.removeDuplicates().sink { _ in
    } receiveValue: { [readQueue] _ in
      // A subscriber may run another query.
      do { _ = try readQueue.sync { try $0.first(.column(.int), sql: "SELECT 1") } } catch {
        fatalError("\(error)")
      }
    }
    let watch = try queue.watchOtherWriters()
    onTwoThreads {
      for number in 0..<10 {
        do { try use(number) } catch { fatalError("\(error)") }
      }
    }
    watch.cancel()
    subscription.cancel()
  }

  func use(_ number: Int) throws {
    try queue.syncTransaction { connection, _ in
      try connection.execute("INSERT INTO event(title) VALUES (\(number))")
    }
    try pool.syncWrite { try $0.execute("DELETE FROM event WHERE title = \(number - 1)") }
    _ = try pool.syncRead { try $0.first(.column(.int), sql: "SELECT count(*) FROM event") }
    _ = try readQueue.sync { try $0.first(.column(.int), sql: "SELECT max(id) FROM event") }
  }

  func inTasks() async throws {
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          try await queue.perform {
            try $0.execute(sql: "INSERT INTO event(title) VALUES ('Note G')")
          }
        }
        group.addTask {
          for try await _ in readQueue.rows(.column(.int), sql: "SELECT id FROM event") {}
        }
        group.addTask {
          let late = Task {
            try await pool.write { try $0.execute(sql: "DELETE FROM event WHERE id = 1") }
          }
          late.cancel()
          _ = await late.result
        }
      }
      try await group.waitForAll()
    }
    try await pool.suspend()
    pool.resume()
    try await queue.suspend()
    queue.resume()
  }

  func insideOfAnother() throws {
    let other = try ConnectionQueue()
    try queue.sync { _ in try other.sync { _ in } }
    if isWrong { try other.sync { _ in try queue.sync { _ in } } }
  }
}
