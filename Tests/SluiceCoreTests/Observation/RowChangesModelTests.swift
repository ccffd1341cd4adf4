import SluiceCore
import SluiceTesting
import TestSupport
import Testing

/// Random transactions whose commits must report exactly the rows that exist afterwards.
@Suite(
  .tags(.observation), .timeLimit(.minutes(10)), .enabled(if: SQLiteLibrary.has(.preUpdateHook)))
struct `row changes of random transactions` {
  /// The steps of a random transaction, with nested scopes and SQL savepoints.
  private struct Program {
    var random: SeededGenerator
    let connection: Connection
    let ran: SharedLog<Int>
    var number: Int

    private mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func run(_ depth: Int) throws {
      for _ in 0...roll(5) { try step(depth) }
    }

    private mutating func step(_ depth: Int) throws {
      let value = roll(12)
      switch roll(depth < 4 ? 14 : 8) {
      case 0...2: try insert(value)
      case 3: try connection.execute("UPDATE t SET a = \(value), id = id + 1000 WHERE id % 3 = 1")
      case 4: try connection.execute("DELETE FROM t WHERE id % 4 = \(roll(4))")
      case 5: try connection.execute(sql: roll(4) == 0 ? "DELETE FROM t" : "UPDATE t SET a = a + 1")
      case 6:
        // Some of these statements fail midway.
        let clause = ["ABORT", "FAIL", "IGNORE", "REPLACE"][roll(4)]
        try? connection.execute(
          sql: "INSERT OR \(clause) INTO t(u) SELECT value + \(value) FROM json_each('[1,2,3,4]')")
      case 7: try? connection.execute(sql: "ROLLBACK TO \(["a", "b"][roll(2)])")
      case 8...10:
        let (isSavepoint, name, end) = (roll(2) == 0, [nil, "a", "b"][roll(3)], roll(4))
        let body = { (me: inout Program, command: inout TransactionCommand) throws in
          try me.run(depth + 1)
          if end == 0 { command = .rollback }
          if end == 1 { throw ForeignError() }
        }
        var copy = self
        defer { self = copy }
        if isSavepoint {
          _ = try? connection.savepoint(name) { _, command in try body(&copy, &command) }
        } else {
          _ = try? connection.transaction { _, command in try body(&copy, &command) }
        }
      default:
        let name = ["a", "b"][roll(2)]
        try connection.execute(sql: "SAVEPOINT \(name)")
        try run(depth + 1)
        let end = [
          "RELEASE \(name)", "ROLLBACK TO \(name); RELEASE \(name)", "ROLLBACK TO \(name)", "",
        ]
        try? connection.execute(sql: end[roll(4)])
      }
    }

    private mutating func insert(_ value: Int) throws {
      number += 1
      try connection.execute("INSERT INTO done VALUES (\(number))")
      try connection.execute("REPLACE INTO t(a, u) VALUES (\(number), \(value))")
      try connection.afterCommit { [ran, number] _ in ran.append(number) }
    }
  }

  @Test(arguments: 1...20)
  func `each commit reports exactly its rows and runs its afterCommit closures`(_ seed: Int)
    throws
  {
    let queue = try ConnectionQueue()
    try queue.sync {
      try $0.execute(
        sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, u UNIQUE); CREATE TABLE done(a)")
    }
    let (recorder, ran) = (Recorder<RowChanges>(.unlimited), SharedLog<Int>())
    queue.rowChanges(in: "t").subscribe(recorder)
    // The subscription and its subscriber retain each other.
    defer { recorder.subscription?.cancel() }
    queue.settle()
    var (number, seen) = (0, 0)
    var state: [Int64: ChangedRow] = [:]
    for round in 0..<15 {
      number = try queue.sync { [number] connection in
        let generator = SeededGenerator(seed: UInt64(seed * 1000 + round))
        var program = Program(random: generator, connection: connection, ran: ran, number: number)
        let isRolledBack = round % 4 == 3
        _ = try? connection.transaction { _, command in
          try program.run(0)
          if isRolledBack { command = .rollback }
        }
        return program.number
      }
      queue.settle()
      for change in recorder.values.dropFirst(seen).flatMap(\.changes) {
        switch change {
        case .inserted(let row): #expect(state.updateValue(row, forKey: row.rowid!) == nil)
        case .updated(let old, let new):
          #expect(state.removeValue(forKey: old.rowid!) == old)
          #expect(state.updateValue(new, forKey: new.rowid!) == nil)
        case .deleted(let row): #expect(state.removeValue(forKey: row.rowid!) == row)
        }
      }
      seen = recorder.values.count
      let (rows, done) = try queue.sync { connection in
        (
          try connection.query(.values, sql: "SELECT * FROM t ORDER BY id"),
          try connection.integers("SELECT a FROM done ORDER BY rowid")
        )
      }
      try #require(state.sorted { $0.key < $1.key }.map(\.value.values) == rows, "round \(round)")
      try #require(ran.entries == done, "round \(round)")
    }
    #expect(number > 0)
  }
}
