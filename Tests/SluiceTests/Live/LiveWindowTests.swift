import Sluice
import TestSupport
import Testing

@MainActor
@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `live windows` {
  private let queue: ConnectionQueue

  init() throws {
    queue = try ConnectionQueue()
    try queue.sync {
      try $0.execute(
        sql: """
          CREATE TABLE t(a);
          WITH n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 10) INSERT INTO t SELECT a FROM n
          """)
    }
  }

  private func window(_ range: Range<Int>) -> LiveWindow<Int> {
    queue.live(window: range, .column(.int), "SELECT a FROM t WHERE a > \(0) ORDER BY a")
  }

  @Test func `a window contains the rows of its range and the number of all rows`() async throws {
    let window = try await window(2..<5).load()
    #expect(window.rows == [3, 4, 5] && window.count == 10)
    window.range = 8..<12
    #expect(window.rows == [3, 4, 5] && !window.isLoaded)
    try await window.load()
    #expect(window.rows == [9, 10] && window.count == 10)
    window.range = 8..<9
    #expect(!window.isLoaded)
    #expect(try await window.load().rows == [9])
    window.range = 20..<30
    #expect(try await window.load().rows == [])
    window.range = 0..<0
    #expect(try await window.load().rows == [])
    #expect(window.count == 10)
  }

  @Test func `a window follows the database`() async throws {
    let window = try await window(0..<2).load()
    try await queue.write { try $0.execute(sql: "DELETE FROM t WHERE a = 1") }
    await until { window.rows == [2, 3] }
    #expect(window.count == 9)
    window.cancel()
    try await queue.write { try $0.execute(sql: "DELETE FROM t WHERE a = 2") }
    #expect(window.rows == [2, 3])
  }

  @Test func `a range of any size is accepted`() async throws {
    #expect(try await window(-5..<2).load().rows == [1, 2])
    #expect(try await window(Int.min..<(-3)).load().rows == [])
    #expect(try await window(9..<Int.max).load().rows == [10])
    #expect(try await window(Int.max..<Int.max).load().rows == [])
  }

  @Test func `the same range reads nothing, and another range recovers from an error`() async throws
  {
    let window = try await window(0..<2).load()
    window.range = 0..<2
    #expect(window.isLoaded)
    try await queue.write { try $0.execute(sql: "ALTER TABLE t RENAME TO u") }
    await until { window.error != nil }
    #expect(window.rows == [1, 2])
    try await queue.write { try $0.execute(sql: "ALTER TABLE u RENAME TO t") }
    window.range = 1..<3
    #expect(try await window.load().rows == [2, 3])
    #expect(window.error == nil)
  }

  @Test func `a restart recovers from an error with the same range`() async throws {
    let window = try await window(0..<2).load()
    try await queue.write { try $0.execute(sql: "ALTER TABLE t RENAME TO u") }
    await until { window.error != nil }
    try await queue.write {
      try $0.execute(sql: "ALTER TABLE u RENAME TO t; DELETE FROM t WHERE a = 1")
    }
    window.restart()
    #expect(try await window.load().rows == [2, 3])
  }

  @Test func `only different rows are an update, which a closure can perform`() async throws {
    let window = try await window(0..<2).load()
    var updates: [[Int]] = []
    window.onUpdate { update in
      updates += [update.old, update.new]
      update()
      #expect(window.rows == update.new)
    }
    try await queue.write { try $0.execute(sql: "UPDATE t SET a = a") }
    try await queue.write { try $0.execute(sql: "DELETE FROM t WHERE a = 1") }
    await until { window.rows == [2, 3] }
    #expect(updates == [[1, 2], [2, 3]])
    window.onUpdate(nil)
    try await queue.write { try $0.execute(sql: "DELETE FROM t WHERE a = 2") }
    await until { window.rows == [3, 4] }
    #expect(updates.count == 2)
  }

  @Test func `a window shows another query, also after an error`() async throws {
    let window = try await window(0..<2).load()
    window.observe("SELECT a FROM t WHERE a > \(7) ORDER BY a DESC")
    #expect(window.rows == [1, 2] && !window.isLoaded)
    #expect(try await window.load().rows == [10, 9] && window.count == 3)
    try await queue.write { try $0.execute(sql: "DELETE FROM t WHERE a = 10") }
    await until { window.rows == [9, 8] }
    window.observe("SELECT missing FROM t")
    await #expect(throws: SQLiteError.self) { try await window.load() }
    window.observe("SELECT a FROM t WHERE a < \(2)")
    #expect(try await window.load().rows == [1] && window.error == nil)
  }

  @Test func `SQL with a limit is an error`() async throws {
    let window = queue.live(window: 0..<2, .column(.int), "SELECT a FROM t LIMIT 3")
    await #expect(throws: SQLiteError.self) { try await window.load() }
  }
}
