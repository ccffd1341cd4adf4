import SluiceCore
import SluiceExtras
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `SHA-3 hashes of queries` {
  private let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.addSHA3Functions()
  }

  @Test(arguments: [
    ("SELECT 1", "87d704d93c82458e27061eefd0458cf1809ecd90a77805eba72b9d2045522951"),
    ("SELECT 1; SELECT 2", "b36379d2e368153a1bcaa55bda4f32983e6d9f8481eca58cb3e84886758c771a"),
    ("SELECT 1;", "c52f37ac36f11012d966246930c4879d0b493e21671f8d98435fe0a7b56c5d09"),
    ("SELECT 1 ; ", "b613a517a488e25457de7c8eee5e6c6fad68b1c31108bbf1d27e3d783d42a41c"),
    ("SELECT 1 -- x", "496932246b7a4d7455e8f27484a12ed72969a1e03058254b3c8a78db70a1acb7"),
    (" -- x", "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"),
    ("", "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"),
    ("SELECT 1;;SELECT 2", "b39de852ef2ff0d40efcd77c57b2e808ebf473dabe66dd619946b8a478bde560"),
    ("pragma user_version", "8927ef7a65ed63c84fe054fdd74d3f40b0bcce81f133d83fab76da50d662d9b1"),
    (
      "SELECT 1,2.5,'a',x'0102',null UNION ALL SELECT -1,-0.0,'',x'',9e999",
      "a11bdbd75d8908130725f7a30ce9561690bb57e29df0b1da25978fe169ce2bce"
    ),
  ])
  func `sha3_query returns the same hashes as SQLite`(_ sql: String, _ hash: String) throws {
    #expect(
      try connection.value("SELECT lower(hex(sha3_query(?)))", .value(.text(sql))) == .text(hash))
  }

  @Test func `sha3_query accepts a hash size and returns NULL for NULL`() throws {
    #expect(
      try connection.value("SELECT lower(hex(sha3_query('SELECT 1', 224)))")
        == "9cd4307fb54f0f95c641fe1b4406cf8a9bb0cbb7a93a1cff9b56f038")
    #expect(try connection.value("SELECT sha3_query(NULL)") == .null)
  }

  @Test(arguments: [
    "CREATE TABLE u(x)", "INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (2) RETURNING x",
    "PRAGMA user_version = 5", "SELECT 1; DELETE FROM t", "BEGIN", "SAVEPOINT a", "VACUUM",
    "ATTACH ':memory:' AS b", "PRAGMA journal_mode = memory",
  ])
  func `sha3_query rejects statements that do not only read`(_ sql: String) throws {
    try connection.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)")
    let error = failure { try connection.value("SELECT sha3_query(?)", .value(.text(sql))) }
    #expect(error?.code == .error)
    #expect(error?.message.contains("Only statements that read") == true)
    #expect(try connection.value("SELECT group_concat(x) FROM t") == "1")
    #expect(connection.isInAutocommit)
    #expect(try connection.userVersion == 0)
  }

  @Test func `sha3_query throws the error of a failing query`() {
    let cases: [(String, ResultCode, String)] = [
      ("SELECT nosuch", .error, "nosuch"), ("SELECT", .error, "incomplete"),
      ("SELECT abs(-9223372036854775807 - 1)", .error, "overflow"),
      ("SELECT 1 \0", .misuse, "NUL"), ("SELECT 1; nonsense", .error, "nonsense"),
      ("SELECT ?1", .range, "no value"),
    ]
    for (sql, code, message) in cases {
      let error = failure { try connection.value("SELECT sha3_query(?)", .value(.text(sql))) }
      #expect(error?.code == code, "\(sql)")
      #expect(error?.message.contains(message) == true, "\(sql): \(error?.message ?? "")")
    }
  }

  @Test func `a query that hashes itself recursively throws`() throws {
    try connection.execute(
      sql: "CREATE TABLE t(x); INSERT INTO t VALUES ('SELECT sha3_query(x) FROM t')")
    let error = failure { try connection.value("SELECT sha3_query(x) FROM t") }
    #expect(error?.code == .error)
    #expect(error?.message.contains("nested") == true)
    #expect(try connection.value("SELECT sha3_query('SELECT sha3_query(''SELECT 1'')')") != .null)
  }

  @Test func `a view cannot call sha3_query`() throws {
    try connection.execute(sql: "CREATE VIEW v AS SELECT sha3_query('SELECT 1') AS hash")
    #expect(failure { try connection.value("SELECT hash FROM v") }?.code == .authorization)
  }

  @Test func `the SHA-3 functions do not retain their connection`() throws {
    weak var released: Connection?
    do {
      let connection = try Connection()
      try connection.addSHA3Functions()
      released = connection
      #expect(try connection.value("SELECT length(sha3_query('SELECT 1'))") == 32)
    }
    #expect(released == nil)
  }
}
