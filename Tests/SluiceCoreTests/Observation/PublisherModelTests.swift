import SluiceCore
import SluiceTesting
import TestSupport
import Testing

/// Subscribers receive exactly the values that a model predicts, at each step of a random program.
///
/// The test runs 400 programs, or 10,000 as a long test.
@Suite(.tags(.reliability)) struct `subscribers in random programs` {
  private static let programs = rounds(100, long: 2_500)

  @Test(.timeLimit(.minutes(20)), arguments: 1...4 as ClosedRange<UInt64>)
  func `subscribers receive all values in order, after their commits and within their demand`(
    _ seed: UInt64
  ) throws {
    let machine = try Machine(seed: seed)
    for program in 0..<Self.programs {
      try machine.run()
      try #require(machine.mismatch == nil, "seed \(seed), program \(program)")
    }
    // The programs contained enough deliveries, rollbacks, cancellations and completions.
    #expect(machine.deliveries > Self.programs)
    #expect(machine.undone > Self.programs / 4)
    #expect(machine.cancels > Self.programs / 16)
    #expect(machine.ends > Self.programs / 32)
  }
}

private final class Machine {
  private let queue: ConnectionQueue
  private var random: SeededGenerator
  private var subscribers: [Modelled] = []
  /// The expected contents of the observed table.
  private var rows: [Int] = []
  private var next = 0
  private(set) var mismatch: String?
  private(set) var deliveries = 0
  private(set) var undone = 0
  private(set) var cancels = 0
  private(set) var ends = 0
  private static let constants = Array(100..<110)

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    queue = try ConnectionQueue()
    try queue.sync { connection in
      try connection.execute(
        sql: """
          CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE TABLE other(a); CREATE TABLE c(a);
          INSERT INTO c WITH RECURSIVE n(i) AS (VALUES (100) UNION ALL SELECT i + 1 FROM n LIMIT 10)
            SELECT i FROM n
          """)
    }
  }

  func run() throws {
    for _ in 0..<Int.random(in: 4...12, using: &random) where mismatch == nil {
      try act()
      queue.settle()
      compare()
    }
    for subscriber in subscribers { subscriber.cancel() }
    deliveries += subscribers.reduce(0) { $0 + $1.expected.count }
    ends += subscribers.count { $0.expectedEnds > 0 }
    subscribers = []
    try queue.sync { try $0.execute(sql: "DELETE FROM t") }
    rows = []
  }

  private func act() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<40: try write()
    case ..<60: subscribe()
    case ..<85: subscribers.randomElement(using: &random)?.request(demand())
    case ..<93:
      guard let subscriber = subscribers.randomElement(using: &random) else { return }
      subscriber.cancel()
      cancels += 1
    default: queue.noticeOtherWriters()
    }
    for subscriber in subscribers { subscriber.advance(rows) }
  }

  private func demand() -> ValueDemand {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: .none
    case 1: .unlimited
    case let count: .max(count / 2)
    }
  }

  private func subscribe() {
    // Some subscribers request more values inside a delivery.
    let extra = Int.random(in: 0...3, using: &random)
    let subscriber = Modelled(demand(), extra: extra)
    if Bool.random(using: &random) {
      queue.observe(.column(.int), sql: "SELECT a FROM t ORDER BY id").subscribe(
        subscriber.recorder)
    } else {
      subscriber.constants = Self.constants
      queue.rowPublisher(sql: "SELECT a FROM c").mapRows(.column(.int)).map { [$0] }
        .subscribe(subscriber.recorder)
    }
    subscribers.append(subscriber)
  }

  /// Writes in a transaction, and rolls back all or parts of it at random.
  private func write() throws {
    var program: [Step] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) { program.append(step(depth: 0)) }
    let isKept = Int.random(in: 0..<4, using: &random) > 0
    let steps = program
    _ = try queue.sync { connection in
      try connection.transaction { connection, command in
        for step in steps { try step.run(connection) }
        command = isKept ? .commit : .rollback
      }
    }
    guard isKept else {
      undone += 1
      return
    }
    var touches = false
    for step in program { step.apply(to: &rows, &touches, &undone) }
    if touches { for subscriber in subscribers { subscriber.isStale = true } }
  }

  private func step(depth: Int) -> Step {
    next += 1
    switch Int.random(in: 0..<10, using: &random) {
    case ..<4: return .insert(next)
    case 4: return .deleteAll
    case 5: return .update(next)
    case 6, 7: return .elsewhere
    default:
      guard depth < 3 else { return .insert(next) }
      let steps = (0..<Int.random(in: 1...3, using: &random)).map { _ in step(depth: depth + 1) }
      return .savepoint(steps, isKept: Bool.random(using: &random))
    }
  }

  private func compare() {
    for subscriber in subscribers {
      if let difference = subscriber.difference { mismatch = difference }
    }
  }
}

/// A step of a transaction.
private indirect enum Step: Sendable {
  case insert(Int)
  case update(Int)
  case deleteAll
  case elsewhere
  case savepoint([Step], isKept: Bool)

  func run(_ connection: Connection) throws {
    switch self {
    case .insert(let number):
      try connection.execute(sql: "INSERT INTO t(a) VALUES (?)", parameters: .int(number))
    case .update(let number):
      try connection.execute(sql: "UPDATE t SET a = ?", parameters: .int(number))
    case .deleteAll: try connection.execute(sql: "DELETE FROM t")
    case .elsewhere:
      try connection.execute(sql: "INSERT INTO other VALUES (1)")
      try connection.execute(sql: "UPDATE t SET b = 1")
    case .savepoint(let steps, let isKept):
      try connection.savepoint { connection, command in
        for step in steps { try step.run(connection) }
        command = isKept ? .commit : .rollback
      }
    }
  }

  /// Applies the step to `rows`, and records whether it writes the observed column.
  func apply(to rows: inout [Int], _ touches: inout Bool, _ undone: inout Int) {
    switch self {
    case .insert(let number):
      rows.append(number)
      touches = true
    case .update(let number):
      guard !rows.isEmpty else { return }
      rows = rows.map { _ in number }
      touches = true
    case .deleteAll:
      if !rows.isEmpty { touches = true }
      rows = []
    case .elsewhere: break
    case .savepoint(let steps, let isKept):
      var (copy, isTouched) = (rows, touches)
      for step in steps { step.apply(to: &copy, &isTouched, &undone) }
      if isKept { (rows, touches) = (copy, isTouched) } else { undone += 1 }
    }
  }
}
