import Sluice
import SluiceCluster
import SluiceTesting
import TestSupport
import Testing

@Suite("Random statements for a node") struct RandomStatementTests {
  /// The number of statements of each test, which can be raised for a longer search.
  private static let count = 500

  @Test func `a query as it is sent returns the rows of the original`() throws {
    let databases = try StandIn()
    for seed in 0..<UInt64(Self.count) {
      var random = RandomStatement(seed: seed)
      try check(random.query(), .read, databases)
    }
  }

  @Test func `a statement that writes keeps its columns and parameters`() throws {
    let databases = try StandIn()
    for seed in 0..<UInt64(Self.count) {
      var random = RandomStatement(seed: seed)
      try check(random.write(isReturning: true), .returning, databases)
      try check(random.write(isReturning: false), .write, databases)
    }
  }

  /// Checks a statement if SQLite accepts it, because a value can have the wrong type for its place.
  private func check(
    _ sql: String, _ kind: ClusterStatement.Kind, _ databases: StandIn
  ) throws {
    do { _ = try databases.node.prepare(sql: sql) } catch {
      Issue.record("\(error)")
      return
    }
    try databases.check(sql, kind)
  }

  @Test func `damaged SQL is split and classified as SQLite does`() throws {
    let databases = try StandIn()
    var random = SeededGenerator(seed: 11)
    let valid = StatementTests.reads + StatementTests.returning + StatementTests.writes
    for _ in 0..<4_000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        bytes += Array(((valid.randomElement(using: &random) ?? "") + ";").utf8)
      }
      let sql = String(decoding: Hostile.damaged(bytes, &random), as: UTF8.self)
      try compare(sql, databases)
    }
  }

  /// Compares each statement with the one that SQLite compiles.
  private func compare(_ sql: String, _ databases: StandIn) throws {
    var position = 0
    while position < sql.utf8.count {
      let original = try? databases.node.compile(sql, from: position)
      guard let next = try? ClusterStatement.next(in: sql, from: position) else { return }
      guard let statement = next.0 else {
        #expect(original.map { $0.0 == nil } ?? true, "\(sql)")
        return
      }
      // None of these traps.
      _ = (
        statement.names, statement.typed(names: ["a", "b"]), try? statement.localSQL(names: ["a"])
      )
      guard let original, let compiled = original.0 else { return }
      #expect(next.end == original.next, "\(sql)")
      let isSpecial = ["pragma", "explain"].contains { statement.text.lowercased().hasPrefix($0) }
      if !isSpecial, try !compiled.isReadOnly { #expect(statement.kind != .read, "\(sql)") }
      let hasColumns = compiled.columnCount > 0
      #expect(hasColumns == (statement.kind == .read || statement.kind == .returning), "\(sql)")
      if statement.kind == .returning { #expect(try !compiled.isReadOnly, "\(sql)") }
      let names = statement.parameters.map { parameter -> String? in
        switch parameter {
        case .unnamed, .gap: nil
        case .numbered(let text), .named(let text): text
        }
      }
      #expect(names == compiled.parameterNames, "\(sql)")
      // The end of an open comment is added, and can become a part of a name.
      if let sql = statement.names, hasColumns, compiled.sql.contains(statement.text) {
        let names = try? databases.node.prepare(sql: sql).columnNames
        #expect(names == compiled.columnNames, "\(statement.text)")
      }
      position = next.end
    }
  }
}
