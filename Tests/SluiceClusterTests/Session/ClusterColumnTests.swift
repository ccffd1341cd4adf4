import SluiceCluster
import TestSupport
import Testing

@Suite struct `columns and limits of a cluster` {
  @Test func `columns that another client has added are found`() async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    let sql = "SELECT * FROM counter"
    let before = try await stage.cluster.read { try $0.first(.values, sql: sql) }
    #expect(before?.columnNames == ["n"])
    try stage.nodes.connection().execute(sql: "ALTER TABLE counter ADD COLUMN extra DEFAULT 7")
    let after = try await stage.cluster.read { try $0.first(.values, sql: sql) }
    #expect(after?.columnNames == ["n", "extra"])
  }

  @Test func `columns that another client has renamed or replaced never have wrong names`()
    async throws
  {
    let stage = try ClusterStage()
    try await stage.cluster.write { connection in
      try connection.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES ('a', 'b')")
    }
    func names(_ sql: String) async throws -> String? {
      let row = try await stage.cluster.read { try $0.first(.values, sql: sql) }
      return row.map { zip($0.columnNames, $0.values).map { "\($0) \($1)" }.joined(separator: " ") }
    }
    let queries = ["SELECT * FROM t", "SELECT t.* FROM t", "SELECT * FROM (SELECT * FROM t)"]
    for sql in queries { #expect(try await names(sql) == "a 'a' b 'b'") }
    let other = try stage.nodes.connection()
    try other.execute(sql: "ALTER TABLE t RENAME COLUMN a TO c")
    for sql in queries { #expect(try await names(sql) == "c 'a' b 'b'") }
    try other.execute(sql: "ALTER TABLE t DROP COLUMN c; ALTER TABLE t ADD COLUMN d DEFAULT 'd'")
    for sql in queries { #expect(try await names(sql) == "b 'b' d 'd'") }
    let sql = "INSERT INTO t VALUES (1, 2) RETURNING *"
    let row = try await stage.cluster.write { try $0.first(.values, sql: sql) }
    #expect(row?.columnNames == ["b", "d"])
    try other.execute(sql: "ALTER TABLE t DROP COLUMN b; ALTER TABLE t ADD COLUMN e DEFAULT 'e'")
    let next = try await stage.cluster.write { try $0.first(.values, sql: sql) }
    #expect(next?.columnNames == ["d", "e"])
  }

  @Test func `a statement that is kept does not return rows with old names`() async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    try await stage.cluster.perform { connection in
      let query = try connection.prepare(sql: "SELECT * FROM counter")
      #expect(try query.rows().count == 1)
      try connection.execute(sql: "ALTER TABLE counter RENAME COLUMN n TO m")
      #expect(failure { try query.execute() }?.code.primary == .schema)
      let row = try connection.first(.values, sql: "SELECT * FROM counter")
      #expect(row?.columnNames == ["m"])
    }
  }

  @Test func `a statement that is kept keeps its parameters and columns when the schema changes`()
    async throws
  {
    let stage = try ClusterStage()
    try await stage.addCounter()
    try await stage.cluster.perform { connection in
      let update = try connection.prepare(sql: "UPDATE counter SET n = ?")
      let query = try connection.prepare(sql: "SELECT * FROM counter")
      try connection.execute(sql: "ALTER TABLE counter ADD COLUMN extra")
      try update.bind(5).execute()
      #expect(try connection.first(.column(.int), sql: "SELECT n FROM counter") == 5)
      #expect(failure { try query.execute() }?.code.primary == .schema)
    }
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `tables and columns are described like those of a local database`() async throws {
    let stage = try ClusterStage()
    let script = """
      CREATE TABLE t(
        id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT COLLATE NOCASE DEFAULT 'x' NOT NULL,
        g AS (a || '!') STORED, v AS (a));
      CREATE INDEX i ON t(a DESC) WHERE id > 1; CREATE VIEW w AS SELECT * FROM t;
      CREATE TABLE k(t REFERENCES t(id) ON DELETE CASCADE, u PRIMARY KEY) WITHOUT ROWID;
      CREATE VIRTUAL TABLE f USING fts5(x)
      """
    let describe = { @Sendable (connection: Connection) in
      try connection.execute(sql: script)
      return try connection.tables().filter { $0.name != "sluice_commit" }.map { table in
        let name = table.name
        return try (
          table, connection.columns(of: name), connection.indexes(of: name),
          connection.foreignKeys(of: name)
        )
      }
    }
    let expected = try describe(Connection())
    let found = try await stage.cluster.perform { try describe($0) }
    #expect(found.map(\.0) == expected.map(\.0))
    #expect(found.map(\.1) == expected.map(\.1))
    #expect(found.map(\.2) == expected.map(\.2))
    #expect(found.map(\.3) == expected.map(\.3))
  }

  @Test func `code that needs a local database is refused`() async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    try await stage.cluster.perform { connection in
      let other = try Connection()
      #expect(failure { _ = try Backup(of: connection, to: other) }?.code == .misuse)
      #expect(failure { _ = try Backup(of: other, to: connection) }?.code == .misuse)
      #expect(failure { _ = try connection.serialize() }?.code == .misuse)
      #expect(
        failure {
          _ = try connection.openBlob(table: "counter", column: "n", rowid: 1)
        }?.code == .misuse)
      #expect(failure { _ = try connection.session(tables: []) }?.code == .misuse)
      #expect(failure { try connection.addFunction("f") { (a: Int) in a } }?.code == .misuse)
      #expect(
        failure {
          try connection.addCollation("c") { (a: String, b: String) in .init(a, b) }
        }?.code == .misuse)
      #expect(failure { _ = try connection.onUpdate { _ in } }?.code == .misuse)
      #expect(failure { _ = try connection.checkpoint() }?.code == .misuse)
      #expect(failure { try connection.flushCache() }?.code == .misuse)
      #expect(failure { try connection.resetCache() }?.code == .notFound)
      #expect(failure { _ = try connection.setReservedBytes(8) }?.code == .notFound)
      #expect(failure { _ = try connection.hasFileMoved() }?.code == .notFound)
      #expect(failure { try connection.setBusyTimeout(.seconds(1)) }?.code == .misuse)
      #expect(try connection.fileSystemName() == nil)
      #expect(
        failure {
          try connection.attach(path: "/tmp/other.db", as: "other")
        }?.code == .authorization)
    }
    #expect(stage.nodes.deaths.isEmpty)
  }
}
