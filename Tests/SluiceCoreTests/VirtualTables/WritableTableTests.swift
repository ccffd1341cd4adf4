import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.virtualTables), .inEachThreadingMode) struct `writable virtual tables` {
  private func connection(
    _ options: VirtualTableOptions = .constraintSupport
  ) throws -> Connection {
    let connection = try Connection.inTestedMode()
    try connection.addModule("dictionary") { DictionaryTable($0, options: options) }
    try connection.execute(
      sql: """
        CREATE VIRTUAL TABLE swift USING dictionary(a, b);
        CREATE TABLE plain(a, b)
        """)
    return connection
  }

  /// Executes the same SQL on the Swift table and on an ordinary table, and returns both outcomes.
  private func both(_ sql: String, _ connection: Connection) throws -> (String, String) {
    func outcome(_ table: String) throws -> String {
      let statement = sql.replacing("TABLE", with: table)
      var values: [String] = []
      do {
        try connection.execute(sql: statement) { row in
          for index in row.indices { values.append("\(try row.value(at: index))") }
        }
      } catch let error as SQLiteError {
        // Compare primary codes, because the extended codes differ: one names the rowid, the other the primary key.
        values.append("\(error.code.primary)")
      }
      return values.joined(separator: ",")
    }
    return (try outcome("swift"), try outcome("plain"))
  }

  @Test(arguments: [VirtualTableOptions.constraintSupport, [.constraintSupport, .skipsUnchanged]])
  func `random statements have the same results on a Swift table as on an ordinary table`(
    _ options: VirtualTableOptions
  ) throws {
    let connection = try connection(options)
    var random = SeededGenerator(seed: 11)
    var program = RandomProgram()
    for step in 0..<rounds(500, long: 2_000) {
      let line = program.line(isInTransaction: !connection.isInAutocommit, &random)
      if line.isControl {
        _ = failure { try connection.execute(sql: line.sql) }
      } else {
        let (swift, plain) = try both(line.sql, connection)
        #expect(swift == plain, "step \(step): \(line.sql)")
      }
      let (swift, plain) = try both("SELECT rowid, a, b FROM TABLE ORDER BY rowid", connection)
      #expect(swift == plain, "after step \(step): \(line.sql)")
      guard swift == plain else { return }
    }
  }

  @Test func `an insert into a virtual table sets the last inserted rowid`() throws {
    let connection = try connection()
    try connection.execute(sql: "INSERT INTO swift(rowid, a) VALUES (41, 'x')")
    #expect(connection.lastInsertRowid == 41)
    try connection.execute(sql: "INSERT INTO swift(a) VALUES ('y')")
    #expect(connection.lastInsertRowid == 42)
    #expect(connection.changes == 1)
  }

  @Test func `an update with skipsUnchanged preserves the unchanged columns`() throws {
    let connection = try connection([.skipsUnchanged])
    try connection.execute(sql: "INSERT INTO swift VALUES (1, 2); UPDATE swift SET a = 3")
    #expect(try connection.value("SELECT a || b FROM swift") == "32")
  }

  @Test func `a virtual table receives the conflict resolution of the writing statement`() throws {
    final class Seen: WritableVirtualTable {
      let schema: VirtualTableSchema = ["a"]
      private let note: (VirtualTableRow.ConflictResolution) -> Void
      init(_ note: @escaping (VirtualTableRow.ConflictResolution) -> Void) { self.note = note }
      func cursor() -> ListCursor { ListCursor([[1]]) }
      func insert(_ row: borrowing VirtualTableRow, key: Int64?) -> Int64 {
        note(row.conflictResolution)
        return 1
      }
      func update(_ key: Int64, to row: borrowing VirtualTableRow, newKey: Int64) {
        note(row.conflictResolution)
      }
      func delete(_ key: Int64) {}
    }
    let connection = try Connection.inTestedMode()
    var seen: [VirtualTableRow.ConflictResolution] = []
    try connection.addModule("seen", as: .eponymousOnly) { _ in Seen { seen.append($0) } }
    for word in ["ABORT", "FAIL", "IGNORE", "REPLACE", "ROLLBACK"] {
      try connection.execute(sql: "INSERT OR \(word) INTO seen VALUES (1)")
      try connection.execute(sql: "UPDATE OR \(word) seen SET a = 2")
    }
    #expect(seen == VirtualTableRow.ConflictResolution.allCases.flatMap { [$0, $0] })
  }

  @Test func `a WITHOUT ROWID virtual table uses its own key type`() throws {
    final class Words: WritableVirtualTable {
      let schema = VirtualTableSchema(
        sql: "CREATE TABLE x(word TEXT PRIMARY KEY, count) WITHOUT ROWID")
      let options = VirtualTableOptions.skipsUnchanged
      private var counts: [String: DatabaseValue] = [:]
      func cursor() -> ListCursor {
        ListCursor(counts.sorted { $0.key < $1.key }.map { [.text($0.key), $0.value] })
      }
      func insert(_ row: borrowing VirtualTableRow, key: String?) throws -> String {
        let word = try row.values.get(String.self, at: 0)
        counts[word] = try row.values[1]
        return word
      }
      func update(_ key: String, to row: borrowing VirtualTableRow, newKey: String) throws {
        let old = counts.removeValue(forKey: key) ?? .null
        counts[newKey] = try row.isUnchanged(at: 1) ? old : row.values[1]
      }
      func delete(_ key: String) { counts[key] = nil }
    }
    let connection = try Connection.inTestedMode()
    try connection.addModule("words") { _ in Words() }
    try connection.execute(
      sql: """
        CREATE VIRTUAL TABLE w USING words;
        INSERT INTO w VALUES ('a', 1), ('b', 2), ('c', 3);
        UPDATE w SET count = 5 WHERE word = 'a';
        UPDATE w SET word = 'd' WHERE word = 'b';
        DELETE FROM w WHERE word = 'c'
        """)
    #expect(try connection.column("SELECT word || count FROM w") == ["a5", "d2"])
    #expect(
      failure { try connection.execute(sql: "INSERT INTO w VALUES (x'ff', 1)") }?.code == .mismatch)
  }

  @Test func `a transaction is rolled back if a virtual table's sync method throws`() throws {
    let connection = try Connection.inTestedMode()
    let probe = Probe()
    try ProbeTable.add(to: connection, probe)
    try connection.execute(
      sql: "CREATE VIRTUAL TABLE p USING probe; CREATE TABLE t(a)")
    probe.at(.sync) { throw SQLiteError(.full, "No room") }
    let error = failure {
      try connection.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (1); INSERT INTO p VALUES ('d')")
      }
    }
    #expect(error?.code == .full)
    #expect(try connection.integers("SELECT count(*) FROM t") == [0])
    #expect(probe.calls.last == .rollback || probe.calls.contains(.rollback))
  }
}

