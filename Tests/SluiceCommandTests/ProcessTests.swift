import Foundation
import Sluice
import TestSupport
import Testing

/// Tests the program in a separate process, as a shell runs it.
@Suite(.tags(.checkedSQL)) struct `the sluice program` {
  let project: ProjectFolder

  init() throws { project = try ProjectFolder.migrated() }

  @Test(arguments: [
    (
      ["schema", "@/Migrations", "--table", "adult"], 0,
      "view adult\n  name  TEXT\n  age   INTEGER\n"
    ),
    (
      ["explain", "--no-scans", "@/app.db", "SELECT * FROM city"], 1,
      "`--SCAN city   <-- full scan\n"
    ),
    (["schema"], 2, "sluice: error: DATABASE is missing\nTry: sluice schema --help\n"),
    (["doctor", "@/none.db"], 3, "sluice: error: @/none.db does not exist\n"),
    (["explain", "@/app.db", "-"], 3, "sluice: error: The SQL contains no statement\n"),
  ]) func `sluice exits with the status and output of each outcome`(
    arguments: [String], status: Int32, output: String
  ) throws {
    let run = try Program.run("sluice", arguments.map(project.full))
    #expect(run.status == status)
    #expect(run.output == project.full(output))
  }

  @Test func `doctor reads a WAL that a process is using and reports its frames`() throws {
    let writer = try Connection(path: project.full("@/live.db"))
    try writer.execute(
      sql: "PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    try writer.checkpoint()
    let reader = try Connection(path: project.full("@/live.db"), readOnly: true)
    try reader.beginReadTransaction()
    #expect(try reader.first(.column(.int), sql: "SELECT count(*) FROM t") == 1)
    try writer.execute(sql: "INSERT INTO t VALUES (2)")
    try reader.endReadTransaction()
    let before = try project.bytes
    let run = try Program.run("sluice", ["doctor", project.full("@/live.db")])
    #expect(run.status == 0)
    #expect(run.output.contains("\n  journal       wal\n  WAL "))
    #expect(run.output.contains(" bytes: 1 frames, of which 0 are in the database file\n"))
    let after = try project.bytes
    #expect(after["live.db"] == before["live.db"])
    #expect(after["live.db-wal"] == before["live.db-wal"])
    try writer.close()
  }
}
