import SluiceCore
import Testing

/// SQLite lets go of a closure while it still works on its function or collation; what is released
/// then may call anything.
@Suite struct `A6 releases that call back` {
  final class OnRelease {
    private let action: () -> Void
    init(_ action: @escaping () -> Void) { self.action = action }
    deinit { action() }
  }

  final class Payload { let text = String(repeating: "payload", count: 10) }

  final class Log { var entries: [String] = [] }

  let connection: Connection
  let log = Log()

  init() throws { connection = try Connection() }

  private func addFunction() throws {
    let payload = Payload()
    let witness = OnRelease { [connection, log] in
      let rows = try? connection.query(.column(.string), sql: "SELECT f(1)")
      log.entries.append(rows?.first ?? "gone")
    }
    try connection.addFunction("f") { [payload, witness] (value: Int) in
      withExtendedLifetime(witness) { payload.text }
    }
  }

  private func addCollation() throws {
    let payload = Payload()
    let witness = OnRelease { [connection, log] in
      let rows = try? connection.query(.column(.int), sql: "SELECT 'a' < 'b' COLLATE k")
      log.entries.append(rows.map { "\($0)" } ?? "gone")
      try? connection.removeCollation("k")
    }
    try connection.addCollation("k") { [payload, witness] first, second in
      withExtendedLifetime((payload, witness)) { SQLOrder(first, second) }
    }
  }

  @Test func `what a function held finds it gone when it is removed`() throws {
    try addFunction()
    try connection.removeFunction("f", arity: 1)
    #expect(log.entries == ["gone"])
  }

  @Test func `what a function held finds the new one when it is replaced`() throws {
    try addFunction()
    try connection.addFunction("f") { (value: Int) in "new" }
    #expect(log.entries == ["new"])
  }

  @Test func `what a collation held finds it gone when it is removed`() throws {
    try addCollation()
    try connection.removeCollation("k")
    #expect(log.entries == ["gone"])
  }

  @Test func `what a collation held can remove the one that replaced it`() throws {
    try addCollation()
    try connection.addCollation("k") { SQLOrder($1, $0) }
    #expect(log.entries == ["[0]"])
    #expect(throws: SQLiteError.self) {
      try connection.execute(sql: "SELECT 'a' < 'b' COLLATE k")
    }
  }

  @Test func `what a function held finds the connection closed when it closes`() throws {
    try addFunction()
    try connection.close()
    #expect(log.entries == ["gone"])
  }
}
