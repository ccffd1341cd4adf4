import SluiceCore
import SluiceTesting
import TestSupport
import Testing

/// Compares SQLite with a model, a stack of copies of the rows, at each point of a random program.
@Suite(.tags(.reliability)) struct `random nested scopes` {
  @Test(.timeLimit(.minutes(10)), arguments: 1...4 as ClosedRange<UInt64>)
  func `the rows and the autocommit state match a model in random programs`(_ seed: UInt64)
    throws
  {
    let machine = try Machine(seed: seed)
    let programs = rounds(600, long: 2_500)
    for program in 0..<programs {
      try machine.run()
      try #require(machine.mismatches == 0, "program \(program)")
    }
    // The programs test enough only if they nest and roll back often enough.
    #expect(machine.scopes > 2 * programs)
    #expect(machine.deaths > programs / 50)
    #expect(machine.deepest >= 4)
  }
}

private final class Machine {
  private let connection: Connection
  private var random: SeededGenerator
  private var rows: [Int] = []
  private var outermost: [Int] = []
  private var next = 0
  private var isDead = false
  private(set) var mismatches = 0
  private(set) var scopes = 0
  private(set) var deaths = 0
  private(set) var deepest = 0
  private let insert: Statement
  private let select: Statement
  private static let names = ["s", "it's", "a\"b", "transaction", "savepoint", ""]

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a UNIQUE)")
    insert = try connection.prepare(sql: "INSERT INTO t VALUES (?)")
    select = try connection.prepare(sql: "SELECT a FROM t ORDER BY rowid")
  }

  func run() throws {
    for _ in 0..<Int.random(in: 1...3, using: &random) { try act(depth: 0) }
    compare(depth: 0)
    try connection.execute(sql: "DELETE FROM t")
    rows = []
  }

  private func act(depth: Int) throws {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<40: add()
    case ..<45: repeatRow()
    case ..<47 where depth > 0 && !rows.isEmpty: die()
    case ..<95 where depth < 6: try? scope(depth: depth)
    default: compare(depth: depth)
    }
  }

  private func add() {
    next += 1
    let failed = failure { try insert.bind(.int(next)).execute() } != nil
    if failed != isDead { mismatches += 1 }
    if !failed { rows.append(next) }
  }

  /// Inserts a duplicate row: a failing statement undoes only its own changes.
  private func repeatRow() {
    guard let row = rows.last else { return }
    if failure({ try insert.bind(.int(row)).execute() }) == nil { mismatches += 1 }
  }

  /// Makes SQLite roll back the whole transaction: no statement runs until the outermost scope has ended.
  private func die() {
    let sql = "INSERT OR ROLLBACK INTO t VALUES (\(rows[0]))"
    if failure({ try connection.execute(sql: sql) }) == nil { mismatches += 1 }
    guard !isDead else { return }
    isDead = true
    deaths += 1
    rows = outermost
  }

  private func scope(depth: Int) throws {
    let before = rows
    if depth == 0 { outermost = rows }
    scopes += 1
    deepest = max(deepest, depth)
    let wasDead = isDead
    let ending = Int.random(in: 0..<3, using: &random)
    let body = { (_: Connection, command: inout TransactionCommand) in
      if wasDead { self.mismatches += 1 }
      for _ in 0..<Int.random(in: 0...4, using: &self.random) { try self.act(depth: depth + 1) }
      self.compare(depth: depth + 1)
      if ending == 1 { command = .rollback }
      if ending == 2 { throw ForeignError() }
    }
    defer {
      if ending != 0 && !isDead { rows = before }
      if depth == 0 { isDead = false }
      compare(depth: depth)
    }
    var hasThrown = true
    defer { if hasThrown != (isDead || ending == 2) { mismatches += 1 } }
    if Bool.random(using: &random) {
      try connection.transaction(.deferred, body)
    } else {
      try connection.savepoint(Self.names.randomElement(using: &random) ?? "", body)
    }
    hasThrown = false
  }

  private func compare(depth: Int) {
    if connection.isInAutocommit != (depth == 0 || isDead) { mismatches += 1 }
    if isDead {
      if failure({ try select.query(.column(.int)) }) == nil { mismatches += 1 }
    } else if (try? select.query(.column(.int))) != rows {
      mismatches += 1
    }
  }
}
