import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice schema` {
  let project: ProjectFolder

  init() throws { project = try ProjectFolder() }

  static let text = """
    view adult
      name  TEXT
      age   INTEGER

    table city (strict)
      id    INTEGER  primary key
      name  TEXT     not null
      unique (name)

    table person
      id    INTEGER  primary key
      name  TEXT     not null, collate NOCASE
      city  INTEGER
      age   INTEGER  default 18
      foreign key (city) references city (id) on delete set null
      index person_city (city, name desc)
      trigger aging

    """

  @Test func `schema shows the record of migrations only by name`() throws {
    let project = try ProjectFolder.migrated()
    for option in ["--sql", "--json", "--format=mermaid", "--format=svg", "--format=dot"] {
      #expect(!project.run("schema", option, "@/app.db").output.contains("sluice_migration"))
      let named = project.run("schema", option, "--table=sluice_migration", "@/app.db")
      #expect(named.output.contains("sluice_migration"))
    }
  }

  @Test func `schema shows the tables and views of a database or migrations folder`() throws {
    let project = try ProjectFolder.migrated()
    let run = project.run("schema", "@/app.db")
    #expect(run.code == .success)
    #expect(run.output == Self.text)
    #expect(project.run("schema", "@/Migrations") == run)
    let one = project.run("schema", "--table", "CITY", "--table=adult", "@/app.db")
    #expect(
      one.output == """
        table city (strict)
          id    INTEGER  primary key
          name  TEXT     not null
          unique (name)

        view adult
          name  TEXT
          age   INTEGER

        """)
  }

  @Test func `the JSON of schema contains columns, indexes and triggers`() throws {
    try project.execute(
      "CREATE TABLE t(a INT, b TEXT AS (a) STORED, UNIQUE(a, b DESC)); CREATE INDEX i ON t(abs(a)) WHERE a > 1;"
        + "CREATE TRIGGER tr AFTER DELETE ON t BEGIN SELECT 1; END")
    let run = project.run("schema", "--json", "@/app.db")
    #expect(
      run.output == """
        {"tables":[{"columns":[{"collation":"BINARY","isGenerated":false,"isHidden":false,\
        "isNotNull":false,"name":"a","type":"INT"},{"collation":"BINARY","isGenerated":true,\
        "isHidden":false,"isNotNull":false,"name":"b","type":"TEXT"}],"foreignKeys":[],"indexes":\
        [{"isPartial":false,"isUnique":true,"name":"sqlite_autoindex_t_1","origin":"unique","terms":\
        [{"collation":"BINARY","column":"a","isDescending":false},{"collation":"BINARY","column":"b",\
        "isDescending":true}]},{"isPartial":true,"isUnique":false,"name":"i","origin":"statement",\
        "sql":"CREATE INDEX i ON t(abs(a)) WHERE a > 1","terms":[{"collation":"BINARY",\
        "isDescending":false}]}],"isStrict":false,"isWithoutRowid":false,"kind":"table","name":"t",\
        "sql":"CREATE TABLE t(a INT, b TEXT AS (a) STORED, UNIQUE(a, b DESC))","triggers":[{"name":"tr",\
        "sql":"CREATE TRIGGER tr AFTER DELETE ON t BEGIN SELECT 1; END"}]}]}

        """)
    #expect(
      project.run("schema", "@/app.db").output == """
        table t
          a  INT
          b  TEXT  generated
          unique (a, b desc)
          index i (an expression), partial
          trigger tr

        """)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `the output of schema --sql re-creates the same schema`() throws {
    let project = try ProjectFolder.migrated()
    try project.execute(
      "CREATE VIRTUAL TABLE note USING fts5(text); CREATE TABLE odd(a -- one\n, b);"
        + "CREATE VIEW last AS SELECT 1 AS a -- the end\n")
    let run = project.run("schema", "--sql", "@/app.db")
    #expect(run.code == .success)
    try project.execute(run.output, "@/copy.db")
    #expect(project.run("schema", "@/copy.db") == project.run("schema", "@/app.db"))
    #expect(!run.output.contains("note_data"))
    #expect(
      project.run("schema", "--table", "note", "@/app.db").output
        == "virtual table note\n  text\n  note  hidden\n  rank  hidden\n")
  }

  @Test func `schema lists the other tables despite a broken view`() throws {
    try project.execute(
      "CREATE TABLE gone(a); CREATE VIEW broken AS SELECT a FROM gone; CREATE TABLE whole(a)")
    try project.execute("PRAGMA legacy_alter_table = ON; DROP TABLE gone")
    let run = project.run("schema", "@/app.db")
    #expect(run.code == .success)
    #expect(
      run.output == """
        view broken
          (no such table: main.gone)

        table whole
          a

        """)
  }

  @Test func `schema reports a missing table and suggests the nearest name`() throws {
    let project = try ProjectFolder.migrated()
    let run = project.run("schema", "--table", "persn", "@/app.db")
    #expect(run.code == .failure)
    #expect(
      run.messages == "sluice: error: There is no table or view persn; did you mean person?\n")
    #expect(
      project.run("schema", "--table", "x'y\"z", "@/app.db").messages
        == "sluice: error: There is no table or view x'y\"z\n")
  }

  @Test func `schema escapes control characters in names`() throws {
    try project.execute("CREATE TABLE \"a\nb\u{1B}[2J\"(\"c\nd\" \"e\nf\")")
    #expect(
      project.run("schema", "@/app.db").output == "table a\\nb\\u{1b}[2J\n  c\\nd  e\\nf\n")
  }
}
