import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.settings)) struct `database checks` {
  @Test func `an intact database has no integrity problems`() throws {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)")
    #expect(try connection.integrityProblems() == [])
    #expect(try connection.integrityProblems(isQuick: true) == [])
    #expect(try connection.integrityProblems(database: "temp") == [])
  }

  @Test func `an integrity check reports problems that a quick check misses`() throws {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(a, b CHECK (b > 0)); CREATE INDEX i ON t(a);
        INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
        PRAGMA ignore_check_constraints = 1; UPDATE t SET b = 0; PRAGMA ignore_check_constraints = 0
        """)
    #expect(try connection.integrityProblems().allSatisfy { $0.contains("CHECK") })
    #expect(try connection.integrityProblems().count == 3)
    #expect(try connection.integrityProblems(limit: 1).count == 1)
    try connection.execute(sql: "UPDATE t SET b = 1")
    // Give index `i` the root page of an empty index, so that it lacks the entries of its table.
    try connection.setOption(.defensive, false)
    try connection.setOption(.writableSchema, true)
    try connection.execute(
      sql: """
        CREATE TABLE other(a); CREATE INDEX empty ON other(a);
        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'empty')
          WHERE name = 'i';
        DELETE FROM sqlite_schema WHERE name IN ('empty', 'other')
        """)
    let version = try connection.value("PRAGMA schema_version")
    try connection.execute("PRAGMA schema_version = \(raw: version.description)1")
    try connection.setOption(.writableSchema, false)
    #expect(try connection.integrityProblems().contains { $0.contains("missing from index i") })
    #expect(
      try !connection.integrityProblems(isQuick: true).contains { $0.contains("missing from") })
  }

  @Test(arguments: [0, -1, .min, Int(Int32.max) + 1, .max])
  func `an integrity check with a limit out of range throws`(
    limit: Int
  ) throws {
    #expect(failure { try Connection().integrityProblems(limit: limit) }?.code == .range)
  }

  @Test func `an integrity check of a file that is not a database throws`() throws {
    let folder = try TestFolder()
    try folder.write([UInt8](repeating: 7, count: 5000))
    let connection = try Connection(path: folder.file())
    #expect(failure { try connection.integrityProblems() }?.code == .notADatabase)
    #expect(failure { try connection.pageCount() }?.code == .notADatabase)
  }

  @Test func `a foreign key check reports rows that refer to a missing row`() throws {
    let connection = try Connection(configuration: .sqliteDefaults)
    try connection.execute(
      sql: """
        CREATE TABLE "a""b"(id INTEGER PRIMARY KEY);
        CREATE TABLE t(x REFERENCES "a""b", y REFERENCES "a""b");
        CREATE TABLE u(x PRIMARY KEY REFERENCES "a""b") WITHOUT ROWID;
        INSERT INTO "a""b" VALUES (1); INSERT INTO t VALUES (1, 1), (NULL, 2); INSERT INTO u VALUES (3)
        """)
    let ofT = try connection.foreignKeyViolations(of: "t")
    #expect(ofT.map(\.table) == ["t"] && ofT.map(\.rowid) == [2])
    #expect(ofT.map(\.referencedTable) == ["a\"b"] && ofT.map(\.foreignKey) == [0])
    let ofU = try connection.foreignKeyViolations(of: "U")
    #expect(ofU.map(\.table) == ["u"] && ofU.map(\.rowid) == [nil])
    #expect(try Set(connection.foreignKeyViolations()) == Set(ofT + ofU))
    #expect(try connection.foreignKeyViolations(of: "a\"b") == [])
    #expect(try connection.foreignKeys(of: "t")[0].columns == ["y"])
    #expect(failure { try connection.foreignKeyViolations(of: "missing") }?.code == .error)
    #expect(failure { try connection.foreignKeyViolations(of: "t\0") }?.code == .misuse)
  }

  @Test func `the data version changes only for commits of other connections`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.execute(sql: "CREATE TABLE t(a)")
    let before = try connection.dataVersion()
    try connection.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(try connection.dataVersion() == before)
    try Connection(path: folder.file()).execute(sql: "INSERT INTO t VALUES (1)")
    #expect(try connection.dataVersion() != before)
  }
}
