import SluiceCluster
import Testing

@Suite struct `the schema of a cluster` {
  @Test func `the columns of a table are described as those of a local table`() async throws {
    let stage = try ClusterStage()
    let sql = """
      CREATE TABLE person(
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT COLLATE NOCASE UNIQUE,
        length INTEGER AS (length(name)) STORED);
      CREATE VIEW names AS SELECT name FROM person;
      """
    let local = try Connection()
    try local.execute(sql: sql)
    for table in ["person", "names"] {
      let expected = try local.columns(of: table)
      let found = try await stage.cluster.write { connection in
        if try connection.table(named: "person") == nil { try connection.execute(sql: sql) }
        return try connection.columns(of: table)
      }
      #expect(found == expected)
    }
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `a full-text index follows a table of a cluster`() async throws {
    let stage = try ClusterStage()
    let found = try await stage.cluster.write { connection in
      try connection.execute(
        sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE)")
      let index = try connection.createFullTextIndex(
        "note_index", on: "note", columns: ["title"])
      try connection.execute(sql: "INSERT INTO note(title) VALUES ('Bernoulli numbers')")
      return try connection.query(
        .column(.string),
        """
        SELECT \(index.snippet(from: "[", to: "]")) FROM note_index
        WHERE note_index MATCH \(.allWords("bern", prefixes: .last))
        """)
    }
    #expect(found == ["[Bernoulli] numbers"])
  }
}
