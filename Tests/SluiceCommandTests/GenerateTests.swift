import Foundation
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice generate` {
  let project: ProjectFolder

  init() throws {
    project = try ProjectFolder()
    try project.write(`sluice check`.right, "@/Queries/people.sql")
    try project.write("-- @query cities\nSELECT name FROM city;", "@/Queries/cities.sql")
    try project.write("", "@/Code/note.txt")
  }

  /// The names of the generated files.
  private var files: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: project.full("@/Code"))
        .filter { $0 != "note.txt" }.sorted()
    }
  }

  private func date(_ file: String) throws -> Date? {
    let path = project.full("@/Code/\(file)")
    return try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
  }

  @Test func `generate writes a shared file and one file for each query file`() throws {
    let run = project.run("generate", "--output", "@/Code", "@")
    #expect(run.code == .success)
    #expect(run.output.isEmpty)
    #expect(run.messages.isEmpty)
    #expect(
      try files == ["Shared.generated.swift", "cities.sql.swift", "people.sql.swift"])
    let code = try String(contentsOfFile: project.full("@/Code/cities.sql.swift"), encoding: .utf8)
    #expect(code.hasPrefix("// Generated from cities.sql; edit the SQL instead.\n"))
    #expect(code.contains("  func cities() throws -> [String] {\n"))
  }

  @Test func `generate writes only the file that --only names`() throws {
    #expect(project.run("generate", "--output=@/Code", "--only=cities.sql", "@").code == .success)
    #expect(try files == ["cities.sql.swift"])
    #expect(project.run("generate", "--output=@/Code", "--only=Shared", "@").code == .success)
    #expect(try files == ["Shared.generated.swift", "cities.sql.swift"])
  }

  @Test func `generate rejects an unknown file name and suggests a similar name`() throws {
    let run = project.run("generate", "--output=@/Code", "--only=citis.sql", "@")
    #expect(run.code == .usage)
    #expect(
      run.messages.hasPrefix("sluice: error: There is no file citis.sql; did you mean cities.sql?"))
    #expect(try files == [])
  }

  @Test func `generate does not rewrite unchanged files`() throws {
    let first = project.run("generate", "--json", "--output", "@/Code", "@")
    #expect(
      first.output == """
        {"diagnostics":[],"files":["@/Code/Shared.generated.swift","@/Code/cities.sql.swift",\
        "@/Code/people.sql.swift"]}

        """)
    let past = Date(timeIntervalSince1970: 1_000_000)
    for file in try files {
      try FileManager.default.setAttributes(
        [.modificationDate: past], ofItemAtPath: project.full("@/Code/\(file)"))
    }
    try project.write("-- @query towns\nSELECT name FROM city;", "@/Queries/cities.sql")
    #expect(project.run("generate", "--json", "--output", "@/Code", "@") == first)
    #expect(try date("people.sql.swift") == past)
    #expect(try date("Shared.generated.swift") == past)
    #expect(try date("cities.sql.swift") != past)
  }

  @Test func `generate skips a file with errors and writes the others`() throws {
    try project.write(`sluice check`.wrong, "@/Queries/people.sql")
    let run = project.run("generate", "--output", "@/Code", "@")
    #expect(run.code == .found)
    #expect(run.messages.contains("@/Queries/people.sql:2:12: error: no such column: nmae"))
    #expect(try files == ["Shared.generated.swift", "cities.sql.swift"])
  }

  @Test func `generate reports queries as unchecked if a migration fails`() throws {
    try project.write("CREATE TABLE person(id);", "@/Migrations/0003_again.sql")
    let run = project.run("generate", "--output=@/Code", "--only=cities.sql", "@")
    #expect(run.code == .found)
    #expect(
      run.messages
        == """
        @/Migrations/0003_again.sql:1:14: error: table person already exists
        CREATE TABLE person(id);
                     ^
        @/Queries/cities.sql:1:1: error: the queries are not checked until the migrations are correct

        """)
    #expect(try files == [])
  }

  @Test func `generate requires an existing output folder`() throws {
    let missing = project.run("generate", "@")
    #expect(missing.code == .usage)
    #expect(missing.messages.hasPrefix("sluice: error: --output is missing"))
    let gone = project.run("generate", "--output=@/gone", "@")
    #expect(gone.code == .failure)
    #expect(
      gone.messages == "sluice: error: @/gone/Shared.generated.swift cannot be written\n")
  }

  @Test func `generate draws the schema in the format that Declarations.sql requests`() throws {
    try project.write("-- @diagram mermaid", "@/Declarations.sql")
    let run = project.run("generate", "--json", "--output=@/Code", "--only=Shared", "@")
    #expect(run.output.contains("\"@/Code/Schema.mmd\""))
    #expect(try files == ["Schema.mmd", "Shared.generated.swift"])
    let drawn = try String(contentsOfFile: project.full("@/Code/Schema.mmd"), encoding: .utf8)
    #expect(drawn == project.run("schema", "--format=mermaid", "@/Migrations").output)
    #expect(drawn.contains("city"))
    try project.write("ALTER TABLE city ADD COLUMN size INTEGER;", "@/Migrations/0003_size.sql")
    #expect(project.run("generate", "--output=@/Code", "@").code == .success)
    let redrawn = try String(contentsOfFile: project.full("@/Code/Schema.mmd"), encoding: .utf8)
    #expect(redrawn != drawn && redrawn.contains("size"))
    try project.write("-- @diagram svg", "@/Declarations.sql")
    #expect(project.run("generate", "--output=@/Code", "--only=Shared", "@").code == .success)
    #expect(try files.filter { $0.hasPrefix("Schema") } == ["Schema.svg"])
    try project.write("", "@/Declarations.sql")
    #expect(project.run("generate", "--output=@/Code", "--only=Shared", "@").code == .success)
    #expect(try files.filter { $0.hasPrefix("Schema") } == [])
  }
}