/// A generator of random statements for a table named TABLE, and for transactions.
private struct RandomProgram {
  private var depth = 0

  mutating func line(
    isInTransaction: Bool, _ random: inout SeededGenerator
  ) -> (sql: String, isControl: Bool) {
    if !isInTransaction { depth = 0 }
    func number() -> Int { Int.random(in: -2...12, using: &random) }
    func value() -> String {
      ["NULL", "\(number())", "'x\(number())'", "x'0\(abs(number()) % 10)'", "\(number()).5"]
        .randomElement(using: &random)!
    }
    let or = ["", "", "", "OR REPLACE", "OR IGNORE", "OR FAIL", "OR ABORT", "OR ROLLBACK"]
      .randomElement(using: &random)!
    switch Int.random(in: 0..<20, using: &random) {
    case 0...3: return ("INSERT INTO TABLE VALUES (\(value()), \(value()))", false)
    case 4...6:
      // OR ROLLBACK on the first table would also undo earlier changes of the other table.
      let or = or == "OR ROLLBACK" ? "" : or
      return (
        "INSERT \(or) INTO TABLE(rowid, b) VALUES (\(number()), 1), (\(number()), 2), (\(number()), 3)",
        false
      )
    case 7, 8: return ("UPDATE TABLE SET a = \(value()) WHERE rowid = \(number())", false)
    case 9: return ("UPDATE TABLE SET a = b, b = \(value()) WHERE b > \(value())", false)
    case 10:
      let or = or == "OR ROLLBACK" ? "" : or
      return ("UPDATE \(or) TABLE SET rowid = \(number()) WHERE rowid = \(number())", false)
    case 11: return ("DELETE FROM TABLE WHERE rowid = \(number())", false)
    case 12: return ("DELETE FROM TABLE WHERE a = \(value()) OR b IS NULL", false)
    case 13:
      return (
        "SELECT rowid, b FROM TABLE WHERE rowid IN (\(number()), \(number())) ORDER BY 1", false
      )
    case 14: return ("SELECT count(*), sum(rowid) FROM TABLE WHERE a IS NOT \(value())", false)
    case 15 where isInTransaction:
      return (Bool.random(using: &random) ? "COMMIT" : "ROLLBACK", true)
    case 15, 16: return ("BEGIN", true)
    case 17:
      depth += 1
      return ("SAVEPOINT s\(depth)", true)
    default:
      let target = Int.random(in: 0...max(0, depth), using: &random)
      return (
        (Bool.random(using: &random) ? "RELEASE" : "ROLLBACK TO") + " s\(target)", true
      )
    }
  }
}
