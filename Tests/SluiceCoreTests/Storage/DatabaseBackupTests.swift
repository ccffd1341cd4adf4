import CSluice
import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.storage), .timeLimit(.minutes(10))) struct `backups of queues and pools` {
  let folder: TestFolder
  let pool: ConnectionPool

  init() throws {
    folder = try TestFolder()
    pool = try ConnectionPool(path: folder.file())
    try pool.sync { try $0.fill(rows: 100) }
  }

  @Test func `a backup copies a pool to a queue and back`() async throws {
    let queue = try ConnectionQueue()
    try await pool.backup(to: queue)
    let content = try await pool.read { try $0.content }
    #expect(try await queue.read { try $0.content } == content)
    try await queue.write { try $0.execute(sql: "DELETE FROM t") }
    try await queue.backup(to: pool)
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [0])
  }

  @Test func `a backup copies a single state despite writes by another connection`() async throws {
    let queue = try ConnectionQueue()
    let before = try await pool.read { try $0.content }
    let steps = Counter()
    let path = folder.file()
    try await pool.backup(to: queue, pagesPerStep: 1) { _, _ in
      steps.add()
      guard steps.count == 1 else { return }
      try Connection(path: path).execute(sql: "DELETE FROM t")
    }
    #expect(steps.count > 1)
    #expect(try await queue.read { try $0.content } == before)
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [0])
  }

  @Test func `a backup copies a pool to a file`() async throws {
    let content = try await pool.read { try $0.content }
    try await pool.backup(to: folder.file("b.db"))
    #expect(try Connection(path: folder.file("b.db"), create: false).content == content)
    let error = await awaitedFailure { try await pool.backup(to: folder.file("b.db")) }
    #expect(error?.code == .cantOpen)
    try await pool.backup(to: folder.file("b.db"), overwriting: true)
  }

  @Test func `backing up a pool or queue to itself throws misuse`() async throws {
    let error = await awaitedFailure { try await pool.backup(to: pool) }
    #expect(error?.code == .misuse)
    let queue = try ConnectionQueue()
    #expect(await awaitedFailure { try await queue.backup(to: queue) }?.code == .misuse)
  }

  @Test func `backing up a file to itself through another queue, pool or connection throws`()
    async throws
  {
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.db"), withDestinationPath: folder.file())
    let content = try await pool.read { try $0.content }
    for path in [folder.file(), folder.file("link.db")] {
      let other = try ConnectionPool(path: path)
      #expect(await awaitedFailure { try await pool.backup(to: other) }?.code == .misuse)
      let queue = try ConnectionQueue(path: path)
      #expect(await awaitedFailure { try await queue.backup(to: pool) }?.code == .misuse)
      let source = try Connection(path: path)
      #expect(failure { try source.backup(to: Connection(path: path)) }?.code == .misuse)
    }
    #expect(try await pool.read { try $0.content } == content)
  }

  @Test func `two queues that back up to each other do not deadlock`() async throws {
    let queues = [try ConnectionQueue(), try ConnectionQueue()]
    for queue in queues {
      try await queue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<200 {
        let (source, destination) = (queues[number % 2], queues[1 - number % 2])
        tasks.addTask { try await source.backup(to: destination) }
        tasks.addTask {
          guard await apart({ (try? source.syncBackup(to: destination)) != nil }) else {
            throw ForeignError()
          }
        }
      }
      try await tasks.waitForAll()
    }
    for queue in queues {
      #expect(try await queue.read { try $0.integers("SELECT a FROM t") } == [1])
    }
  }

  @Test(arguments: [0, 1]) func `a backup that waits for a busy queue can be cancelled`(
    busy: Int
  ) async throws {
    let queues = [try ConnectionQueue(), try ConnectionQueue()]
    let (begun, gate) = (Gate(), Gate())
    let occupant = Task {
      try await queues[busy].perform { _ in
        begun.open()
        #expect(gate.pass())
      }
    }
    #expect(await apart { begun.pass() })
    for (source, destination) in [(queues[0], queues[1]), (queues[1], queues[0])] {
      let copy = Task { try await source.backup(to: destination) }
      for _ in 0..<1000 { await Task.yield() }
      copy.cancel()
      #expect(await failure(of: copy) is CancellationError)
    }
    gate.open()
    try await occupant.value
    // The cancelled backups must also have released the other queue.
    try await queues[0].backup(to: queues[1])
  }

  @Test(arguments: [false, true]) func `suspending or closing the destination ends the backup`(
    isClosed: Bool
  ) async throws {
    // The interruption may come too late, after the copy is complete, so the test retries.
    for _ in 0..<200 {
      let queue = try ConnectionQueue()
      let (begun, rest) = (Gate(), SharedLog<Int>())
      let copy = Task { [pool] in
        try await pool.backup(to: queue, pagesPerStep: 1) { remaining, _ in
          begun.open()
          rest.append(remaining)
          sqlite3_sleep(1)
        }
      }
      #expect(await apart { begun.pass() })
      if isClosed { try await queue.close(.interrupt) } else { try await queue.suspend() }
      let error = await failure(of: copy)
      queue.resume()
      guard rest.entries.last != 0 else { continue }
      #expect(error is SQLiteError)
      return
    }
    Issue.record("each copy went to its end")
  }

  @Test func `a cancelled backup leaves the destination unchanged`() async throws {
    let queue = try ConnectionQueue()
    try await queue.perform { try $0.execute(sql: "CREATE TABLE old(a)") }
    await #expect(throws: ForeignError()) {
      try await pool.backup(to: queue, pagesPerStep: 1) { _, _ in throw ForeignError() }
    }
    #expect(try await queue.read { try $0.integers("SELECT count(*) FROM old") } == [0])
  }

  @Test func `syncBackup copies to a queue and to a file`() throws {
    let queue = try ConnectionQueue()
    try pool.syncBackup(to: queue)
    try queue.syncBackup(to: folder.file("b.db"))
    let content = try pool.syncRead { try $0.content }
    #expect(try Connection(path: folder.file("b.db"), create: false).content == content)
  }
}
