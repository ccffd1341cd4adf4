import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice diff` {
  let project: ProjectFolder

  init() throws {
    project = try ProjectFolder()
    for (name, age) in [("a", 36), ("b", 37)] {
      try project.execute(
        """
        CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
        INSERT INTO person VALUES (1, 'Ada', \(age)), (2, 'Alan', 41);
        """, "@/\(name).db")
    }
  }

  @Test func `diff writes the SQL that turns the first database into the second`() throws {
    let before = try project.bytes
    let run = project.run("diff", "@/a.db", "@/b.db")
    #expect(run.code == .found)
    #expect(run.messages == "")
    #expect(
      run.output == """
        PRAGMA foreign_keys = OFF;
        BEGIN IMMEDIATE;
        UPDATE "person" SET "age" = 37 WHERE "id" = 1;
        COMMIT;

        """)
    #expect(try project.bytes == before)
    try project.execute(run.output, "@/a.db")
    let after = project.run("diff", "@/a.db", "@/b.db")
    #expect(after.code == .success)
    #expect(after.output == "")
  }

  @Test func `a summary lists changed objects and numbers of rows`() throws {
    try project.execute(
      "CREATE TABLE x(a); CREATE INDEX i ON person(name); PRAGMA user_version = 3; DELETE FROM person",
      "@/b.db")
    let run = project.run("diff", "--summary", "@/a.db", "@/b.db")
    #expect(run.code == .found)
    #expect(
      run.output == """
        added table "x"
        added index "i"
        changed user_version from 0 to 3
        rows
          person  0 inserted  0 updated  2 deleted

        """)
    #expect(project.run("diff", "--summary", "@/a.db", "@/a.db").output == "")
    #expect(project.run("diff", "--summary", "@/a.db", "@/a.db").code == .success)
  }

  @Test func `the SQL is written to a new file`() throws {
    let run = project.run("diff", "--output", "@/update.sql", "@/a.db", "@/b.db")
    #expect(run.code == .found)
    #expect(run.output == "")
    let sql = try #require(try project.bytes["update.sql"])
    #expect(String(decoding: sql, as: UTF8.self).contains("SET \"age\" = 37"))
    let again = project.run("diff", "--output", "@/update.sql", "@/a.db", "@/b.db")
    #expect(again.code == .failure)
    #expect(again.messages == "sluice: error: @/update.sql exists\n")
    #expect(try project.bytes["update.sql"] == sql)
  }

  @Test func `databases in WAL mode are compared without changing files`() throws {
    try project.execute("PRAGMA journal_mode = WAL; UPDATE person SET age = 40", "@/a.db")
    let writer = try Connection(path: project.full("@/b.db"))
    try writer.execute(sql: "PRAGMA journal_mode = WAL; UPDATE person SET age = 50 WHERE id = 2")
    try project.copy("b", as: "left", ["", "-wal"])
    let before = try project.bytes
    for name in ["b", "left"] {
      let run = project.run("diff", "--summary", "@/a.db", "@/\(name).db")
      #expect(run.output == "rows\n  person  0 inserted  2 updated  0 deleted\n")
      #expect(run.messages == "")
    }
    #expect(project.run("diff", "@/left.db", "@/b.db").code == .success)
    #expect(try project.bytes.keys.sorted() == before.keys.sorted())
    #expect(try project.bytes["a.db"] == before["a.db"])
    #expect(try project.bytes["left.db-wal"] == before["left.db-wal"])
    try writer.close()
  }

  @Test func `control characters are written to a file only`() throws {
    try project.execute("CREATE TABLE \"\u{1b}[2J\"(a)", "@/b.db")
    let run = project.run("diff", "@/a.db", "@/b.db")
    #expect(run.code == .failure)
    #expect(!run.output.contains("\u{1b}"))
    #expect(
      run.messages
        == "sluice: error: The SQL contains control characters; write it to a file instead\n"
    )
    #expect(project.run("diff", "--output", "@/update.sql", "@/a.db", "@/b.db").code == .found)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `tables that are not compared are named on standard error`() throws {
    try project.execute(
      "CREATE VIRTUAL TABLE words USING fts5(a, content = '')", "@/a.db")
    let run = project.run("diff", "@/a.db", "@/a.db")
    #expect(run.code == .success)
    #expect(
      run.messages
        == "sluice: note: The rows of words are not compared: it does not store its content\n")
  }

  @Test func `invalid arguments and files are reported`() throws {
    #expect(project.run("diff", "@/a.db").messages.contains("TO is missing"))
    #expect(
      project.run("diff", "--summary", "--output", "@/x", "@/a.db", "@/b.db").code == .usage)
    #expect(
      project.run("diff", "@/a.db", "@/gone.db").messages
        == "sluice: error: @/gone.db does not exist\n")
    try project.write("no database at all", "@/text.db")
    #expect(project.run("diff", "@/text.db", "@/a.db").code == .failure)
    try project.execute("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a)", "@/wide.db")
    #expect(
      project.run("diff", "@/a.db", "@/wide.db").messages
        == "sluice: error: The databases cannot be compared: their text has different encodings\n")
    try project.execute(
      "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a); INSERT INTO t VALUES ('é')", "@/wide2.db")
    #expect(
      project.run("diff", "@/wide.db", "@/wide2.db").output.contains(
        "INSERT INTO \"t\"(rowid, \"a\") VALUES (1, 'é');"))
  }
}
