import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice explain` {
  let project: ProjectFolder
  let join = "SELECT * FROM person JOIN city ON city.id = person.city WHERE age > ?"

  init() throws { project = try ProjectFolder.migrated() }

  @Test func `explain shows the plan as a tree and marks full scans`() {
    let run = project.run("explain", "@/app.db", join)
    #expect(run.code == .success)
    #expect(
      run.output == """
        |--SCAN person   <-- full scan
        `--SEARCH city USING INTEGER PRIMARY KEY (rowid=?)

        """)
    let nested = project.run(
      "explain", "@/app.db",
      "SELECT (SELECT name FROM city WHERE id = 1) FROM person WHERE id = 1")
    #expect(
      nested.output == """
        |--SEARCH person USING INTEGER PRIMARY KEY (rowid=?)
        `--SCALAR SUBQUERY 1
           `--SEARCH city USING INTEGER PRIMARY KEY (rowid=?)

        """)
    #expect(project.run("explain", "@/app.db", "SELECT 1").output == "`--SCAN CONSTANT ROW\n")
    #expect(
      project.run("explain", "@/app.db", "PRAGMA user_version = 7").output
        == "The statement reads no table.\n")
  }

  @Test func `the JSON of explain contains the plan as a tree`() {
    let run = project.run("explain", "--json", "@/app.db", join)
    #expect(
      run.output == """
        {"fullScans":["SCAN person"],"plan":[{"detail":"SCAN person","isFullScan":true,"steps":[]},\
        {"detail":"SEARCH city USING INTEGER PRIMARY KEY (rowid=?)","isFullScan":false,"steps":[]}]}

        """)
  }

  @Test func `explain --no-scans returns the found status if the plan contains a full scan`() {
    #expect(project.run("explain", "--no-scans", "@/app.db", join).code == .found)
    #expect(
      project.run("explain", "--no-scans", "@/app.db", "SELECT * FROM city WHERE id = ?").code
        == .success)
  }

  @Test func `explain accepts a folder of migrations instead of a database`() throws {
    let database = project.run("explain", "@/app.db", join)
    #expect(project.run("explain", "@/Migrations", join) == database)
    #expect(project.run("explain", "@/Migrations/", join) == database)
  }

  @Test func `explain reads the statement from standard input or a file`() throws {
    let expected = project.run("explain", "@/app.db", join)
    #expect(project.run("explain", "@/app.db", "-", input: join) == expected)
    try project.write(join + ";\n-- the end", "@/q.sql")
    #expect(project.run("explain", "@/app.db", "--file", "@/q.sql") == expected)
  }

  @Test func `explain reports an invalid statement with its position`() throws {
    let sql = "SELECT 1,\n'é', nme FROM city"
    try project.write(sql, "@/q.sql")
    try project.write("\u{0}", "@/nul.sql")
    try Data([0x53, 0xff]).write(to: URL(filePath: project.full("@/latin.sql")))
    for (arguments, message) in [
      ([sql], "sluice: error: no such column: nme; did you mean name?\n'é', nme FROM city\n     ^"),
      (
        ["-"],
        "<stdin>:2:7: error: no such column: nme; did you mean name?\n'é', nme FROM city\n     ^"
      ),
      (
        ["--file", "@/q.sql"],
        "@/q.sql:2:7: error: no such column: nme; did you mean name?\n'é', nme FROM city\n     ^"
      ),
      (["SELEC"], "sluice: error: near \"SELEC\": syntax error\nSELEC\n^"),
      (
        ["SELECT 1; SELECT 2"],
        "sluice: error: The SQL contains more than one statement\nSELECT 1; SELECT 2\n         ^"
      ),
      ([""], "sluice: error: The SQL contains no statement"),
      (["--", "-- nothing"], "sluice: error: The SQL contains no statement"),
      (["SELECT nofunc(1)"], "sluice: error: no such function: nofunc\nSELECT nofunc(1)\n       ^"),
      (
        ["SELECT 1 FROM citi"],
        "sluice: error: no such table: citi; did you mean city?\nSELECT 1 FROM citi\n              ^"
      ),
      (
        ["SELECT 1 FROM [none]"],
        "sluice: error: no such table: none\nSELECT 1 FROM [none]\n              ^"
      ),
      (
        ["SELECT uper('a')"],
        "sluice: error: no such function: uper; did you mean upper?\nSELECT uper('a')\n       ^"
      ),
      (
        ["SELECT city.nam FROM city"],
        "sluice: error: no such column: city.nam; did you mean name?\nSELECT city.nam FROM city\n       ^"
      ),
      (["--file", "@/none.sql"], "sluice: error: @/none.sql cannot be read"),
      (["--file", "@"], "sluice: error: @ cannot be read"),
      (["--file", "@/latin.sql"], "sluice: error: @/latin.sql is not UTF-8"),
    ] {
      let run = Run(
        ["explain", project.full("@/app.db")] + arguments.map(project.full), input: sql)
      #expect(run.code == .failure)
      #expect(run.output.isEmpty)
      #expect(run.messages == project.full(message) + "\n")
    }
    #expect(project.run("explain", "@/app.db", "--file", "@/nul.sql").code == .failure)
  }

  @Test func `explain does not execute the statement`() throws {
    let bytes = try project.bytes
    for sql in [
      "DELETE FROM city", "DROP TABLE person", "PRAGMA journal_mode = wal",
      "ATTACH 'other.db' AS other", "VACUUM", "INSERT INTO city(name) VALUES ('x')",
    ] {
      #expect(project.run("explain", "@/app.db", sql).code == .success)
    }
    #expect(try project.bytes == bytes)
  }
}
