import SluiceCore
import TestSupport
import Testing

/// Live queries that fetch in one access, and subscriptions that share one fetch.
@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `fetches of several live queries` {
  private final class Log: ConnectionMonitor {
    let accesses = Counter()

    func accessDidEnd(_ access: AccessRecord) { accesses.add() }
  }

  private static func queue(_ monitor: (any ConnectionMonitor)? = nil) throws -> ConnectionQueue {
    var configuration = Configuration()
    configuration.monitor = monitor
    let queue = try ConnectionQueue(configuration: configuration)
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (0)") }
    return queue
  }

  private static func change(_ queue: ConnectionQueue) throws {
    try queue.sync { try $0.execute(sql: "UPDATE t SET a = a + 1") }
    queue.settle()
  }

  private static func value(_ connection: borrowing Connection) throws -> Int {
    try connection.first(.column(.int), sql: "SELECT a FROM t") ?? -1
  }

  @Test func `the queries that a commit concerns share an access`() throws {
    let log = Log()
    let queue = try Self.queue(log)
    let (arrived, gate) = (Counter(), Gate())
    let recorders = (0..<50).map { _ in
      Recorder<[Int]>(.unlimited) { _, _ in
        arrived.add()
        if arrived.count == 100 { gate.open() }
        return .none
      }
    }
    for (number, recorder) in recorders.enumerated() {
      queue.observe(.column(.int), sql: "SELECT a + \(number) FROM t").subscribe(recorder)
    }
    queue.settle()
    let before = log.accesses.count
    try queue.sync { try $0.execute(sql: "UPDATE t SET a = 7") }
    #expect(gate.pass())
    // One for the commit, and one for the fetches.
    #expect(log.accesses.count == before + 2)
    for (number, recorder) in recorders.enumerated() {
      #expect(recorder.values == [[number], [7 + number]])
    }
  }

  @Test func `the subscriptions of a publisher share a fetch`() throws {
    let queue = try Self.queue()
    let fetches = Counter()
    let publisher = queue.observe { connection in
      fetches.add()
      return try Self.value(connection)
    }
    let recorders = (0..<100).map { _ in Recorder<Int>(.unlimited) }
    for recorder in recorders { publisher.map { $0 * 2 }.subscribe(recorder) }
    queue.settle()
    let before = fetches.count
    try Self.change(queue)
    #expect(fetches.count == before + 1)
    #expect(recorders.allSatisfy { $0.values == [0, 2] })
  }

  @Test func `a subscription does not get the value of a fetch that has begun before it`()
    async throws
  {
    let folder = try TestFolder()
    let pool = try ConnectionPool(path: folder.file(), readers: 2)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (0)") }
    let (begun, gate, runs) = (Gate(), Gate(), Counter())
    let publisher = pool.observe { connection in
      let value = try Self.value(connection)
      runs.add()
      if runs.count == 1 {
        begun.open()
        #expect(gate.pass())
      }
      return value
    }
    let (first, second) = (Recorder<Int>(.unlimited), Recorder<Int>(.unlimited))
    publisher.subscribe(first)
    #expect(await apart { begun.pass() })
    try await pool.write { try $0.execute(sql: "UPDATE t SET a = 1") }
    publisher.subscribe(second)
    while second.values.isEmpty { await Task.yield() }
    gate.open()
    while first.values.last != 1 { await Task.yield() }
    #expect(second.values.first == 1)
    try await pool.close()
  }

  private struct Refusal: Error {}

  /// Queries that cannot share a transaction, because of what their second fetch does.
  @Test(arguments: [
    "throw", "write", "end the transaction", "read in a savepoint", "fail in SQL",
  ])
  func `a query that fails does not affect the others of its access`(_ what: String) throws {
    let queue = try Self.queue()
    let bad = Recorder<Int>(.unlimited)
    let good = (0..<20).map { _ in Recorder<Int>(.unlimited) }
    func subscribe(_ recorders: some Sequence<Recorder<Int>>) {
      for recorder in recorders { queue.observe { try Self.value($0) }.subscribe(recorder) }
    }
    subscribe(good[..<10])
    queue.observe { connection in
      let value = try Self.value(connection)
      guard value == 1 else { return value }
      switch what {
      case "throw": throw Refusal()
      case "write": try connection.execute(sql: "UPDATE t SET a = 100")
      case "end the transaction": try connection.execute(sql: "COMMIT")
      case "fail in SQL": try connection.execute(sql: "SELECT nothing")
      default: try connection.savepoint { _ in }
      }
      return value
    }.subscribe(bad)
    subscribe(good[10...])
    queue.settle()
    try Self.change(queue)
    queue.settle()
    #expect(good.allSatisfy { $0.values == [0, 1] && $0.error == nil })
    switch what {
    case "throw": #expect(bad.error is Refusal)
    case "write", "end the transaction":
      #expect((bad.error as? SQLiteError)?.code.primary == .misuse)
    case "fail in SQL": #expect((bad.error as? SQLiteError)?.code.primary == .error)
    default: #expect(bad.error == nil)
    }
    #expect(bad.values == (bad.error == nil ? [0, 1] : [0]))
    #expect(try queue.sync { try Self.value($0) } == 1)
    try Self.change(queue)
    #expect(good.allSatisfy { $0.values == [0, 1, 2] })
  }

  @Test func `a closure that replaces its connection ends all queries of the queue`() throws {
    let queue = try Self.queue()
    let recorders = (0..<5).map { _ in Recorder<Int>(.unlimited) }
    for (number, recorder) in recorders.enumerated() {
      queue.observe { connection in
        let value = try Self.value(connection)
        if number == 2, value == 1 { connection = try Connection() }
        return value
      }.subscribe(recorder)
    }
    queue.settle()
    try Self.change(queue)
    queue.settle()
    #expect(recorders.allSatisfy { ($0.error as? SQLiteError)?.code.primary == .misuse })
    #expect(recorders[0].values == [0, 1])
    #expect(recorders[2].values == [0])
  }

  @Test func `ending the subscription whose fetch runs does not end the fetch of the others`()
    async throws
  {
    let queue = try Self.queue()
    let endless = EndlessWork()
    let runs = Counter()
    let shared = queue.observe { connection in
      let value = try Self.value(connection)
      if value == 1 {
        runs.add()
        if runs.count == 1 { try endless.run(connection) }
      }
      return value
    }
    let recorders = (0..<3).map { _ in Recorder<Int>(.unlimited) }
    let other = Recorder<Int>(.unlimited)
    for recorder in recorders { shared.subscribe(recorder) }
    queue.observe { try Self.value($0) }.subscribe(other)
    while recorders.contains(where: { $0.values.isEmpty }) || other.values.isEmpty {
      await Task.yield()
    }
    try await queue.perform { try $0.execute(sql: "UPDATE t SET a = 1") }
    #expect(await endless.hasBegun())
    // The fetch runs for the subscription that waited first.
    recorders[0].subscription?.cancel()
    while recorders[1...].contains(where: { $0.values.count < 2 }) || other.values.count < 2 {
      await Task.yield()
    }
    #expect(recorders[0].values == [0])
    #expect(recorders[1...].allSatisfy { $0.values == [0, 1] && $0.error == nil })
    #expect(other.values == [0, 1])
  }

  @Test func `a queue that closes fetches all values that are out of date first`() async throws {
    let queue = try Self.queue()
    let recorders = (0..<200).map { _ in Recorder<Int>(.unlimited) }
    for recorder in recorders { queue.observe { try Self.value($0) }.subscribe(recorder) }
    while recorders.contains(where: { $0.values.isEmpty }) { await Task.yield() }
    try await queue.perform { try $0.execute(sql: "UPDATE t SET a = 1") }
    try await queue.close()
    while recorders.contains(where: { $0.ends == 0 }) { await Task.yield() }
    #expect(recorders.allSatisfy { $0.values == [0, 1] })
    #expect(recorders.allSatisfy { ($0.error as? SQLiteError)?.code == .misuseClosed })
  }

  @Test func `a slow query of a pool does not delay the others while a reader has nothing to do`()
    async throws
  {
    let folder = try TestFolder()
    let pool = try ConnectionPool(path: folder.file(), readers: 2)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (0)") }
    let endless = EndlessWork()
    let slow = Recorder<Int>(.unlimited)
    let others = (0..<20).map { _ in Recorder<Int>(.unlimited) }
    pool.observe { connection in
      let value = try Self.value(connection)
      if value == 1 { try endless.run(connection) }
      return value
    }.subscribe(slow)
    for recorder in others { pool.observe { try Self.value($0) }.subscribe(recorder) }
    while ([slow] + others).contains(where: { $0.values.isEmpty }) { await Task.yield() }
    try await pool.write { try $0.execute(sql: "UPDATE t SET a = 1") }
    #expect(await endless.hasBegun())
    while others.contains(where: { $0.values.last != 1 }) { await Task.yield() }
    slow.subscription?.cancel()
    #expect(slow.values == [0])
    try await pool.close()
  }

  @Test func `each live query of a pool gets the latest state, whatever order the commits have`()
    async throws
  {
    let folder = try TestFolder()
    let pool = try ConnectionPool(path: folder.file(), readers: 3)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (0)") }
    let recorders = (0..<60).map { _ in Recorder<Int>(.unlimited) }
    for (number, recorder) in recorders.enumerated() {
      pool.observe { try Self.value($0) * 100 + number }.subscribe(recorder)
    }
    let shared = pool.observe { try Self.value($0) }
    let sharing = (0..<20).map { _ in Recorder<Int>(.unlimited) }
    for recorder in sharing { shared.subscribe(recorder) }
    for _ in 0..<200 { try await pool.write { try $0.execute(sql: "UPDATE t SET a = a + 1") } }
    while recorders.enumerated().contains(where: { $1.values.last != 20_000 + $0 })
      || sharing.contains(where: { $0.values.last != 200 })
    { await Task.yield() }
    for values in recorders.map(\.values) + sharing.map(\.values) {
      #expect(values == values.sorted())
    }
    try await pool.close()
  }
}
