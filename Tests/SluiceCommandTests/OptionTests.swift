import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

/// Options are combined with each other and with each output format.
@Suite(.tags(.checkedSQL)) struct `combinations of options` {
  let project: ProjectFolder

  init() throws { project = try ProjectFolder() }

  @Test func `migrate --up-to 0 applies no migration`() {
    let run = project.run("migrate", "--create", "--up-to=0", "@/app.db", "@/Migrations")
    #expect(run.code == .success)
    #expect(run.output == "@/app.db is at version 0 of 2: nothing to apply\n")
  }

  @Test func `a dry run stops at the migration that --up-to names`() {
    let run = project.run(
      "migrate", "--dry-run", "--create", "--up-to=1", "@/app.db", "@/Migrations")
    #expect(run.output == "@/app.db is at version 0 of 2: would apply 1\n  1  people\n")
  }

  @Test func `a dry run with --allow-drift reports the version of the database`() throws {
    try project.write("CREATE TABLE last(a);", "@/Migrations/0003_last.sql")
    _ = project.run("migrate", "--create", "--up-to=1", "@/app.db", "@/Migrations")
    try project.execute("CREATE INDEX quick ON person(age)")
    let refused = project.run("migrate", "@/app.db", "@/Migrations")
    #expect(refused.code == .found)
    #expect(
      refused.output.hasPrefix(
        "@/app.db is at version 1 of 3: nothing was applied, because the schema has drifted\n"))
    let run = project.run("migrate", "--dry-run", "--allow-drift", "@/app.db", "@/Migrations")
    #expect(run.code == .success)
    #expect(
      run.output.hasPrefix("@/app.db is at version 1 of 3: would apply 2\n  2  adults\n  3  last\n")
    )
  }

  @Test func `drift of a missing object includes the expected SQL`() throws {
    _ = project.run("migrate", "--create", "@/app.db", "@/Migrations")
    try project.execute("DROP INDEX person_city")
    let sql = "CREATE INDEX person_city ON person(city, name DESC)"
    #expect(
      project.run("migrate", "@/app.db", "@/Migrations").output.hasSuffix(
        "drift: index \"person_city\" is missing\n  expected: \(sql)\n"))
    #expect(
      project.run("migrate", "--json", "@/app.db", "@/Migrations").output.contains(
        #"{"details":[],"expected":"\#(sql)","kind":"missing","name":"person_city","type":"index"}"#
      ))
  }

  @Test func `a trailing slash in the folder argument does not change reported paths`() throws {
    try project.write("SELECT nme;", "@/Migrations/0003_bad.sql")
    #expect(
      project.run("migrate", "--create", "@/app.db", "@/Migrations/").messages.hasPrefix(
        "@/Migrations/0003_bad.sql:1:8: error: "))
  }

  @Test func `explain and doctor return the found status even with --json`() throws {
    _ = project.run("migrate", "--create", "@/app.db", "@/Migrations")
    #expect(
      project.run("explain", "--json", "--no-scans", "@/app.db", "SELECT * FROM city").code
        == .found)
    let lacking = try #require(SQLiteCapability.allCases.first { !SQLiteLibrary.has($0) })
    #expect(project.run("doctor", "--json", "--require", "\(lacking)").code == .found)
  }

  @Test func `an option value can be a hyphen or contain an equals sign`() throws {
    try project.execute("CREATE TABLE \"a=b\"(c)")
    #expect(project.run("schema", "--table=a=b", "@/app.db").output == "table a=b\n  c\n")
    #expect(
      project.run("explain", "--file", "-", "@/app.db").messages
        == "sluice: error: - cannot be read\n")
  }

  @Test func `reading standard input that is not UTF-8 throws`() {
    let console = Console(output: { _ in }, messages: { _ in }, input: { Data([0x53, 0xff]) })
    #expect(throws: Failure.self) { try console.readAll() }
  }

  @Test func `a quick check by doctor skips the contents of indexes`() throws {
    let path = project.full("@/app.db")
    for sql in [
      """
      CREATE TABLE t(a); CREATE INDEX i ON t(a); INSERT INTO t VALUES (1); PRAGMA writable_schema = ON;
      CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'i';
      DELETE FROM sqlite_schema WHERE name = 'i'
      """,
      """
      UPDATE t SET a = 2; PRAGMA writable_schema = ON;
      INSERT INTO sqlite_schema SELECT * FROM kept
      """,
    ] {
      let connection = try Connection(path: path, configuration: .sqliteDefaults)
      try connection.execute(sql: sql)
      try connection.close()
    }
    #expect(project.run("doctor", "--quick", "@/app.db").code == .success)
    let run = project.run("doctor", "@/app.db")
    #expect(run.code == .found)
    #expect(run.output.contains("\n  damage        "))
  }

  @Test
  func `doctor omits the frame count of an empty WAL and the rowid of a WITHOUT ROWID violation`()
    throws
  {
    let connection = try Connection(path: project.full("@/app.db"), configuration: .sqliteDefaults)
    try connection.execute(
      sql: """
        PRAGMA journal_mode = wal; CREATE TABLE a(id INTEGER PRIMARY KEY);
        CREATE TABLE b(a PRIMARY KEY REFERENCES a) WITHOUT ROWID; INSERT INTO b VALUES (5)
        """)
    try connection.close()
    let run = project.run("doctor", "@/app.db")
    #expect(run.output.contains("\n  journal       wal\n"))
    #expect(
      run.output.hasSuffix(
        "  foreign key   a row of b refers to a missing row of a\n"))
  }

  @Test func `schema shows the properties of tables, columns and indexes`() throws {
    try project.execute(
      """
      CREATE TABLE One(x INT, y INT, z AS (x + 1), PRIMARY KEY(y, x)) WITHOUT ROWID;
      CREATE UNIQUE INDEX u ON one(z);
      CREATE TABLE two(a REFERENCES one(z) ON UPDATE CASCADE);
      CREATE TRIGGER r AFTER INSERT ON ONE BEGIN SELECT 1; END
      """)
    #expect(
      project.run("schema", "@/app.db").output == """
        table One (without rowid)
          x  INT  primary key 2, not null
          y  INT  primary key, not null
          z       generated
          primary key (y, x)
          unique index u (z)
          trigger r

        table two
          a
          foreign key (a) references one (z) on update cascade

        """)
  }
}
