import SluiceCore
import Testing

@Suite(.timeLimit(.minutes(10))) struct `N1 backups of queues and pools` {
  let folder: TestFolder
  let pool: ConnectionPool

  init() throws {
    folder = try TestFolder()
    pool = try ConnectionPool(path: folder.file())
    try pool.sync { try $0.fill(rows: 100) }
  }

  @Test func `a pool is copied to a queue, and back`() async throws {
    let queue = try ConnectionQueue()
    try await pool.backup(to: queue)
    let content = try await pool.read { try $0.content }
    #expect(try await queue.read { try $0.content } == content)
    try await queue.write { try $0.execute(sql: "DELETE FROM t") }
    try await queue.backup(to: pool)
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [0])
  }

  @Test func `a copy is one state of a database that others write meanwhile`() async throws {
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

  @Test func `a pool is copied to a file`() async throws {
    let content = try await pool.read { try $0.content }
    try await pool.backup(to: folder.file("b.db"))
    #expect(try Connection(path: folder.file("b.db"), create: false).content == content)
    let error = await awaitedRefusal { try await pool.backup(to: folder.file("b.db")) }
    #expect(error?.code == .cantOpen)
    try await pool.backup(to: folder.file("b.db"), overwriting: true)
  }

  @Test func `a database is not copied to itself`() async throws {
    let error = await awaitedRefusal { try await pool.backup(to: pool) }
    #expect(error?.code == .misuse)
    let queue = try ConnectionQueue()
    #expect(await awaitedRefusal { try await queue.backup(to: queue) }?.code == .misuse)
  }

  @Test func `a copy that is cancelled changes nothing`() async throws {
    let queue = try ConnectionQueue()
    try await queue.perform { try $0.execute(sql: "CREATE TABLE old(a)") }
    await #expect(throws: ForeignError()) {
      try await pool.backup(to: queue, pagesPerStep: 1) { _, _ in throw ForeignError() }
    }
    #expect(try await queue.read { try $0.integers("SELECT count(*) FROM old") } == [0])
  }

  @Test func `a thread that waits copies as well`() throws {
    let queue = try ConnectionQueue()
    try pool.syncBackup(to: queue)
    try queue.syncBackup(to: folder.file("b.db"))
    let content = try pool.syncRead { try $0.content }
    #expect(try Connection(path: folder.file("b.db"), create: false).content == content)
  }
}
