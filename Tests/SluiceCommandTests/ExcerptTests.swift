import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `the SQL below an error` {
  let project: ProjectFolder

  init() throws { project = try ProjectFolder.migrated() }

  /// Returns the line and the caret that follow the error of a statement.
  private func excerpt(_ sql: String, columns: Int? = nil) -> [String] {
    let run = Run(
      ["explain", project.full("@/app.db"), sql],
      messages: Terminal(
        isTerminal: columns != nil, columns: columns, environment: ["NO_COLOR": "1"]))
    #expect(run.code == .failure)
    return run.messages.split(separator: "\n").dropFirst().map(String.init)
  }

  @Test(arguments: [
    ("SELECT x", "SELECT x", 7),
    ("SELECT 'äöü', x", "SELECT 'äöü', x", 14),
    // An ideograph and an emoji take two columns each, and a combining accent none.
    ("SELECT '日🙂e\u{301}', x", "SELECT '日🙂e\u{301}', x", 16),
    ("\tSELECT\tx", "        SELECT  x", 16),
    ("SELECT '\u{1b}[2J', x", "SELECT '\\u{1b}[2J', x", 20),
    ("SELECT 1,\r\nx,\r\n2", "x,", 0),
    ("SELECT (1", "SELECT (1", 9),
  ]) func `the caret stands below the character of the error`(
    sql: String, line: String, column: Int
  ) {
    #expect(excerpt(sql) == [line, String(repeating: " ", count: column) + "^"])
  }

  @Test func `a line is cut on both sides of the error to fit the terminal`() {
    let numbers = (100...400).map { "\($0)" }.joined(separator: ", ")
    for columns in [nil, 40, 60] {
      let width = columns ?? 80
      for sql in [
        "SELECT \(numbers), x, \(numbers)", "SELECT x, \(numbers)", "SELECT \(numbers), x",
      ] {
        let lines = excerpt(sql, columns: columns)
        #expect(lines.count == 2)
        #expect(lines[0].count <= width && lines[0].count > width - 8, "\(lines)")
        #expect(lines[0].dropFirst(lines[1].count - 1).first == "x")
        #expect(lines[1].hasSuffix(" ^"))
        #expect(lines[0].hasPrefix("…") == !sql.hasPrefix("SELECT x"))
        #expect(lines[0].hasSuffix("…") == !sql.hasSuffix("x"))
      }
    }
  }

  @Test func `a line of megabytes in a script is cut`() throws {
    let rows = String(repeating: "(1), ", count: 60_000)
    try project.write(
      "CREATE TABLE t(amount); INSERT INTO t VALUES \(rows)(x.y), \(rows)(1);\n", "@/a.sql")
    let run = project.run("load", "@/new.db", "@/a.sql")
    let lines = run.messages.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0] == "@/a.sql:1:300047: error: no such column: x.y")
    #expect(lines[1].count == 80)
    #expect(lines[1].hasPrefix("…") && lines[1].hasSuffix("…"))
    #expect(lines[1].dropFirst(lines[2].count - 1).first == "x")
  }

  @Test func `a file shows the whole line of a statement, and standard input the statement`() throws
  {
    let script = "\u{feff}CREATE TABLE t(a);  INSERT INTO u VALUES (1);"
    try project.write(script, "@/a.sql")
    #expect(
      project.run("load", "@/new.db", "@/a.sql").messages == """
        @/a.sql:1:33: error: no such table: u; did you mean t?
        CREATE TABLE t(a);  INSERT INTO u VALUES (1);
                                        ^

        """)
    #expect(
      project.run("load", "@/new.db", input: script).messages == """
        <stdin>:1:33: error: no such table: u; did you mean t?
        …INSERT INTO u VALUES (1)
                     ^

        """)
    #expect(
      project.run("load", "@/new.db", input: "\u{feff}INSERT INTO t VALUES (1)").messages == """
        <stdin>:1:13: error: no such table: t
        INSERT INTO t VALUES (1)
                    ^

        """)
  }

  @Test func `an error of a script without a position in SQL is reported at its statement`() throws
  {
    try project.write(
      "CREATE TABLE t(a UNIQUE);\n\n  INSERT INTO t\n  VALUES (1), (1);", "@/a.sql")
    #expect(
      project.run("load", "@/new.db", "@/a.sql").messages == """
        @/a.sql:3:3: error: UNIQUE constraint failed: t.a
          INSERT INTO t
          ^

        """)
  }

  @Test func `an error in the second line of a statement has the position in that line`() throws {
    try project.write("CREATE TABLE t(a); INSERT INTO t\n  SELECT nme FROM t;", "@/a.sql")
    #expect(
      project.run("load", "@/new.db", "@/a.sql").messages == """
        @/a.sql:2:10: error: no such column: nme
          SELECT nme FROM t;
                 ^

        """)
  }

  @Test func `the JSON output of a command is not accompanied by SQL`() {
    #expect(
      project.run("explain", "--json", "@/app.db", "SELECT nme FROM city").messages
        == "sluice: error: no such column: nme; did you mean name?\n")
  }

  @Test func `an error in the schema of a database has no position in the SQL`() throws {
    let connection = try Connection(path: project.full("@/app.db"))
    try connection.addFunction("mine", options: [.deterministic, .usableInSchema]) { (a: Int) in a }
    try connection.execute(sql: "CREATE TABLE t(a, b AS (mine(a)))")
    try connection.close()
    for arguments in [["export", "@/app.db", "t"], ["explain", "@/app.db", "SELECT * FROM t"]] {
      #expect(project.run(arguments).messages == "sluice: error: unknown function: mine()\n")
    }
  }

  @Test func `a migration that names a missing table suggests one of the database`() throws {
    try project.write("SELECT 1;\nDELETE FROM persn;", "@/Migrations/0003_none.sql")
    #expect(
      project.run("migrate", "@/app.db", "@/Migrations").messages == """
        @/Migrations/0003_none.sql:2:1: error: Migration 3 "none": no such table: persn; did you mean person?
        DELETE FROM persn;
        ^

        """)
  }
}
