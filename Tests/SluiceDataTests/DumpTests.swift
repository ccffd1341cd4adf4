import Foundation
import SluiceCore
import SluiceData
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `dumping a database` {
  private func script(_ connection: Connection, database: String = "main") throws -> String {
    var bytes: [UInt8] = []
    try connection.dump(database: database) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let end = "COMMIT;\n"

  @Test func `a dump has one row in a line, and states a rowid only where it is needed`() throws {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(a, b AS (a + 1), "it""s");
        INSERT INTO t(rowid, a, "it""s")
        VALUES (1, 1, 'it''s'), (2, NULL, x'00ff'), (7, -0.0, 9e999), (8, 0.1, '');
        CREATE VIEW v AS SELECT 1 -- one
        ;
        PRAGMA user_version = 3;
        """)
    #expect(
      try script(connection) == """
        PRAGMA foreign_keys = OFF;
        PRAGMA encoding = 'UTF-8';
        BEGIN;
        CREATE TABLE t(a, b AS (a + 1), "it""s");
        INSERT INTO "t" VALUES
        (1,'it''s'),
        (NULL,x'00ff');
        INSERT INTO "t"(rowid,"a","it""s") VALUES
        (7,-0.0,1e999),
        (8,0.1,'');
        CREATE VIEW v AS SELECT 1 -- one
        ;
        PRAGMA user_version = 3;
        COMMIT;

        """)
  }

  @Test func `text that a literal cannot contain is written as bytes`() throws {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
    for (bytes, sql) in [
      ([0x61, 0], "CAST(x'6100' AS TEXT)"), ([0xff], "CAST(x'ff' AS TEXT)"),
      ([0xed, 0xa0, 0x80], "CAST(x'eda080' AS TEXT)"), ([13, 10], "CAST(x'0d0a' AS TEXT)"),
      ([0xc0, 0x80], "CAST(x'c080' AS TEXT)"),
      ([0xf4, 0x90, 0x80, 0x80], "CAST(x'f4908080' AS TEXT)"),
      ([0xe2, 0x82], "CAST(x'e282' AS TEXT)"), ([0x1b], "CAST(x'1b' AS TEXT)"),
      ([0xe2, 0x82, 0xac, 9, 10], "'€\t\n'"), ([0xf0, 0x9f, 0x98, 0x80], "'😀'"), ([], "''"),
    ] as [([UInt8], String)] {
      try connection.execute(sql: "DELETE FROM t")
      try connection.execute(
        sql: "INSERT INTO t VALUES (CAST(? AS TEXT))", parameters: SQLParameter(.blob(bytes)))
      #expect(try script(connection).contains("\n(\(sql));\n"))
    }
  }

  @Test func `every real is read back with the same bits`() throws {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
    // SQLite 3.40 reads some of these with a wrong last bit, unless they have more digits or are products.
    let values: [Double] =
      [
        .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude.nextDown,
        .leastNormalMagnitude, .greatestFiniteMagnitude, 1e23, 0x1p53, Double(bitPattern: 0x13),
        -0x1.921fb54442d18p-1000,
      ]
      + (0..<2000).map { Double(bitPattern: UInt64($0) &* 0x9e37_79b9_7f4a_7c15) }
      .filter { $0.isFinite }
    let insert = try connection.prepare(sql: "INSERT INTO t VALUES (?)")
    for value in values { try insert.bind(value).execute() }
    var bytes: [UInt8] = []
    try connection.dump { bytes += $0 }
    let copy = try Connection()
    try load(bytes, into: copy)
    let read = try copy.query(.column(.double), sql: "SELECT a FROM t ORDER BY rowid")
    #expect(read.map(\.bitPattern) == values.map(\.bitPattern))
  }

  @Test func `an attached database can be dumped`() throws {
    let connection = try Connection()
    try connection.execute(
      sql: """
        ATTACH ':memory:' AS "other one";
        CREATE TABLE t(a);
        CREATE TABLE "other one".t(b);
        INSERT INTO "other one".t VALUES (5);
        PRAGMA "other one".application_id = 9;
        """)
    let sql = try script(connection, database: "other one")
    #expect(
      sql.contains("CREATE TABLE t(b);\nINSERT INTO \"t\" VALUES\n(5);\nPRAGMA application_id = 9;")
    )
    #expect(failure { try script(connection, database: "missing") }?.code == .range)
  }

  @Test func `a dump shows one state while another connection writes`() throws {
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    let connection = try Connection(path: folder.file(), configuration: configuration)
    try connection.execute(
      sql: """
        CREATE TABLE a(x);
        CREATE TABLE b(x);
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO a SELECT i FROM n;
        INSERT INTO b SELECT x FROM a;
        """)
    let writer = try Connection(path: folder.file(), configuration: configuration)
    var bytes: [UInt8] = []
    var pieceCount = 0
    try connection.dump { piece in
      pieceCount += 1
      try writer.execute(
        sql: "DELETE FROM a WHERE x <= 100; DELETE FROM b; CREATE TABLE IF NOT EXISTS c(x)")
      bytes += piece
    }
    #expect(pieceCount > 1)
    let copy = try Connection()
    try load(bytes, into: copy)
    #expect(
      try copy.integers("SELECT count(*) FROM a UNION ALL SELECT count(*) FROM b") == [
        20000, 20000,
      ])
    #expect(try copy.tables().map(\.name) == ["a", "b"])
    #expect(connection.isInAutocommit)
  }

  @Test func `a dump of many rows consists of small pieces, and reports its progress`() throws {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(a);
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
        INSERT INTO t SELECT i FROM n;
        INSERT INTO t VALUES (zeroblob(3000000)), (replace(hex(zeroblob(1000000)), '0', ''''));
        """)
    var sizes: [Int] = []
    var reports: [DataProgress] = []
    try connection.dump(progress: { reports.append($0) }, to: { sizes.append($0.count) })
    #expect(sizes.allSatisfy { $0 < 200_000 } && sizes.count > 100)
    #expect(reports.count == sizes.count)
    #expect(reports.last?.rowCount == 30002)
    #expect(reports.last?.byteCount == sizes.reduce(0, +))
    #expect(reports.map(\.rowCount) == reports.map(\.rowCount).sorted())
  }

  @Test func `an error of a closure ends the dump and its transaction`() throws {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
    #expect(foreignFailure { try connection.dump { _ in throw ForeignError() } } == ForeignError())
    #expect(
      foreignFailure { try connection.dump(progress: { _ in throw ForeignError() }, to: { _ in }) }
        == ForeignError())
    #expect(connection.isInAutocommit)
  }

  @Test func `a cancelled task ends the dump`() async throws {
    let folder = try TestFolder()
    let url = URL(filePath: folder.file("a.sql"))
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      let connection = try Connection()
      try connection.execute(sql: "CREATE TABLE t(a)")
      try connection.dump(to: url)
    }
    task.cancel()
    #expect(await failure(of: task) is CancellationError)
    #expect(try folder.content == [])
  }

  @Test func `a dump appears when it is complete, and replaces a file only if asked to`() throws {
    let folder = try TestFolder()
    let url = URL(filePath: folder.file("a.sql"))
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
    try connection.dump(to: url)
    let first = try folder.bytes("a.sql")
    #expect(String(decoding: first, as: UTF8.self).hasSuffix(Self.end))
    try connection.execute(sql: "DROP TABLE t")
    #expect(failure { try connection.dump(to: url) }?.code == .cantOpen)
    #expect(
      foreignFailure {
        try connection.dump(to: url, overwriting: true) { _ in throw ForeignError() }
      } == ForeignError())
    #expect(try folder.bytes("a.sql") == first)
    try connection.dump(to: url, overwriting: true)
    #expect(try folder.bytes("a.sql") != first)
    #expect(try folder.content == ["a.sql"])
  }

  @Test func `a file that cannot be created or is no file is reported`() throws {
    let folder = try TestFolder()
    let connection = try Connection()
    for url in [
      URL(filePath: folder.file("missing/a.sql")), folder.url,
      try #require(URL(string: "https://a/b")),
    ] {
      #expect(failure { try connection.dump(to: url, overwriting: true) }?.code == .cantOpen)
      #expect(failure { try connection.load(from: url) }?.code.primary != nil)
    }
    #expect(try folder.content == [])
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"))
  func `a full disk ends the dump`() throws {
    let file = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let connection = try Connection()
    #expect(throws: (any Error).self) { try connection.dump { try file.write(contentsOf: $0) } }
    #expect(connection.isInAutocommit)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `a virtual table without its module is refused`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.execute(sql: "CREATE VIRTUAL TABLE words USING fts5(a)")
    try connection.setOption(.writableSchema, true)
    try connection.execute(
      sql: "UPDATE sqlite_master SET sql = replace(sql, 'fts5', 'other') WHERE name = 'words'")
    try connection.close()
    let error = failure { try script(Connection(path: folder.file())) }
    #expect(
      error?.message
        == "The virtual table \"words\" needs the module other, which this connection lacks")
  }

  @Test func `a read-only connection and an open transaction can be dumped, a closed one cannot`()
    throws
  {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.execute(sql: "CREATE TABLE t(a)")
    #expect(
      try script(Connection(path: folder.file(), readOnly: true)).contains("CREATE TABLE t(a);"))
    try connection.transaction { connection in
      try connection.execute(sql: "CREATE TABLE u(a)")
      #expect(try script(connection).contains("CREATE TABLE u(a);"))
    }
    try connection.close()
    #expect(failure { try script(connection) }?.code == .misuse)
  }
}

/// Loads a script that is one piece.
func load(_ script: some Sequence<UInt8>, into connection: Connection) throws {
  var piece: [UInt8]? = Array(script)
  try connection.load {
    defer { piece = nil }
    return piece
  }
}
