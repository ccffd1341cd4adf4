import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice status` {
  let project: ProjectFolder

  init() throws {
    project = try ProjectFolder()
    let run = project.run("migrate", "--create", "--up-to=1", "@/app.db", "@/Migrations")
    #expect(run.code == .success)
    try project.execute(
      "UPDATE sluice_migration SET applied_at = 1700000000, sqlite_version = '3.9.9'")
  }

  private static let first = "  1  people  applied 2023-11-14T22:13:20Z by SQLite 3.9.9\n"

  @Test func `each migration has a line, and pending ones set the exit status`() throws {
    let before = try project.bytes
    let run = project.run("status", "@/app.db", "@/Migrations")
    #expect(run.output == Self.first + "  2  adults  pending\n")
    #expect(run.messages == "")
    #expect(run.code == .found)
    #expect(try project.bytes == before)
    #expect(project.run("migrate", "@/app.db", "@/Migrations").code == .success)
    let done = project.run("status", "@/app.db", "@/Migrations")
    #expect(done.code == .success)
    #expect(done.output.hasPrefix(Self.first + "  2  adults  applied 2"))
    #expect(done.output.hasSuffix("Z by SQLite \(SQLiteLibrary.version)\n"))
  }

  @Test func `the folder that contains Migrations stands for it`() throws {
    for command in ["status", "migrate"] {
      let inner = project.run(command, "@/app.db", "@/Migrations")
      let outer = project.run(command, "@/app.db", "@/")
      #expect(outer.code == (command == "status" ? inner.code : .success))
      #expect(command != "status" || outer.output == inner.output)
    }
    #expect(project.run("explain", "@/", "SELECT name FROM person").code == .success)
  }

  @Test func `drift is shown in the words of migrate`() throws {
    #expect(project.run("migrate", "@/app.db", "@/Migrations").code == .success)
    try project.execute("CREATE INDEX quick ON person(age)")
    let run = project.run("status", "@/app.db", "@/Migrations")
    #expect(run.code == .found)
    #expect(
      run.output.hasSuffix(
        """

        drift: index "quick" is unexpected
          found:    CREATE INDEX quick ON person(age)

        """))
  }

  @Test func `the JSON of status contains the migrations, drift and problems`() throws {
    try project.execute("CREATE INDEX quick ON person(age)")
    let run = project.run("status", "--json", "@/app.db", "@/Migrations")
    #expect(run.code == .found)
    #expect(
      run.output == """
        {"count":2,"database":"@/app.db","drift":[{"details":[],"found":\
        "CREATE INDEX quick ON person(age)","kind":"unexpected","name":"quick","type":"index"}],\
        "migrations":[{"appliedAt":"2023-11-14T22:13:20Z","isApplied":true,"name":"people","number":1,\
        "sqliteVersion":"3.9.9"},{"isApplied":false,"name":"adults","number":2}],"version":1}

        """)
  }

  @Test func `a record that does not match the files is a problem`() throws {
    try project.write("SELECT 1", "@/Migrations/0001_people.sql")
    let run = project.run("status", "@/app.db", "@/Migrations")
    #expect(run.code == .found)
    #expect(run.output == "")
    #expect(run.messages == project.run("migrate", "@/app.db", "@/Migrations").messages)
    #expect(run.messages.hasPrefix("sluice: error: Migration 1 \"people\" was edited"))
    let json = project.run("status", "--json", "@/app.db", "@/Migrations")
    #expect(json.output.contains("\"problem\":\"Migration 1"))
  }

  @Test func `an adopted record has no times`() throws {
    try project.execute("DROP TABLE sluice_migration")
    let run = project.run("status", "--adopting=user-version", "@/app.db", "@/Migrations")
    #expect(run.output == "  1  people  applied\n  2  adults  pending\n")
    #expect(project.run("status", "@/app.db", "@/Migrations").messages.contains("--adopting"))
  }

  @Test func `a merged file shows the last migration that it replaces`() throws {
    try FileManager.default.removeItem(atPath: project.full("@/Migrations"))
    try project.write(
      ProjectFolder.migrations["@/Migrations/0001_people.sql"] ?? "",
      "@/Migrations/0001_people.sql")
    try project.write("SELECT 1", "@/Migrations/0002-0003_rest.sql")
    #expect(
      project.run("status", "@/app.db", "@/Migrations").output
        == "  1  people  applied 2023-11-14T22:13:20Z by SQLite 3.9.9\n  3  rest    pending\n")
  }

  @Test func `a database that another program writes to in WAL mode is only read`() throws {
    let writer = try Connection(path: project.full("@/app.db"))
    try writer.execute(sql: "PRAGMA journal_mode = wal")
    try writer.execute(sql: "UPDATE sluice_migration SET sqlite_version = '3.9.8'")
    let before = try project.bytes
    #expect(before["app.db-wal"]?.isEmpty == false)
    let run = project.run("status", "@/app.db", "@/Migrations")
    #expect(run.output.contains("by SQLite 3.9.8\n"))
    let after = try project.bytes
    for name in ["app.db", "app.db-wal"] { #expect(after[name] == before[name]) }
    try writer.close()
  }

  @Test func `a missing database is not created`() throws {
    let run = project.run("status", "@/none.db", "@/Migrations")
    #expect(run.code == .failure)
    #expect(run.messages == "sluice: error: @/none.db does not exist\n")
    #expect(try project.bytes["none.db"] == nil)
  }
}
