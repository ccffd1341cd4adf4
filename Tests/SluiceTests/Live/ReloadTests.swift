import Foundation
import Observation
import Sluice
import Synchronization
import TestSupport
import Testing

/// `reload` and `syncReload`, which show all writes that ended before the call.
@MainActor
@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `reloaded live values` {
  private let folder: TestFolder
  private let pool: ConnectionPool

  init() throws {
    folder = try TestFolder()
    pool = try ConnectionPool(path: folder.file(), readers: 2)
    try pool.syncWrite {
      try $0.execute("CREATE TABLE t(a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
    }
  }

  private func count() -> LiveValue<Int> {
    pool.live(initial: 0) { try $0.first(.column(.int), "SELECT count(*) FROM t") ?? 0 }
  }

  private func insert() async throws {
    try await pool.write { try $0.execute("INSERT INTO t DEFAULT VALUES") }
  }

  @Test func `a reload after a write always shows it`() async throws {
    let count = try await count().load()
    let queue = try ConnectionQueue()
    try await queue.write { try $0.execute("CREATE TABLE t(a INTEGER PRIMARY KEY)") }
    let ofQueue = queue.live(.column(.int), "SELECT a FROM t")
    for number in 2...200 {
      try await insert()
      #expect(try await count.reload().value == number)
      try await queue.write { try $0.execute("INSERT INTO t DEFAULT VALUES") }
      #expect(try await ofQueue.reload().value.count == number - 1)
    }
  }

  @Test func `a reload that blocks shows the write before it`() throws {
    let count = try count().syncLoad()
    for number in 2...100 {
      try pool.syncWrite { try $0.execute("INSERT INTO t DEFAULT VALUES") }
      #expect(try count.syncReload().value == number)
    }
  }

  @Test func `a reload shows the writes of another connection`() async throws {
    let other = try Connection(path: folder.file())
    let count = try await count().load()
    try other.execute("INSERT INTO t DEFAULT VALUES")
    #expect(try await count.reload().value == 2)
  }

  @Test func `reloads at the same time share fetches, and all of them end`() async throws {
    let fetches = Mutex(0)
    let isGated = Mutex(false)
    let gate = DispatchSemaphore(value: 0)
    let count = pool.live(initial: 0) { connection in
      fetches.withLock { $0 += 1 }
      if isGated.withLock(\.self) {
        gate.wait()
        gate.signal()
      }
      return try connection.first(.column(.int), "SELECT count(*) FROM t") ?? 0
    }
    try await count.load()
    let before = fetches.withLock(\.self)
    isGated.withLock { $0 = true }
    var started = 0
    let tasks = (0..<1_000).map { _ in
      Task {
        started += 1
        return try await count.reload().value
      }
    }
    while started < 1_000 { await Task.yield() }
    gate.signal()
    for task in tasks { #expect(try await task.value == 1) }
    // The fetch of the first reload, and one for all others.
    #expect(fetches.withLock(\.self) - before == 2)
  }

  @Test func `a reload does not stop the fetch of another one`() async throws {
    let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let fetches = Mutex(0)
    let value = pool.live(initial: 0) { _ in
      entered.signal()
      gate.wait()
      return fetches.withLock { count in
        count += 1
        return count
      }
    }
    gate.signal()
    try await value.load()
    blocking { entered.wait() }
    let first = Task { try await value.reload().value }
    for _ in 0..<10 { await Task.yield() }
    blocking { entered.wait() }
    let second = Task { try await value.reload().value }
    for _ in 0..<10 { await Task.yield() }
    gate.signal()
    #expect(try await first.value == 2)
    gate.signal()
    #expect(try await second.value == 3)
  }

  @Test func `the value stays until the result arrives, and an equal result changes nothing`()
    async throws
  {
    let count = try await count().load()
    var updates = 0
    count.onUpdate { _ in updates += 1 }
    let changes = Mutex(0)
    withObservationTracking {
      _ = (count.value, count.isLoaded, count.error == nil)
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    #expect(try await count.reload().value == 1)
    #expect(updates == 0)
    #expect(changes.withLock(\.self) == 0)
    try await insert()
    #expect(try await count.reload().value == 2)
    #expect(changes.withLock(\.self) == 1 && updates == 1)
  }

  @Test func `a reload starts again after an error and after cancel`() async throws {
    let count = try await count().load()
    try await pool.write { try $0.execute("ALTER TABLE t RENAME TO u") }
    await #expect(throws: SQLiteError.self) { try await count.reload() }
    #expect(count.error != nil && count.value == 1)
    try await pool.write { try $0.execute("ALTER TABLE u RENAME TO t; INSERT INTO t VALUES (7)") }
    #expect(try await count.reload().value == 2)
    #expect(count.error == nil)
    count.cancel()
    try await insert()
    #expect(try await count.reload().value == 3)
    try await insert()
    await until { count.value == 4 }
  }

  @Test func `an error of a fetch that began before the reload is not its error`() async throws {
    let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isFirst = Mutex(true)
    struct Outdated: Error {}
    let value = pool.live(initial: 0) { _ in
      let isFirst = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      guard isFirst else { return 5 }
      entered.signal()
      gate.wait()
      throw Outdated()
    }
    let load = Task { try await value.load() }
    blocking { entered.wait() }
    let reload = Task { try await value.reload().value }
    await Task.yield()
    gate.signal()
    await #expect(throws: Outdated.self) { try await load.value }
    #expect(try await reload.value == 5)
    #expect(value.error == nil)
  }

  @Test func `a reload ends by cancellation of its task or of the live value`() async throws {
    let gate = DispatchSemaphore(value: 0)
    let value = pool.live(initial: 0) { _ in
      gate.wait()
      return 1
    }
    gate.signal()
    try await value.load()
    let ofTask = Task { try await value.reload() }
    let ofValue = Task { try await value.reload() }
    for _ in 0..<10 { await Task.yield() }
    ofTask.cancel()
    await #expect(throws: CancellationError.self) { try await ofTask.value }
    value.cancel()
    await #expect(throws: CancellationError.self) { try await ofValue.value }
    for _ in 0..<3 { gate.signal() }
    #expect(try await value.reload().value == 1)
  }

  @Test func `another query satisfies a reload`() async throws {
    let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let value = pool.live(initial: 0) { _ in
      entered.signal()
      gate.wait()
      return 1
    }
    blocking { entered.wait() }
    let reload = Task { try await value.reload().value }
    for _ in 0..<10 { await Task.yield() }
    value.observe(pool.observe { _ in 2 })
    gate.signal()
    #expect(try await reload.value == 2)
  }

  @Test func `a reload whose result cannot arrive throws misuse`() async throws {
    let queue = try ConnectionQueue()
    let number = try await queue.live(.column(.int), "SELECT 1").load()
    let onMain = LiveValue(initial: 0, observing: queue.observe { _ in 1 }.receive(on: .main))
    try blocking {
      try queue.sync { _ in
        MainActor.assumeIsolated {
          #expect(failure { try number.syncReload() }?.code == .misuse)
        }
      }
      #expect(failure { try onMain.syncReload() }?.code == .misuse)
    }
    #expect(number.isLoaded && number.error == nil && number.value == [1])
    #expect(try await onMain.reload().value == 1)
  }

  @Test func `a window is loaded again`() async throws {
    let window = pool.live(window: 0..<5, .column(.int), "SELECT a FROM t ORDER BY a")
    try await window.load()
    try await insert()
    #expect(try await window.reload().rows == [1, 2])
    #expect(window.count == 2)
    try blocking {
      try pool.syncWrite { try $0.execute("DELETE FROM t WHERE a = 1") }
      #expect(try window.syncReload().rows == [2])
    }
  }

  @Test func `an observer that reloads before a change keeps the newer value`() async throws {
    let other = try ConnectionQueue(path: folder.file())
    let count = try await count().load()
    let inner = Mutex<[Int]>([])
    let isFirst = Mutex(true)
    withObservationTracking {
      _ = count.value
    } onChange: {
      MainActor.assumeIsolated {
        // The reload below calls this closure again.
        let isFirst = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        guard isFirst else { return }
        do {
          try other.syncWrite { try $0.execute("INSERT INTO t DEFAULT VALUES") }
          let value = try count.syncReload().value
          inner.withLock { $0.append(value) }
        } catch { Issue.record(error) }
      }
    }
    try await insert()
    try await count.reload()
    #expect(inner.withLock(\.self) == [3])
    #expect(count.value == 3)
    try await insert()
    await until { count.value == 4 }
  }

  @Test func `an observer that ends or replaces an observation as it begins is obeyed`()
    async throws
  {
    let count = try await count().load()
    withObservationTracking {
      _ = count.isLoaded
    } onChange: {
      MainActor.assumeIsolated { count.cancel() }
    }
    count.observe(pool.observe { _ in 5 })
    await #expect(throws: CancellationError.self) { try await count.load() }
    #expect(count.value == 1)

    try await count.reload()
    let runs = Mutex(0)
    let isFirst = Mutex(true)
    let replacement = pool.observe { _ in
      runs.withLock { $0 += 1 }
      return 7
    }
    withObservationTracking {
      _ = count.isLoaded
    } onChange: {
      // The call below calls this closure again.
      let isFirst = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      MainActor.assumeIsolated { if isFirst { count.observe(replacement) } }
    }
    count.observe(pool.observe { _ in 6 })
    #expect(try await count.load().value == 7)
    count.cancel()
    let before = runs.withLock(\.self)
    try await insert()
    try await pool.read { _ in }
    #expect(runs.withLock(\.self) == before)
  }

  /// Calls `body`, which may block the main thread.
  private func blocking<T>(_ body: () throws -> T) rethrows -> T { try body() }
}
