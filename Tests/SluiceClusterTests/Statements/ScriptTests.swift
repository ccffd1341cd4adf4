import Sluice
import SluiceCluster
import TestSupport
import Testing

@Suite("Scripts for a node") struct ScriptTests {
  @Test func `a script is split as SQLite splits it`() throws {
    let script = """
      ;; -- first;
      CREATE TABLE "a;b"(c DEFAULT ';'); /* ; */ ;
      CREATE TRIGGER t AFTER INSERT ON "a;b" WHEN CASE WHEN 1 THEN 2 END BEGIN
        INSERT INTO "a;b" SELECT CASE WHEN 1 THEN 2 END; -- END;
        SELECT 'END;'; END ;
      EXPLAIN QUERY PLAN CREATE TRIGGER u AFTER INSERT ON "a;b" BEGIN SELECT 1; END;
      SELECT [;], `;` FROM (SELECT 1 AS ";"); SELECT $a(;), x';'
      """
    var expected: [String] = []
    var ends: [Int] = []
    let connection = try Connection()
    var position = 0
    while position < script.utf8.count {
      let start = position
      let next: Int
      do {
        let (statement, end) = try connection.compile(script, from: position)
        guard let statement else { break }
        if !statement.sql.contains("EXPLAIN"), !statement.sql.contains("SELECT [") {
          try statement.forEachRow { _ in }
        }
        next = end
      } catch { break }
      expected.append(String(decoding: Array(script.utf8)[start..<next], as: UTF8.self))
      ends.append(next)
      position = next
    }
    position = 0
    for (text, end) in zip(expected, ends) {
      let (statement, next) = try ClusterStatement.next(in: script, from: position)
      #expect(next == end)
      #expect(text.contains(try #require(statement).text))
      position = next
    }
    #expect(expected.count == 4)
  }

  @Test func `a statement begins at its first token and ends before its semicolon`() throws {
    let script = " ; /* a */ SELECT 1 -- b\n ; -- c\n SELECT 2 \t\n"
    #expect(try ClusterStatement.all(in: script).map(\.text) == ["SELECT 1 -- b", "SELECT 2"])
    let (none, end) = try ClusterStatement.next(in: script, from: 32)
    #expect(try #require(none).text == "SELECT 2")
    #expect(end == script.utf8.count)
    for blank in ["", " ", ";", ";;\n", "-- a", "/* a", "\u{feff}"] {
      let (statement, end) = try ClusterStatement.next(in: blank, from: 0)
      #expect(statement == nil)
      #expect(end == blank.utf8.count)
    }
  }

  @Test func `long scripts and statements are read as short ones`() throws {
    let text = String(repeating: "é;'' ", count: 3_000)
    let statement = "INSERT INTO event(note) VALUES ('\(text)')"
    let comment = "/* \(String(repeating: "; -- ", count: 5_000)) */"
    let script = Array(repeating: "\(comment)\n\(statement);", count: 3).joined() + comment
    #expect(try ClusterStatement.all(in: script).map(\.text) == [statement, statement, statement])
    let parameter = "SELECT $a(\(String(repeating: ";'", count: 5_000))) AS a"
    #expect(
      try ClusterStatement.all(in: parameter + "; SELECT 1").map(\.text) == [parameter, "SELECT 1"])
    let body = String(repeating: "SELECT 1;", count: 2_000)
    let trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN \(body) END"
    #expect(
      try ClusterStatement.all(in: "\(trigger); \(trigger)").map(\.text) == [trigger, trigger])
  }

  @Test func `an error has its place in the script`() throws {
    let script = "SELECT 'é'; PRAGMA journal_mode = DELETE"
    let error = failure { try ClusterStatement.all(in: script) }
    #expect(error?.offset == 20)
    #expect(error?.sql == script)
  }

  @Test func `array becomes a query of JSON`() throws {
    let databases = try StandIn()
    for name in ["array", "ARRAY", "sluice_array", "\"array\"", "Array "] {
      let sql = "SELECT name FROM person WHERE age > ? AND id IN \(name)( :ids ) ORDER BY id"
      let statement = try databases.statement(sql)
      #expect(statement.arrays == [2])
      #expect(statement.text.contains("IN (SELECT value FROM json_each(:ids)) ORDER BY id"))
      let sent = try databases.node.prepare(sql: statement.text)
      #expect(sent.parameterNames == [nil, ":ids"])
      try sent.bind(0, toParameter: 1)
      try sent.bind("[1, 4, 9]", toParameter: 2)
      #expect(try sent.query(.column(.string)) == ["Ada", "dan"])
    }
    let write = try databases.statement("DELETE FROM person WHERE id IN array(?2) AND age = ?")
    #expect(write.arrays == [2])
    #expect(
      try write.localSQL(names: []).hasSuffix(", NULL, sluice_json(?2), ?)"))
  }

  @Test func `array can be a table, and a part of a name`() throws {
    let databases = try StandIn()
    let sql =
      "SELECT a.value, 3 IN array(?) FROM array(?) AS a JOIN sluice_array(:b) b ON true LIMIT 2"
    let statement = try databases.statement(sql)
    #expect(statement.arrays == [1, 2, 3])
    let names = try databases.names(of: statement)
    let local = try databases.localStatement(statement, names)
    #expect(local.columnNames == ["value", "3 IN array(?)"])
    #expect(local.parameterNames == [nil, nil, ":b"])
  }

  @Test func `other uses of the word array are left as they are`() throws {
    for sql in [
      "SELECT array FROM t", "SELECT 'array(?)'", "SELECT a.array(?)", "SELECT array(1, ?)",
      "SELECT array(?, 1)", "SELECT array(? + 1)", "SELECT json_array(?)", "SELECT 'array' (?)",
    ] {
      let statement = try #require(try ClusterStatement.all(in: sql).first)
      #expect(statement.text == sql)
      #expect(statement.arrays.isEmpty)
    }
    #expect(failure { try ClusterStatement.all(in: "SELECT :a, 1 IN array(:a)") }?.code == .misuse)
  }

  @Test func `the local statement can have 255 parameters and 2,000 columns`() throws {
    let databases = try StandIn()
    let parameters = (1...255).map { "?\($0)" }.joined(separator: " + ")
    try databases.check("SELECT \(parameters) AS a", .read)
    try databases.check("INSERT INTO event(note) VALUES (\(parameters))", .write)
    try databases.check(
      "SELECT " + Array(repeating: "1", count: 500).joined(separator: ", "), .read)
  }

  @Test func `settings run outside transactions`() throws {
    for sql in ["PRAGMA foreign_keys = 1", "pragma recursive_triggers(on)"] {
      #expect(try ClusterStatement.all(in: sql).first?.runsOutsideTransactions == true)
    }
    for sql in ["DELETE FROM a", "PRAGMA user_version = 1", "SELECT 1", "PRAGMA foreign_keys"] {
      #expect(try ClusterStatement.all(in: sql).first?.runsOutsideTransactions == false)
    }
  }
}
