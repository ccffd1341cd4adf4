import Sluice
import SluiceCluster
import TestSupport
import Testing

@Suite("Statements that no node gets") struct RefusalTests {
  @Test(arguments: [
    "ATTACH 'a' AS b", "attach database ? as x", "DETACH b", "EXPLAIN ATTACH 'a' AS b",
    "VACUUM", "vacuum main", "EXPLAIN VACUUM", "VACUUM INTO 'copy'", "VACUUM main INTO ?",
    "PRAGMA journal_mode = DELETE", "PRAGMA journal_mode(delete)", "PRAGMA main.journal_mode=wal",
    "PRAGMA \"journal_mode\" = off", "PRAGMA page_size = 4096", "EXPLAIN PRAGMA page_size = 4096",
    "EXPLAIN PRAGMA user_version = 1", "EXPLAIN QUERY PLAN PRAGMA foreign_keys = 1",
    "PRAGMA /* x */ Page_Size(512)", "PRAGMA wal_checkpoint", "PRAGMA writable_schema = 1",
    "PRAGMA optimize", "PRAGMA incremental_vacuum", "PRAGMA locking_mode = exclusive",
    "PRAGMA encoding = 'UTF-16'", "PRAGMA schema_version = 3", "PRAGMA busy_timeout = 10",
    "PRAGMA shrink_memory", "PRAGMA hard_heap_limit = 1", "PRAGMA unknown",
    "PRAGMA case_sensitive_like = 1",
    "SELECT * FROM pragma_optimize", "SELECT * FROM \"PRAGMA_optimize\"(0xfffe)",
    "CREATE VIEW v AS SELECT * FROM pragma_optimize",
    "SELECT fts3_tokenizer('simple')", "INSERT INTO t SELECT \"FTS3_tokenizer\" (?, ?)",
    "CREATE TEMP TABLE t(a)", "CREATE TEMPORARY VIEW v AS SELECT 1",
    "CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END", "CREATE TABLE temp.t(a)",
    "CREATE TABLE IF NOT EXISTS \"temp\".t(a)", "CREATE UNIQUE INDEX temp.i ON t(a)",
    "CREATE VIRTUAL TABLE TEMP.v USING fts5(a)", "CREATE TABLE 'temp' . t AS SELECT 1",
  ])
  func `a statement that harms a node is refused`(_ sql: String) throws {
    for script in [sql, "/* a */ \(sql);", "SELECT 1; \(sql); SELECT 2"] {
      let error = try #require(failure { try ClusterStatement.all(in: script) })
      #expect(error.code == .authorization)
      #expect(error.sql == script)
      #expect((error.offset ?? -1) >= 0)
    }
  }

  @Test func `NUL in a statement is refused`() {
    #expect(failure { try ClusterStatement.all(in: "SELECT 1, '\0'") }?.code == .misuse)
    #expect(failure { try ClusterStatement.all(in: "SELECT 1 -- \0") }?.code == .misuse)
  }

  @Test func `a statement has at most 255 parameters`() throws {
    let most = "SELECT " + Array(repeating: "?", count: 255).joined(separator: ", ")
    #expect(try ClusterStatement.all(in: most).first?.parameters.count == 255)
    for tooMany in [
      most + ", ?", most + ", :a", "SELECT ?256", "SELECT ?0", "SELECT ?99999999999999999999",
    ] {
      #expect(failure { try ClusterStatement.all(in: tooMany) }?.code == .range)
    }
    #expect(try ClusterStatement.all(in: "SELECT ?255").first?.parameters.count == 255)
    #expect(
      try ClusterStatement.all(in: "SELECT ?00001").first?.parameters == [.numbered("?00001")])
  }

  @Test func `columns whose names fill a batch are refused`() throws {
    let long = "'\(String(repeating: "x", count: 4_001))'"
    let error = failure { try ClusterStatement.all(in: "SELECT 1, \(long) FROM person") }
    #expect(error?.code == .tooBig)
    #expect(error?.offset == 10)
    #expect(
      failure { try ClusterStatement.all(in: "DELETE FROM person RETURNING \(long)") }?.code
        == .tooBig)
    for allowed in ["\(long) AS a", "(\(long)) a", "1 WHERE a = \(long)"] {
      let statement = try #require(try ClusterStatement.all(in: "SELECT \(allowed)").first)
      #expect(throws: Never.self) { try statement.localSQL(names: ["a"]) }
    }
    let statement = try #require(try ClusterStatement.all(in: "SELECT *").first)
    let names = Array(repeating: "1234567", count: 501)
    #expect(failure { try statement.localSQL(names: names) }?.code == .tooBig)
    #expect(throws: Never.self) { try statement.localSQL(names: names.dropLast()) }
    // With its NUL, a name of 8 bytes takes 16.
    let longer = Array(repeating: "12345678", count: 251)
    #expect(failure { try statement.localSQL(names: longer) }?.code == .tooBig)
    #expect(throws: Never.self) { try statement.localSQL(names: longer.dropLast()) }
    #expect(failure { try statement.localSQL(names: []) }?.code == .error)
  }

  @Test func `a setting of the connection can be repeated`() throws {
    let setting = try ClusterStatement.all(in: "PRAGMA main.Foreign_Keys = OFF;").first?.setting
    #expect(setting?.name == "foreign_keys")
    #expect(setting?.sql == "PRAGMA main.Foreign_Keys = OFF")
    #expect(try ClusterStatement.all(in: "PRAGMA foreign_keys").first?.setting == nil)
    #expect(try ClusterStatement.all(in: "PRAGMA user_version = 2").first?.setting == nil)
  }
}
