import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice check --advise` {
  let project: ProjectFolder

  static let queries = """
    -- @query aged
    SELECT id, name FROM person WHERE age = :age;

    -- @query everyone
    SELECT id FROM person;

    """

  init() throws {
    project = try ProjectFolder.migrated()
    try project.write(Self.queries, "@/Queries/people.sql")
  }

  /// Inserts persons, of whom each age has the same number.
  private func fill(_ count: Int, ages: Int) throws {
    try project.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO person(name, age) SELECT 'Ada ' || i, i % \(ages) FROM n
      """)
  }

  @Test func `without a database, the plans of the queries count`() throws {
    let run = project.run("check", "--advise", "@")
    #expect(run.code == .found)
    #expect(run.messages == "")
    #expect(
      run.output == """
        CREATE INDEX person_age ON person(age);
          serves @/Queries/people.sql:1 aged: SCAN person → SEARCH person USING INDEX person_age (age=?)

        Advised indexes: 1, dropped: 0. Queries whose scans or sorts remain: 1.
        Queries: 2, migrations: 2. No errors found.

        """)
    #expect(
      project.run("check", "--advise", "--json", "@").output == """
        {"advice":{"dropped":[],"indexes":[{"database":"main","name":"person_age","replaces":[],\
        "serves":[{"after":["SEARCH person USING INDEX person_age (age=?)"],"before":["SCAN person"],\
        "file":"@/Queries/people.sql","line":1,"query":"aged"}],"sql":\
        "CREATE INDEX person_age ON person(age)","table":"person"}],"unservedCount":1},\
        "diagnostics":[],"files":[]}

        """)
  }

  @Test func `without advice, the exit status is 0`() throws {
    try project.write("-- @query one\nSELECT name FROM city WHERE id = :id", "@/Queries/people.sql")
    let run = project.run("check", "--advise", "@")
    #expect(run.code == .success)
    #expect(
      run.output == """
        Advised indexes: 0, dropped: 0. Queries whose scans or sorts remain: 0.
        Queries: 1, migrations: 2. No errors found.

        """)
  }

  @Test func `queries with errors are reported without advice`() throws {
    try project.write("-- @query a\nSELECT nme FROM person WHERE age = 1", "@/Queries/wrong.sql")
    let run = project.run("check", "--advise", "@")
    #expect(run.code == .found)
    #expect(run.output == "")
    #expect(run.messages.hasPrefix("@/Queries/wrong.sql:2:8: error: no such column: nme"))
    #expect(
      project.run("check", "--advise", "--json", "@").output.contains("\"advice\"") == false)
  }

  @Test func `with a database, costs are measured on a copy`() throws {
    try fill(3000, ages: 60)
    let before = try project.bytes
    let run = project.run("check", "--advise", "--database", "@/app.db", "@")
    #expect(run.code == .found)
    #expect(run.messages == "")
    let lines = run.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 6)
    #expect(lines[0] == "CREATE INDEX person_age ON person(age);")
    let gain = try #require(
      lines[2].wholeMatch(
        of: #/    steps: (\d+) → (\d+) \(factor ([\d.]+)\), time: \d+ → \d+ µs \(factor [\d.]+\)/#))
    // Without an index, each of the 3000 rows takes some steps; with the index, each of 50 rows.
    let (without, with) = (try #require(Int(gain.1)), try #require(Int(gain.2)))
    #expect(3000...30_000 ~= without)
    #expect(50...500 ~= with)
    #expect(
      lines[3].wholeMatch(
        of:
          #/  costs \d+ bytes( \(\d+ % of the table\))?, and [\d.]+ steps and [\d.]+ µs for each inserted row/#
      ) != nil)
    #expect(try project.bytes == before)
  }

  @Test func `the measured costs are part of the JSON`() throws {
    struct Report: Decodable {
      struct Advice: Decodable { let indexes: [Index] }
      struct Index: Decodable {
        let sql: String
        let serves: [Service]
        let cost: Cost
      }
      struct Service: Decodable { let gain: Gain }
      struct Gain: Decodable { let steps, stepsWithout, microseconds, microsecondsWithout: Double }
      struct Cost: Decodable { let bytes, stepsPerInsert, microsecondsPerInsert: Double }
      let advice: Advice
    }
    try fill(3000, ages: 60)
    let run = project.run("check", "--advise", "--json", "--database", "@/app.db", "@")
    let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
    let index = try #require(report.advice.indexes.first)
    let gain = try #require(index.serves.first).gain
    #expect(gain.stepsWithout > 2 * gain.steps)
    #expect(gain.microsecondsWithout > 0)
    // The index has at least the age and the rowid of each row.
    #expect(index.cost.bytes >= 3000 * 3)
    #expect(index.cost.stepsPerInsert >= 1)
    // The size is that of the index that the statement creates.
    try project.execute("VACUUM")
    let before = try #require(try project.bytes["app.db"]).count
    try project.execute(index.sql)
    let after = try #require(try project.bytes["app.db"]).count
    #expect(after - before == Int(index.cost.bytes))
  }

  @Test(arguments: [(1, 1), (5, 2), (3000, 1)])
  func `an index that is not worthwhile is not advised`(count: Int, ages: Int) throws {
    try fill(count, ages: ages)
    let run = project.run("check", "--advise", "--database", "@/app.db", "@")
    #expect(run.code == .success)
    #expect(run.output.hasPrefix("Not advised: CREATE INDEX person_age ON person(age);\n  "))
    #expect(run.output.contains("Advised indexes: 0, dropped: 1."))
    #expect(
      run.output.contains(#/aged takes \d+ steps with it, and \d+ without it/#)
        || run.output.contains("SQLite does not use it with the statistics of @/app.db"))
  }

  @Test func `statements that write are measured and undone`() throws {
    try fill(3000, ages: 60)
    try project.write(
      """
      -- @query age
      UPDATE person SET name = 'x' WHERE age = :age;
      -- @query remove
      DELETE FROM person WHERE age = :age RETURNING id;
      -- @query sorted
      SELECT id FROM person ORDER BY age LIMIT :limit;
      -- @query some
      -- @param ages: [Int] as array
      SELECT id FROM person WHERE age IN array(:ages);
      -- @query few
      -- @param ages: [Int] as json
      SELECT id, city FROM person WHERE age IN (SELECT value FROM json_each(:ages));
      """, "@/Queries/people.sql")
    let run = project.run("check", "--advise", "--database", "@/app.db", "@")
    #expect(run.code == .found)
    #expect(run.output.hasPrefix("CREATE INDEX person_age ON person(age);\n"))
    #expect(!run.output.contains("not measured"))
    // A time can be the same with the index.
    let steps = run.output.matches(of: /\ +steps: (.*), time/).map(\.output.1)
    #expect(steps.count == 5)
    #expect(steps.allSatisfy { !$0.contains("factor 0") && !$0.contains("factor 1)") })
  }

  @Test func `a statement that fails is advised without measured costs`() throws {
    try project.write(
      "CREATE TRIGGER kept BEFORE DELETE ON person BEGIN SELECT RAISE(ABORT, 'no way'); END;",
      "@/Migrations/0003_kept.sql")
    #expect(project.run("migrate", "@/app.db", "@/Migrations").code == .success)
    try fill(3000, ages: 60)
    try project.write(
      "-- @query remove\nDELETE FROM person WHERE age = :age", "@/Queries/people.sql")
    let run = project.run("check", "--advise", "--database", "@/app.db", "@")
    #expect(run.code == .found)
    #expect(run.output.contains("\n    not measured: no way\n"))
  }

  @Test func `a database in WAL mode is read without changing its files`() throws {
    try fill(3000, ages: 60)
    let writer = try Connection(path: project.full("@/app.db"))
    try writer.execute(sql: "PRAGMA journal_mode = WAL; UPDATE person SET age = 7")
    let before = try project.bytes
    let run = project.run("check", "--advise", "--database", "@/app.db", "@")
    #expect(run.messages == "")
    // In the WAL, all rows have the same age.
    #expect(run.output.contains("dropped: 1"))
    #expect(try project.bytes["app.db"] == before["app.db"])
    #expect(try project.bytes["app.db-wal"] == before["app.db-wal"])
    try writer.close()
  }

  @Test(arguments: [("morning", "evening"), ("evening", "morning")])
  func `the sizes of the tables decide which index a join needs`(
    large: String, small: String
  ) throws {
    try project.write(
      "CREATE TABLE morning(x, y); CREATE TABLE evening(x, y);", "@/Migrations/0003_two.sql")
    #expect(project.run("migrate", "@/app.db", "@/Migrations").code == .success)
    for (table, count) in [(large, 5000), (small, 10)] {
      try project.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO \(table) SELECT i, i FROM n
        """)
    }
    try project.write(
      "-- @query q\n-- @column a: Int\n-- @column b: Int\n"
        + "SELECT morning.y AS a, evening.y AS b FROM morning JOIN evening ON evening.x = morning.x",
      "@/Queries/people.sql")
    let run = project.run("check", "--advise", "--database", "@/app.db", "@")
    #expect(run.messages == "")
    #expect(run.output.hasPrefix("CREATE INDEX \(large)_x ON \(large)(x);\n"))
    #expect(run.output.contains("Advised indexes: 1, "))
  }

  @Test func `a database with another schema is an error with a way out`() throws {
    func message() -> String {
      let run = project.run("check", "--advise", "--database", "@/app.db", "@")
      #expect(run.code == .failure)
      #expect(run.output == "")
      return run.messages
    }
    try project.write("CREATE TABLE last(a);", "@/Migrations/0003_last.sql")
    #expect(
      message()
        == "sluice: error: @/app.db lacks the migration 3 \"last\": apply it with \"sluice migrate\", or use a copy to which it is applied\n"
    )
    #expect(project.run("migrate", "@/app.db", "@/Migrations").code == .success)
    try project.execute("CREATE INDEX quick ON person(age)")
    #expect(
      message()
        == "sluice: error: The schema of @/app.db differs from the migrations (index \"quick\"): \"sluice migrate --dry-run\" lists the differences\n"
    )
    try project.write("CREATE TABLE last(b);", "@/Migrations/0003_last.sql")
    #expect(
      message().hasPrefix(
        "sluice: error: @/app.db does not match the migrations: Migration 3 \"last\" was edited"))
  }

  @Test func `arguments that cannot be combined and missing files are reported`() throws {
    let run = project.run("check", "--database", "@/app.db", "@")
    #expect(run.code == .usage)
    #expect(run.messages.hasPrefix("sluice: error: --database needs --advise\n"))
    #expect(
      project.run("check", "--advise", "--database", "@/gone.db", "@").messages
        == "sluice: error: @/gone.db does not exist\n")
    try project.write("no database at all", "@/text.db")
    #expect(project.run("check", "--advise", "--database", "@/text.db", "@").code == .failure)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.serialization)))
  func `an attached database is not measured`() throws {
    try project.write(
      "CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT);", "@/Attached/archive/0001_a.sql")
    try project.write(
      "-- @query archived\nSELECT id FROM archive.book WHERE title = :title", "@/Queries/people.sql"
    )
    try fill(10, ages: 2)
    let run = project.run("check", "--advise", "--database", "@/app.db", "@")
    #expect(run.code == .found)
    #expect(run.messages == "")
    #expect(run.output.hasPrefix("CREATE INDEX archive.book_title ON book(title);\n  serves "))
    #expect(!run.output.contains("steps:"))
  }
}
