import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.monitoring), .timeLimit(.minutes(10))) struct `plans that a monitor requests` {
  /// A monitor that requests the plan of each statement that begins with a prefix.
  private final class Planner: ConnectionMonitor {
    let prefix: String
    let statements = SharedLog<StatementRecord>()
    let explanations = SharedLog<StatementExplanation>()
    /// The reports in order.
    let events = SharedLog<String>()
    let actions = SharedLog<@Sendable () -> Void>()

    init(_ prefix: String = "") { self.prefix = prefix }

    func statementDidEnd(_ statement: StatementRecord) {
      statements.append(statement)
      events.append("statement")
    }

    func accessDidEnd(_ access: AccessRecord) { events.append("access") }

    func wantsExplanation(of statement: StatementRecord) -> Bool {
      statement.sql.contains(prefix)
    }

    func statementWasExplained(_ explanation: StatementExplanation) {
      explanations.append(explanation)
      events.append("plan")
      for action in actions.entries { action() }
    }
  }

  private static let slow = "SELECT a FROM t /* slow */"

  /// Returns a queue whose database has a table `t` with three rows.
  private func queue(_ monitor: Planner, _ change: (inout Configuration) -> Void = { _ in })
    throws -> ConnectionQueue
  {
    var configuration = Configuration()
    configuration.monitor = monitor
    configuration.prepareConnection { connection in
      try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
    }
    change(&configuration)
    return try ConnectionQueue(configuration: configuration)
  }

  @Test(arguments: AwaitedForm.allCases)
  func `the plan arrives before the report of the access, in each awaited form`(
    _ form: AwaitedForm
  ) async throws {
    let planner = Planner(AwaitedStage.sql)
    let stage = try await AwaitedStage(monitor: planner)
    let before = planner.events.entries.count
    try await stage.access(form) { _ in }
    #expect(planner.explanations.entries.map(\.statement.sql) == [AwaitedStage.sql])
    #expect(
      planner.explanations.entries.first?.plan?.description == "QUERY PLAN\n`--SCAN CONSTANT ROW")
    let events = planner.events.entries.dropFirst(before)
    let place = try #require(events.firstIndex(of: "plan"))
    #expect(events[place...].dropFirst().first == "access")
  }

  @Test func `the plan arrives in each synchronous form, and for calls with a completion`()
    async throws
  {
    let planner = Planner("slow")
    let queue = try queue(planner)
    let later = ContinuousClock.now + .seconds(patience)
    await apart {
      #expect(failure { try queue.sync { try $0.execute(sql: Self.slow) } } == nil)
      #expect(failure { try queue.sync(deadline: later) { try $0.execute(sql: Self.slow) } } == nil)
      #expect(
        failure {
          try queue.syncTransaction {
            try $0.execute(sql: Self.slow)
            _ = $1
          }
        } == nil)
    }
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        try $0.execute(sql: Self.slow)
      } completion: {
        continuation.resume(with: $0)
      }
    }
    #expect(planner.explanations.entries.count == 4)
    #expect(planner.explanations.entries.allSatisfy { $0.plan?.nodes.map(\.detail) == ["SCAN t"] })
    #expect(planner.explanations.entries.map(\.statement).allSatisfy { $0.rowCount == 3 })
  }

  @Test func `a plan is not reported as a statement, and is taken once`() throws {
    let planner = Planner()
    let queue = try queue(planner)
    let before = planner.statements.entries.count
    #expect(try compilations(in: queue) == 2)
    #expect(planner.statements.entries.dropFirst(before).map(\.sql) == [Self.slow])
  }

  @Test func `nothing is explained for a monitor that requests nothing`() throws {
    let planner = Planner("no statement")
    #expect(try compilations(in: queue(planner)) == 1)
    #expect(planner.explanations.entries.isEmpty)
  }

  /// Returns how often SQLite compiles the slow statement that an access executes.
  private func compilations(in queue: ConnectionQueue) throws -> Int {
    let compiled = Counter()
    try queue.sync { connection in
      try connection.authorize { request in
        if request.action == .select { compiled.add() }
        return .allow
      }
      try connection.execute(sql: Self.slow)
    }
    try queue.sync { _ in }
    return compiled.count
  }

  @Test(arguments: [
    ("SELECT slow.a FROM t AS slow", "SCAN slow"),
    (" \n-- slow\n/* very */ ; SELECT a FROM t", "SCAN t"),
    ("WITH slow AS (SELECT 1) DELETE FROM t WHERE a = 9", "SCAN t"),
    ("UPDATE t SET a = a WHERE a = 'slow'", "SCAN t"),
    ("VALUES ('slow')", "SCAN CONSTANT ROW"),
    ("INSERT INTO t SELECT 'slow' FROM t AS \"o\"\"ther\"", "SCAN o\"ther"),
    ("REPLACE INTO t SELECT a FROM temp.slow", "SCAN temp.slow"),
    ("SELECT a FROM slow.'it''s'", "SCAN slow.it's"),
  ]) func `statements of these kinds have plans`(_ sql: String, _ detail: String) throws {
    let planner = Planner("slow")
    let queue = try queue(planner)
    try queue.sync { connection in
      try connection.execute(sql: "CREATE TABLE temp.s(a); ALTER TABLE temp.s RENAME TO slow")
      try connection.attach(path: ":memory:", as: "slow")
      try connection.execute(sql: "CREATE TABLE slow.'it''s'(a)")
    }
    let before = planner.explanations.entries.count
    try queue.sync { try $0.execute(sql: sql) }
    let explanations = planner.explanations.entries.dropFirst(before)
    #expect(explanations.count == 1)
    #expect(explanations.last?.plan?.nodes.first?.detail == detail)
  }

  @Test func `a statement that explaining would run has no plan`() throws {
    let planner = Planner("slow")
    let queue = try queue(planner)
    let compiled = SharedLog<AuthorizedAction>()
    try queue.sync { connection in
      try connection.authorize { request in
        if case .pragma = request.action { compiled.append(request.action) }
        return .allow
      }
      try connection.execute(sql: "PRAGMA cache_size /* slow */ = 7")
    }
    #expect(compiled.entries == [.pragma(name: "cache_size", value: "7")])
    #expect(planner.explanations.entries.map(\.plan) == [nil])
  }

  @Test func `explaining calls no function and changes no row`() throws {
    let planner = Planner("slow")
    let queue = try queue(planner)
    let calls = Counter()
    try queue.sync { connection in
      try connection.addFunction("called") { () -> Int in
        calls.add()
        return 1
      }
      try connection.execute(sql: "INSERT INTO t SELECT called() /* slow */")
    }
    #expect(planner.explanations.entries.map { $0.plan != nil } == [true])
    #expect(calls.count == 1)
    #expect(try queue.sync { try $0.integers("SELECT count(*) FROM t") } == [4])
  }

  @Test(arguments: ["DROP TABLE t", "DETACH other", "DROP TABLE temp.u"])
  func `a statement whose table no longer exists is reported without a plan`(_ sql: String) throws {
    let planner = Planner("slow")
    let queue = try queue(planner)
    try queue.sync { connection in
      try connection.attach(path: ":memory:", as: "other")
      try connection.execute(sql: "CREATE TABLE other.o(a); CREATE TABLE temp.u(a)")
      try connection.execute(sql: "SELECT 'slow' FROM t, o, u")
      try connection.execute(sql: sql)
    }
    #expect(planner.explanations.entries.map(\.plan) == [nil])
    #expect(planner.events.entries.suffix(2) == ["plan", "access"])
    #expect(try queue.sync { try $0.integers("SELECT 1") } == [1])
  }

  @Test func `a table that a rollback removes has no plan, and the access throws its own error`()
    async throws
  {
    let planner = Planner("slow")
    let queue = try queue(planner)
    await #expect(throws: ForeignError.self) {
      try await queue.transaction { connection, _ in
        try connection.execute(sql: "CREATE TABLE u(a); INSERT INTO u SELECT 'slow' FROM t")
        throw ForeignError()
      }
    }
    #expect(planner.explanations.entries.map(\.plan) == [nil])
  }

  @Test func `a connection that its access closes or replaces is not used for plans`() throws {
    for replaces in [false, true] {
      let planner = Planner("slow")
      let queue = try queue(planner)
      let error = failure {
        try queue.sync { connection in
          try connection.execute(sql: Self.slow)
          if replaces { connection = try Connection() } else { try connection.close() }
        }
      }
      #expect(error?.code == (replaces ? .misuse : nil))
      #expect(planner.explanations.entries.map(\.plan) == [nil])
    }
  }

  /// A statement that ends only when it is interrupted.
  private static let endless =
    "WITH slow(x) AS (VALUES (1) UNION ALL SELECT x FROM slow) SELECT x FROM slow"

  @Test func `the plan of a cancelled statement is reported`() async throws {
    let planner = Planner("slow")
    let queue = try queue(planner)
    let begun = Gate()
    let task = Task {
      try await queue.perform { try $0.execute(sql: Self.endless) { _ in begun.open() } }
    }
    await apart { #expect(begun.pass()) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(planner.explanations.entries.map { $0.plan != nil } == [true])
  }

  @Test func `the plan of a statement that a deadline ends is reported`() async throws {
    let planner = Planner("slow")
    let queue = try queue(planner)
    // An access whose deadline passes before it begins has no statement.
    while planner.explanations.entries.isEmpty {
      await #expect(throws: DeadlineError.self) {
        try await queue.perform(deadline: .now + .milliseconds(20)) {
          try $0.execute(sql: Self.endless)
        }
      }
    }
    while planner.explanations.entries.count == 1 {
      await apart {
        #expect(throws: DeadlineError.self) {
          try queue.sync(deadline: .now + .milliseconds(20)) { try $0.execute(sql: Self.endless) }
        }
      }
    }
    #expect(planner.explanations.entries.map { $0.plan != nil } == [true, true])
  }

  @Test func `an access that a close interrupts reports no plan`() async throws {
    let planner = Planner("slow")
    let queue = try queue(planner)
    let begun = Gate()
    let task = Task {
      try await queue.perform { try $0.execute(sql: Self.endless) { _ in begun.open() } }
    }
    await apart { #expect(begun.pass()) }
    try await queue.close(.interrupt)
    _ = await task.result
    #expect(planner.explanations.entries.map(\.plan) == [nil])
  }

  @Test func `errors of closures that explaining calls affect no access`() throws {
    let planner = Planner("slow")
    let queue = try queue(planner)
    try queue.sync { connection in
      try connection.execute(sql: Self.slow)
      try connection.authorize { _ in throw ForeignError() }
    }
    #expect(planner.explanations.entries.map(\.plan) == [nil])
    #expect(foreignFailure { try queue.sync { try $0.execute(sql: "SELECT 1") } } != nil)
  }

  @Test func `explaining does not wait for the lock of another connection`() throws {
    let planner = Planner("slow")
    let folder = try TestFolder()
    let other = try Connection(path: folder.file())
    try other.execute(sql: "CREATE TABLE t(a)")
    var configuration = Configuration()
    configuration.monitor = planner
    configuration.busyTimeout = .seconds(3600)
    let queue = try ConnectionQueue(path: folder.file(), configuration: configuration)
    nonisolated(unsafe) let locking = other
    try queue.sync { connection in
      try connection.execute(sql: Self.slow)
      // The connection forgets the schema, which it cannot read while the other one has its lock.
      try unsafe locking.begin(.exclusive)
      try connection.execute(sql: "PRAGMA writable_schema = RESET")
    }
    #expect(planner.explanations.entries.map(\.plan) == [nil])
    try other.rollback()
    try queue.sync { try $0.execute(sql: Self.slow) }
    #expect(planner.explanations.entries.last?.plan?.nodes.map(\.detail) == ["SCAN t"])
  }

  @Test func `a monitor can use the queue when it receives a plan`() throws {
    let planner = Planner("slow")
    let queue = try queue(planner)
    let errors = SharedLog<SQLiteError?>()
    planner.actions.append { [unowned queue] in
      errors.append(
        failure { try queue.sync { try $0.execute(sql: "INSERT INTO t VALUES ('slow')") } })
    }
    try queue.sync { try $0.execute(sql: Self.slow) }
    #expect(errors.entries == [nil])
    #expect(try queue.sync { try $0.integers("SELECT count(*) FROM t") } == [4])
  }

  @Test func `one access requests at most 100 plans, and the next one requests more`() throws {
    let planner = Planner("slow")
    let queue = try queue(planner)
    for count in [150, 20] {
      try queue.sync { connection in
        for number in 0..<count { try connection.execute(sql: "SELECT \(number) AS slow") }
      }
    }
    #expect(planner.explanations.entries.count == 120)
  }

  @Test func `a connection without a queue reports the statement at once, without a plan`() throws {
    let planner = Planner("slow")
    var configuration = Configuration()
    configuration.monitor = planner
    let connection = try Connection(configuration: configuration)
    try connection.execute(sql: "SELECT 1 AS slow")
    #expect(planner.events.entries == ["statement", "plan"])
    #expect(planner.explanations.entries.map(\.plan) == [nil])
    #expect(planner.explanations.entries.first?.statement == planner.statements.entries.last)
  }

  @Test func `the scan status of a statement counts its loops, if the library has it`() throws {
    let planner = Planner("slow")
    let queue = try queue(planner)
    try queue.sync { try $0.execute(sql: Self.slow) }
    let scans = try #require(planner.explanations.entries.first?.scanStatus)
    guard SQLiteLibrary.has(.scanStatus) else {
      #expect(scans.isEmpty)
      return
    }
    #expect(scans.map(\.visits) == [3])
    #expect(scans.map(\.explanation) == ["SCAN t"])
  }

  @Test func `records contain the time at which their work began`() throws {
    let planner = Planner()
    let before = ContinuousClock.now
    let queue = try queue(planner)
    try queue.sync { try $0.execute(sql: Self.slow) }
    let record = try #require(planner.statements.entries.last)
    #expect(record.start >= before && record.start + record.duration <= .now)
    #expect(record.duration > .zero)
  }
}
