import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.monitoring)) struct `the monitor of slow statements` {
  private final class Log: ConnectionMonitor {
    let statements = SharedLog<StatementRecord>()
    let accesses = SharedLog<AccessRecord>()
    let explanations = SharedLog<StatementExplanation>()
    let wanted: String

    init(wanting wanted: String = "nothing") { self.wanted = wanted }

    func statementDidEnd(_ statement: StatementRecord) { statements.append(statement) }
    func accessDidEnd(_ access: AccessRecord) { accesses.append(access) }
    func wantsExplanation(of statement: StatementRecord) -> Bool {
      statement.sql.contains(wanted)
    }
    func statementWasExplained(_ explanation: StatementExplanation) {
      explanations.append(explanation)
    }

    var explained: [String] { explanations.entries.map(\.statement.sql) }
  }

  /// A clock that stands still until the test moves it.
  private final class Clock: Sendable {
    private let hours = SharedLog<Duration>()
    private let start = ContinuousClock.now

    func move(by duration: Duration) { hours.append(duration) }
    var now: ContinuousClock.Instant { hours.entries.reduce(start, +) }
  }

  private let log = Log()
  private let clock = Clock()

  private func configuration(_ threshold: Duration, _ log: Log? = nil) -> Configuration {
    var configuration = Configuration()
    configuration.monitor = SlowStatementMonitor(
      threshold: threshold, reportingTo: log ?? self.log, now: { [clock] in clock.now })
    return configuration
  }

  @Test func `each SQL text is explained once an hour`() throws {
    let queue = try ConnectionQueue(configuration: configuration(.zero))
    func run() throws {
      try queue.sync { connection in
        for sql in ["SELECT 1", "SELECT 2", "SELECT 1"] { try connection.execute(sql: sql) }
      }
    }
    try run()
    #expect(log.explained == ["SELECT 1", "SELECT 2"])
    clock.move(by: .seconds(3599))
    try run()
    #expect(log.explained == ["SELECT 1", "SELECT 2"])
    clock.move(by: .seconds(1))
    try run()
    #expect(log.explained == ["SELECT 1", "SELECT 2", "SELECT 1", "SELECT 2"])
    #expect(log.explanations.entries.allSatisfy { $0.plan != nil })
    #expect(log.statements.entries.suffix(9).map(\.sql).filter { $0 == "SELECT 1" }.count == 6)
    #expect(log.accesses.entries.count == 3)
  }

  @Test func `a clock that goes back requests nothing again`() throws {
    let connection = try Connection(configuration: configuration(.zero))
    try connection.execute(sql: "SELECT 1")
    clock.move(by: .seconds(-7200))
    try connection.execute(sql: "SELECT 1")
    #expect(log.explained == ["SELECT 1"])
  }

  @Test func `a fast statement is not explained`() throws {
    let queue = try ConnectionQueue(configuration: configuration(.seconds(3600)))
    try queue.sync { try $0.execute(sql: "SELECT 1") }
    #expect(log.explained == [])
    #expect(log.statements.entries.last?.sql == "SELECT 1")
    #expect(log.accesses.entries.count == 1)
  }

  @Test func `the other monitor can request further plans`() throws {
    let log = Log(wanting: "SELECT 2")
    let queue = try ConnectionQueue(configuration: configuration(.seconds(3600), log))
    for _ in 0..<2 {
      try queue.sync { try $0.execute(sql: "SELECT 1; SELECT 2") }
    }
    #expect(log.explained.map { $0.contains("SELECT 2") } == [true, true])
  }

  @Test func `connections share the memory of their monitor`() throws {
    let configuration = configuration(.zero)
    for _ in 0..<2 { try Connection(configuration: configuration).execute(sql: "SELECT 1") }
    #expect(log.explained == ["SELECT 1"])
  }

  @Test func `at most 1,000 texts are explained in an hour`() throws {
    let connection = try Connection(configuration: configuration(.zero))
    for number in 0..<1_100 { try connection.execute(sql: "SELECT \(number)") }
    #expect(log.explained.count == 1_000)
    #expect(log.explained.last == "SELECT 999")
    clock.move(by: .seconds(3600))
    try connection.execute(sql: "SELECT 1099")
    #expect(log.explained.last == "SELECT 1099")
  }

  @Test func `threads that end the same statement at once get one plan`() async throws {
    let configuration = configuration(.zero)
    await withTaskGroup { tasks in
      for _ in 0..<20 {
        tasks.addTask {
          let error = failure {
            try Connection(configuration: configuration).execute(sql: "SELECT 1")
          }
          #expect(error == nil)
        }
      }
    }
    #expect(log.explained == ["SELECT 1"])
  }
}
