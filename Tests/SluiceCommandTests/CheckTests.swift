import Foundation
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice check` {
  let project: ProjectFolder

  init() throws { project = try ProjectFolder() }

  static let right = """
    -- @query adults
    SELECT id, name FROM person WHERE age >= 18;

    """
  static let wrong = """
    -- @query adults
    SELECT id, nmae FROM person WHERE age >= 18;

    -- @query everyone
    -- @warn scans
    SELECT name FROM person WHERE age > :age;

    """

  @Test func `check counts valid queries and migrations`() throws {
    try project.write(Self.right, "@/Queries/people.sql")
    let run = project.run("check", "@")
    #expect(run.code == .success)
    #expect(run.output == "Queries: 1, migrations: 2. No errors found.\n")
    #expect(run.messages.isEmpty)
    let json = project.run("check", "--json", "@")
    #expect(json.code == .success)
    #expect(json.output == "{\"diagnostics\":[],\"files\":[]}\n")
  }

  @Test func `with --verbose, check names the queries that it does not understand completely`()
    throws
  {
    try project.write(
      Self.right
        + "-- @query damage\n-- @column integrity_check: String?\nPRAGMA integrity_check;\n",
      "@/Queries/people.sql")
    #expect(project.run("check", "@").messages.isEmpty)
    let run = project.run("check", "--verbose", "@")
    #expect(run.code == .success)
    #expect(
      run.messages == """
        @/Queries/people.sql:3:11: note: all columns are optional, because the analysis cannot follow the instruction IntegrityCk
        -- @query damage
                  ^

        """)
    let json = project.run("check", "--verbose", "--json", "@")
    #expect(json.code == .success)
    #expect(json.output.contains("\"severity\":\"note\""))
  }

  @Test func `check reports errors and warnings with their positions and severity`() throws {
    try project.write(Self.wrong, "@/Queries/people.sql")
    let run = project.run("check", "@")
    #expect(run.code == .found)
    #expect(run.output.isEmpty)
    #expect(
      run.messages == """
        @/Queries/people.sql:2:12: error: no such column: nmae; did you mean name?
        SELECT id, nmae FROM person WHERE age >= 18;
                   ^
        @/Queries/people.sql:4:11: warning: full table scan: SCAN person; add an index, or "-- @allow scans"
        -- @query everyone
                  ^

        """)
    let json = project.run("check", "--json", "@")
    #expect(json.code == .found)
    #expect(json.messages.isEmpty)
    #expect(
      json.output == """
        {"diagnostics":[{"column":12,"file":"@/Queries/people.sql","line":2,"message":\
        "no such column: nmae; did you mean name?","severity":"error"},{"column":11,"file":\
        "@/Queries/people.sql","line":4,"message":\
        "full table scan: SCAN person; add an index, or \\"-- @allow scans\\"",\
        "severity":"warning"}],"files":[]}

        """)
  }

  @Test func `check succeeds if it finds only warnings`() throws {
    let scans = "-- @query everyone\n-- @warn scans\nSELECT name FROM person;"
    try project.write(scans, "@/Queries/people.sql")
    let run = project.run("check", "@")
    #expect(run.code == .success)
    #expect(run.messages.contains("warning: full table scan"))
    #expect(run.output == "Queries: 1, migrations: 2. No errors found.\n")
  }

  @Test func `check reports a failing migration and skips the queries`() throws {
    try project.write("CREATE TABLE person(id);", "@/Migrations/0003_again.sql")
    try project.write(Self.wrong, "@/Queries/people.sql")
    let run = project.run("check", "@")
    #expect(run.code == .found)
    #expect(
      run.messages == """
        @/Migrations/0003_again.sql:1:14: error: table person already exists
        CREATE TABLE person(id);
                     ^

        """)
  }

  @Test func `check fails for a folder that contains neither migrations nor queries`() throws {
    try project.write("", "@/empty/note.txt")
    let run = project.run("check", "@/empty")
    #expect(run.code == .failure)
    #expect(
      run.messages
        == "sluice: error: @/empty contains neither a Migrations folder nor a Queries folder\n")
    #expect(project.run("check", "@/gone").code == .failure)
  }

  @Test(arguments: [["check"], ["check", "@", "@"], ["check", "--output=@", "@"]])
  func `check rejects invalid arguments`(_ arguments: [String]) {
    #expect(Run(arguments.map(project.full)).code == .usage)
  }
}
