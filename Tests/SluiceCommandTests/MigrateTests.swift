import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice migrate` {
  let project: ProjectFolder

  init() throws { project = try ProjectFolder() }

  @Test func `migrate applies only pending migrations`() throws {
    let first = project.run("migrate", "--create", "--up-to", "1", "@/app.db", "@/Migrations")
    #expect(first.output == "@/app.db is at version 1 of 2: applied 1\n  1  people\n")
    let second = project.run("migrate", "@/app.db", "@/Migrations")
    #expect(second.output == "@/app.db is at version 2 of 2: applied 1\n  2  adults\n")
    let bytes = try project.bytes
    let third = project.run("migrate", "@/app.db", "@/Migrations")
    #expect(third.output == "@/app.db is at version 2 of 2: nothing to apply\n")
    #expect(try project.bytes == bytes)
    for run in [first, second, third] {
      #expect(run.code == .success)
      #expect(run.messages.isEmpty)
    }
    let connection = try Connection(path: project.full("@/app.db"), readOnly: true)
    #expect(try connection.userVersion == 2)
    #expect(try connection.table(named: "adult") != nil)
  }

  @Test func `a dry run reports pending migrations and writes nothing`() throws {
    let all = project.run("migrate", "--dry-run", "--create", "@/app.db", "@/Migrations")
    #expect(
      all.output == "@/app.db is at version 0 of 2: would apply 2\n  1  people\n  2  adults\n")
    #expect(try project.bytes["app.db"] == nil)

    #expect(
      project.run("migrate", "--create", "--up-to=1", "@/app.db", "@/Migrations").code == .success)
    let bytes = try project.bytes
    let rest = project.run("migrate", "--dry-run", "@/app.db", "@/Migrations")
    #expect(rest.output == "@/app.db is at version 1 of 2: would apply 1\n  2  adults\n")
    #expect(rest.code == .success)
    #expect(try project.bytes == bytes)
  }

  @Test func `the JSON of migrate contains the applied steps and the version`() throws {
    let run = project.run("migrate", "--create", "--json", "@/app.db", "@/Migrations")
    #expect(
      run.output == """
        {"adopted":[],"count":2,"database":"@/app.db","drift":[],"isDryRun":false,"isRefused":false,"steps":\
        [{"checksum":"6dc6276702277786","name":"people","number":1},\
        {"checksum":"f496da1b822c94f4","name":"adults","number":2}],"version":2}

        """)
  }

  /// Replaces the migration files with one file that merges them.
  private func merge(_ sql: String) throws {
    let folder = URL(filePath: project.full("@/Migrations"), directoryHint: .isDirectory)
    try FileManager.default.removeItem(at: folder)
    try project.write(sql, "@/Migrations/0001-0002_schema.sql")
  }

  @Test func `migrate does not run a merged file in a database with the replaced migrations`()
    throws
  {
    #expect(project.run("migrate", "--create", "@/app.db", "@/Migrations").code == .success)
    try merge(ProjectFolder.migrations.sorted { $0.key < $1.key }.map(\.value).joined())
    let bytes = try project.bytes["app.db"]
    for arguments in [["migrate", "--dry-run"], ["migrate"]] {
      let run = project.run(arguments + ["@/app.db", "@/Migrations"])
      #expect(run.output == "@/app.db is at version 2 of 2: nothing to apply\n")
      #expect(try project.bytes["app.db"] == bytes)
    }
    let new = project.run("migrate", "--create", "@/new.db", "@/Migrations")
    #expect(new.output == "@/new.db is at version 2 of 2: applied 1\n  2  schema\n")
  }

  @Test func `migrate reports a database that has only some of the merged migrations`() throws {
    #expect(
      project.run("migrate", "--create", "--up-to=1", "@/app.db", "@/Migrations").code == .success)
    try merge("CREATE TABLE a(b)")
    let run = project.run("migrate", "@/app.db", "@/Migrations")
    #expect(run.code == .found)
    #expect(
      run.messages == """
        sluice: error: The database has only some of the migrations that 2 "schema" merges: it has 1, but lacks 2; \
        first run an older version of this program, which has all of them

        """)
  }

  @Test func `migrate fails for a missing database without --create`() throws {
    let run = project.run("migrate", "@/app.db", "@/Migrations")
    #expect(run.code == .failure)
    #expect(run.messages == "sluice: error: @/app.db does not exist; pass --create to create it\n")
    #expect(try project.bytes["app.db"] == nil)
  }

  @Test func `migrate reports schema drift and applies nothing`() throws {
    #expect(
      project.run("migrate", "--create", "--up-to=1", "@/app.db", "@/Migrations").code == .success)
    try project.execute("CREATE INDEX quick ON person(age); ALTER TABLE city ADD COLUMN zip TEXT")
    let bytes = try project.bytes
    for option in ["--dry-run", "--up-to=2"] {
      let run = project.run("migrate", option, "@/app.db", "@/Migrations")
      #expect(run.code == .found)
      #expect(run.messages.isEmpty)
      #expect(
        run.output == """
          @/app.db is at version 1 of 2: nothing was applied, because the schema has drifted
          drift: table "city" is different: column "zip" is unexpected
            expected: CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT
            found:    CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, zip TEXT) STRICT
          drift: index "quick" is unexpected
            found:    CREATE INDEX quick ON person(age)

          """)
      #expect(try project.bytes == bytes)
    }
    let json = project.run("migrate", "--json", "@/app.db", "@/Migrations")
    #expect(json.code == .found)
    #expect(
      json.output.contains(
        #"{"details":[],"found":"CREATE INDEX quick ON person(age)","kind":"unexpected","name":"quick","type":"index"}"#
      ))
    #expect(json.output.contains(#""isRefused":true"#))
  }

  @Test func `migrate with --allow-drift applies migrations despite drift`() throws {
    #expect(
      project.run("migrate", "--create", "--up-to=1", "@/app.db", "@/Migrations").code == .success)
    try project.execute("CREATE INDEX quick ON person(age)")
    let run = project.run("migrate", "--allow-drift", "@/app.db", "@/Migrations")
    #expect(run.code == .success)
    #expect(
      run.output == """
        @/app.db is at version 2 of 2: applied 1
          2  adults
        drift: index "quick" is unexpected
          found:    CREATE INDEX quick ON person(age)

        """)
  }

  @Test func `migrate rejects a migration that was edited after it was applied`() throws {
    #expect(project.run("migrate", "--create", "@/app.db", "@/Migrations").code == .success)
    try project.write("CREATE VIEW adult AS SELECT 1 AS a", "@/Migrations/0002_adults.sql")
    let run = project.run("migrate", "@/app.db", "@/Migrations")
    #expect(run.code == .found)
    #expect(run.output.isEmpty)
    #expect(
      run.messages.hasPrefix(
        "sluice: error: Migration 2 \"adults\" was edited after it was applied: its checksum was"))
    let json = project.run("migrate", "--json", "--dry-run", "@/app.db", "@/Migrations")
    #expect(json.code == .found)
    #expect(json.output.contains(#""problem":"Migration 2 \"adults\" was edited"#))
  }

  @Test func `a failing dry run or atomic migration reports its position and leaves no tables`()
    throws
  {
    try project.write(
      "CREATE TABLE a(x);\n-- é\n  INSERT INTO a VALUES ('é'), (nme);",
      "@/Migrations/0003_bad one.sql")
    for option in ["--dry-run", "--atomically"] {
      let run = project.run("migrate", "--create", option, "@/app.db", "@/Migrations")
      #expect(run.code == .failure)
      #expect(run.output.isEmpty)
      #expect(
        run.messages == """
          @/Migrations/0003_bad one.sql:3:33: error: Migration 3 "bad one": no such column: nme
            INSERT INTO a VALUES ('é'), (nme);
                                         ^

          """)
    }
    #expect(project.run("schema", "@/app.db").output == "There are no tables.\n")
    #expect(project.run("migrate", "@/app.db", "@/Migrations").code == .failure)
    #expect(project.run("migrate", "--up-to=2", "@/app.db", "@/Migrations").code == .success)
  }

  @Test func `migrate adopts an existing user_version only on request`() throws {
    try project.execute(
      "CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;"
        + "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE,"
        + " city INTEGER REFERENCES city(id) ON DELETE SET NULL, age INTEGER DEFAULT 18);"
        + "PRAGMA user_version = 1")
    let refused = project.run("migrate", "@/app.db", "@/Migrations")
    #expect(refused.code == .found)
    #expect(
      refused.messages == """
        sluice: error: The database has the user_version 1, but no migration record: pass --adopting \
        user-version if the number counts them, and --user-version ignored if it has another purpose

        """)
    let run = project.run("migrate", "--adopting=user-version", "@/app.db", "@/Migrations")
    #expect(
      run.output == """
        @/app.db is at version 2 of 2: adopted 1, applied 1
          1  people  (adopted)
          2  adults

        """)
  }

  @Test func `migrate reports an adopted record even if no migration is left to apply`() throws {
    #expect(
      project.run("migrate", "--create", "--up-to=1", "@/app.db", "@/Migrations").code == .success)
    try project.execute("DROP TABLE sluice_migration")
    let arguments = ["migrate", "--adopting=user-version", "--up-to=1", "@/app.db", "@/Migrations"]
    let dryRun = project.run(arguments + ["--dry-run"])
    #expect(
      dryRun.output == """
        @/app.db is at version 1 of 2: would adopt 1
          1  people  (adopted)

        """)
    let run = project.run(arguments)
    #expect(run.output == dryRun.output.replacing("would adopt", with: "adopted"))
  }

  @Test func `migrate adopts the migration record of another library on request`() throws {
    #expect(
      project.run("migrate", "--create", "--up-to=1", "@/app.db", "@/Migrations").code == .success)
    try project.execute(
      """
      DROP TABLE sluice_migration; PRAGMA user_version = 0;
      CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO grdb_migrations VALUES ('people')
      """)
    let bytes = try project.bytes
    let dryRun = project.run(
      "migrate", "--adopting", "grdb", "--dry-run", "@/app.db", "@/Migrations")
    #expect(
      dryRun.output == """
        @/app.db is at version 1 of 2: would adopt 1, would apply 1
          1  people  (adopted)
          2  adults

        """)
    #expect(try project.bytes == bytes)
    let json = project.run("migrate", "--adopting=grdb", "--json", "@/app.db", "@/Migrations")
    #expect(
      json.output.hasPrefix(
        #"{"adopted":[{"checksum":"6dc6276702277786","name":"people","number":1}],"count":2,"#))
    let again = project.run("migrate", "--adopting=grdb", "@/app.db", "@/Migrations")
    #expect(again.output == "@/app.db is at version 2 of 2: nothing to apply\n")
    #expect(again.code == .success)
    let mistake = project.run("migrate", "--adopting=core-data", "@/app.db", "@/Migrations")
    #expect(mistake.code == .usage)
    #expect(
      mistake.messages.hasPrefix(
        "sluice: error: --adopting must be grdb, fluent or user-version (got \"core-data\")\n"))
  }

  @Test func `migrate records migrations in the table that --table names`() throws {
    let run = project.run(
      "migrate", "--create", "--table", "it's \"mine\"", "--user-version", "ignored", "@/app.db",
      "@/Migrations")
    #expect(run.code == .success)
    let connection = try Connection(path: project.full("@/app.db"), readOnly: true)
    #expect(try connection.table(named: "it's \"mine\"") != nil)
    #expect(try connection.userVersion == 0)
  }

  @Test(arguments: [
    ("@/nowhere", "@/nowhere is not a folder"),
    ("@/app.db", "@/app.db is not a folder"),
    ("@/Empty", "@/Empty contains no migrations"),
    ("@/Odd", "@/Odd: The file name b.sql must begin with the number of a migration"),
  ]) func `migrate reports a folder without valid migrations`(folder: String, message: String)
    throws
  {
    try project.execute("SELECT 1")
    try project.write("SELECT 1", "@/Odd/b.sql")
    try project.write("", "@/Empty/notes.txt")
    let run = project.run("migrate", "--create", "@/app.db", folder)
    #expect(run.code == .failure)
    #expect(run.messages == "sluice: error: \(message)\n")
  }

  @Test func `migrate rejects a target number that no migration has`() {
    let run = project.run("migrate", "--create", "--up-to=3", "@/app.db", "@/Migrations")
    #expect(run.code == .usage)
    #expect(
      run.messages.hasPrefix(
        "sluice: error: There is no migration 3: @/Migrations has 2 migrations\n"))
  }

  @Test func `migrate reports a database that another connection has locked`() throws {
    #expect(
      project.run("migrate", "--create", "--up-to=1", "@/app.db", "@/Migrations").code == .success)
    let other = try Connection(path: project.full("@/app.db"))
    try other.begin(.exclusive)
    let run = project.run("migrate", "@/app.db", "@/Migrations")
    #expect(run.code == .failure)
    #expect(run.messages == "sluice: error: @/app.db is in use by another program\n")
  }
}
