import Foundation
import Observation
import Sluice
import Synchronization
import TestSupport
import Testing

@MainActor
@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `live values` {
  private let queue: ConnectionQueue

  init() throws {
    queue = try ConnectionQueue(label: "live")
    try queue.sync {
      try $0.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'x')")
    }
  }

  private func numbers() -> LiveValue<[Int]> {
    queue.live(.column(.int), "SELECT a FROM t ORDER BY a")
  }

  private func write(_ sql: String) async throws {
    try await queue.write { try $0.execute(sql: sql) }
  }

  @Test func `a live value is empty at first, and then follows the database`() async throws {
    let numbers = numbers()
    #expect(numbers.value == [] && !numbers.isLoaded)
    #expect(try await numbers.load().value == [1])
    #expect(numbers.isLoaded)
    try await write("INSERT INTO t VALUES (2, 'y')")
    await until { numbers.value == [1, 2] }
    #expect(numbers.error == nil)
  }

  @Test func `each form of a query becomes a live value`() async throws {
    struct Line: Decodable, Equatable { var a: Int, b: String }
    let line = [Line(a: 1, b: "x")]
    #expect(try await queue.live(Line.self, "SELECT * FROM t").load().value == line)
    #expect(try await queue.live(Line.self, sql: "SELECT * FROM t").load().value == line)
    #expect(
      try await queue.live(.column(.int), sql: "SELECT a FROM t WHERE a = ?", parameters: [1])
        .load().value == [1])
    let count = queue.live(initial: -1) { connection in
      try connection.first(.column(.int), sql: "SELECT count(*) FROM t") ?? 0
    }
    #expect(count.value == -1)
    #expect(try await count.load().value == 1)
    let titles = LiveValue(initial: "", observing: queue.observe { _ in "title" })
    #expect(try await titles.load().value == "title")
  }

  @Test func `the first result is there before a blocking load returns`() throws {
    #expect(try numbers().syncLoad().value == [1])
    let window = queue.live(window: 0..<5, .column(.int), "SELECT a FROM t")
    #expect(try window.syncLoad().rows == [1])
  }

  @Test func `a result that equals the previous one changes nothing`() async throws {
    let numbers = try await numbers().load()
    var updates = 0
    numbers.onUpdate { _ in updates += 1 }
    try await write("UPDATE t SET a = a")
    try await write("INSERT INTO t VALUES (2, 'y')")
    await until { numbers.value == [1, 2] }
    #expect(updates == 1)
  }

  @Test func `an update reports both values, and happens at the latest after the closure`()
    async throws
  {
    let numbers = try await numbers().load()
    var seen: [[Int]] = []
    numbers.onUpdate { update in
      #expect(numbers.value == update.old)
      seen += [update.old, update.new]
      if update.new.count == 2 {
        update()
        update()
        #expect(numbers.value == update.new)
      }
    }
    try await write("INSERT INTO t VALUES (2, 'y')")
    await until { numbers.value == [1, 2] }
    try await write("INSERT INTO t VALUES (3, 'z')")
    await until { numbers.value == [1, 2, 3] }
    #expect(seen == [[1], [1, 2], [1, 2], [1, 2, 3]])
    numbers.onUpdate(nil)
    try await write("DELETE FROM t")
    await until { numbers.value == [] }
    #expect(seen.count == 4)
  }

  @Test func `an error keeps the value, and observing again recovers`() async throws {
    let numbers = try await numbers().load()
    try await write("ALTER TABLE t RENAME TO u")
    await until { numbers.error != nil }
    let error = try #require(numbers.error as? SQLiteError)
    #expect(error.message.contains("no such table: t"))
    #expect(numbers.value == [1])
    await #expect(throws: SQLiteError.self) { try await numbers.load() }
    #expect(throws: SQLiteError.self) { try blockingLoad(numbers) }
    numbers.observe(queue.observe(.column(.int), "SELECT a + 1 FROM u"))
    #expect(numbers.error == nil && numbers.value == [1] && !numbers.isLoaded)
    #expect(try await numbers.load().value == [2])
  }

  @Test func `a closed database is an error`() async throws {
    try await queue.close()
    let numbers = numbers()
    await #expect(throws: SQLiteError(.misuseClosed, "The queue is closed")) {
      try await numbers.load()
    }
    #expect(numbers.error as? SQLiteError == SQLiteError(.misuseClosed, "The queue is closed"))
  }

  @Test func `no value arrives after the end`() async throws {
    let numbers = try await numbers().load()
    let other = try await self.numbers().load()
    numbers.cancel()
    numbers.cancel()
    try await write("INSERT INTO t VALUES (2, 'y')")
    await until { other.value == [1, 2] }
    #expect(numbers.value == [1] && numbers.error == nil)
    numbers.observe(queue.observe(.column(.int), "SELECT a FROM t ORDER BY a"))
    #expect(try await numbers.load().value == [1, 2])
  }

  @Test func `a closure that ends the observation prevents the update`() async throws {
    let numbers = try await numbers().load()
    var isCalled = false
    numbers.onUpdate { update in
      numbers.cancel()
      update()
      isCalled = true
    }
    let other = try await self.numbers().load()
    try await write("INSERT INTO t VALUES (2, 'y')")
    await until { other.value == [1, 2] }
    while !isCalled { await Task.yield() }
    #expect(numbers.value == [1])
  }

  @Test func `a blocking load performs an update that waits in a closure`() throws {
    let numbers = numbers()
    var seen: [[Int]] = []
    numbers.onUpdate { _ in
      do { seen.append(try numbers.syncLoad().value) } catch { Issue.record(error) }
    }
    #expect(try numbers.syncLoad().value == [1])
    #expect(seen == [[1]])
  }

  @Test func `a blocking load whose result cannot arrive throws misuse`() throws {
    func expectMisuse<T>(_ value: LiveValue<T>) {
      #expect(
        performing: { try value.syncLoad() }, throws: { ($0 as? SQLiteError)?.code == .misuse })
    }
    let publisher = queue.observe(.column(.int), sql: "SELECT a FROM t")
    let onMain = publisher.receive(on: .main)
    for publisher in [
      onMain, onMain.map { $0 }, onMain.receive(on: .global()), onMain.removeDuplicates(by: ==),
    ] {
      expectMisuse(LiveValue(initial: [], observing: publisher))
    }
    let folder = try TestFolder()
    let pool = try ConnectionPool(path: folder.file())
    let file = try ConnectionQueue(path: folder.file())
    let readQueue = try ConnectionReadQueue(writeQueue: file)
    let loaded = try numbers().syncLoad()
    try queue.sync { _ in
      MainActor.assumeIsolated {
        expectMisuse(numbers())
        #expect(throws: Never.self) { try loaded.syncLoad() }
      }
    }
    func constant(_ database: some DatabaseReader) -> LiveValue<Int> {
      database.live(initial: 0) { try $0.first(.column(.int), sql: "SELECT 1") ?? 0 }
    }
    try pool.syncRead { _ in MainActor.assumeIsolated { expectMisuse(constant(pool)) } }
    try pool.syncWrite { _ in MainActor.assumeIsolated { expectMisuse(constant(pool)) } }
    try file.sync { _ in MainActor.assumeIsolated { expectMisuse(constant(readQueue)) } }
    try readQueue.sync { _ in MainActor.assumeIsolated { expectMisuse(constant(readQueue)) } }
    try file.sync { _ in
      try MainActor.assumeIsolated {
        let value = try constant(pool).syncLoad().value
        #expect(value == 1)
      }
    }
    let elsewhere = LiveValue(initial: [], observing: publisher.receive(on: .global()))
    #expect(try elsewhere.syncLoad().value == [1])
  }

  @Test func `the first result of another query does not notify observers if it equals the value`()
    async throws
  {
    let numbers = try await numbers().load()
    let isNotified = Mutex(false)
    withObservationTracking {
      _ = numbers.value
    } onChange: {
      isNotified.withLock { $0 = true }
    }
    numbers.observe(queue.observe(.column(.int), "SELECT a FROM t WHERE a < 5"))
    try await numbers.load()
    #expect(isNotified.withLock { !$0 })
    numbers.observe(queue.observe(.column(.int), "SELECT a + 1 FROM t"))
    try await numbers.load()
    #expect(isNotified.withLock { $0 } && numbers.value == [2])
  }

  @Test func `an observer that begins another observation receives only its result`() async throws {
    let numbers = try await numbers().load()
    let other = queue.observe(.column(.int), "SELECT 7")
    withObservationTracking {
      _ = numbers.value
    } onChange: {
      MainActor.assumeIsolated { numbers.observe(other) }
    }
    try await write("INSERT INTO t VALUES (2, 'y')")
    await until { numbers.isLoaded && numbers.value == [7] }
    #expect(try await numbers.load().value == [7])
  }

  @Test func `a main thread that is busy skips outdated results`() async throws {
    let numbers = try await numbers().load()
    var updates = 0
    numbers.onUpdate { _ in updates += 1 }
    for number in 2..<50 { try writeBlocking("INSERT INTO t VALUES (\(number), 'y')") }
    await until { numbers.value.count == 49 }
    #expect(updates < 4)
  }

  @Test func `a result that equals one that was skipped is shown`() async throws {
    let numbers = try await numbers().load()
    for number in 2...3 {
      try writeBlocking("INSERT INTO t VALUES (\(number), 'y')")
      settle()
    }
    await until { numbers.value == [1, 2, 3] }
    try await write("DELETE FROM t WHERE a = 3")
    await until { numbers.value == [1, 2] }
  }

  @Test func `no query runs while a busy main thread has two results to take`() async throws {
    let runs = Mutex(0)
    let numbers = queue.live(initial: [Int]()) { connection in
      runs.withLock { $0 += 1 }
      return try connection.query(.column(.int), sql: "SELECT a FROM t ORDER BY a")
    }
    try await numbers.load()
    for number in 2...9 {
      try writeBlocking("INSERT INTO t VALUES (\(number), 'y')")
      settle()
    }
    #expect(runs.withLock { $0 } == 3)
    await until { numbers.value.count == 9 }
    #expect(runs.withLock { $0 } == 4)
  }

  @Test func `a wait for the first result ends by cancellation`() async throws {
    let (blocker, release) = try await blockQueue()
    let numbers = numbers()
    let waiting = Task { try await numbers.load() }
    let cancelled = Task { try await numbers.load() }
    cancelled.cancel()
    #expect(await failure(of: cancelled) is CancellationError)
    while !waiting.isCancelled {
      await Task.yield()
      numbers.cancel()
      waiting.cancel()
    }
    #expect(await failure(of: waiting) is CancellationError)
    #expect(throws: CancellationError.self) { try blockingLoad(numbers) }
    release()
    try await blocker.value
    #expect(numbers.value == [] && !numbers.isLoaded)
  }

  @Test func `a publisher that ends without a value ends the wait`() async throws {
    let publisher = queue.rowPublisher(sql: "SELECT a FROM t WHERE 0").mapRows(.column(.int))
    let number = LiveValue(initial: 7, observing: publisher)
    await #expect(throws: CancellationError.self) { try await number.load() }
    #expect(throws: CancellationError.self) { try blockingLoad(number) }
    #expect(number.value == 7 && number.error == nil)
  }

  @Test func `100 live values see many commits in order, and end with their owner`() async throws {
    let commits = rounds(300, long: 10_000)
    try await write("CREATE TABLE counter(n); INSERT INTO counter VALUES (0)")
    var values = (0..<100).map { _ in
      queue.live(initial: -1) { connection in
        try connection.first(.column(.int), sql: "SELECT n FROM counter") ?? 0
      }
    }
    var isInOrder = true
    var lateUpdates = 0
    for value in values {
      value.onUpdate { update in
        if update.old >= update.new { isInOrder = false }
        if update.new > commits { lateUpdates += 1 }
      }
    }
    let writer = Task.detached { [queue] in
      for _ in 0..<commits {
        try await queue.write { try $0.execute(sql: "UPDATE counter SET n = n + 1") }
      }
    }
    try await writer.value
    for value in values { await until { value.value == commits } }
    #expect(isInOrder)

    let ended = Array(values.prefix(50))
    for value in ended { value.cancel() }
    let references = values.map(WeakReference.init)
    values = []
    try await write("UPDATE counter SET n = n + 1")
    let last = try await queue.live(.column(.int), "SELECT n FROM counter").load()
    #expect(last.value == [commits + 1])
    #expect(lateUpdates == 0)
    #expect(ended.allSatisfy { $0.value == commits })
    #expect(references.suffix(50).allSatisfy { $0.object == nil })
  }

  @Test func `a released live value releases its query`() async throws {
    weak var released: AnyObject?
    do {
      let object = Captured()
      let value = queue.live(initial: 0) { [object] _ in object.number }
      #expect(try await value.load().value == 2)
      released = object
    }
    // The last fetch may still hold the closure for a moment, on another thread.
    while released != nil { await Task.yield() }
  }

  private func writeBlocking(_ sql: String) throws { try queue.sync { try $0.execute(sql: sql) } }

  /// Waits until the results of queries that have begun have been delivered to the main thread.
  private func settle() {
    let isDone = DispatchSemaphore(value: 0)
    queue.async { _ in
    } completion: { _ in
      isDone.signal()
    }
    isDone.wait()
  }

  /// Calls the blocking form, which asynchronous code cannot call directly.
  private func blockingLoad<T>(_ value: LiveValue<T>) throws { try value.syncLoad() }

  /// Keeps the queue busy until the returned closure is called.
  private func blockQueue() async throws -> (Task<Void, any Error>, () -> Void) {
    let gate = DispatchSemaphore(value: 0)
    let started = AsyncStream.makeStream(of: Void.self)
    let blocker = Task.detached { [queue] in
      try await queue.perform { _ in
        started.continuation.finish()
        gate.wait()
      }
    }
    for await _ in started.stream {}
    return (blocker, { gate.signal() })
  }
}

private final class Captured: Sendable {
  let number = 2
}

private struct WeakReference {
  weak var object: AnyObject?
  init(_ object: AnyObject) { self.object = object }
}

/// Waits until a condition on observed properties is true.
@MainActor
func until(_ condition: @MainActor () -> Bool) async {
  while true {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    let isMet = withObservationTracking(condition) { continuation.finish() }
    if isMet { return }
    for await _ in changes {}
  }
}
