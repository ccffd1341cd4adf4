import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice new` {
  /// Creates files in `Migrations`, each with a statement.
  private func project(_ names: [String]) throws -> ProjectFolder {
    let project = try ProjectFolder([:])
    for name in names { try project.write("SELECT 1;", "@/Migrations/\(name).sql") }
    return project
  }

  @Test(arguments: [
    ([], "0001_trip"), (["0001_a"], "0002_trip"), (["1"], "2_trip"), (["01_a", "02_b"], "03_trip"),
    (["0001-0003_schema"], "0004_trip"), (["0001_a", "0002-0003_b", "0004_c"], "0005_trip"),
    ((1...9).map { "\($0)_a" }, "10_trip"), ((1...9).map { "0\($0)_a" }, "10_trip"),
  ]) func `the file of a migration has the next number`(names: [String], name: String) throws {
    let project = try project(names)
    let run = project.run("new", "trip", "@")
    #expect(run.output == "@/Migrations/\(name).sql\n")
    #expect(run.messages == "")
    #expect(run.code == .success)
    let check = project.run("check", "@")
    #expect(check.messages == "")
    #expect(check.output == "Queries: 0, migrations: \(names.count + 1). No errors found.\n")
    #expect(project.run("migrate", "--create", "@/a.db", "@/Migrations").code == .success)
  }

  @Test func `the name of a migration can be any name of a file`() throws {
    let project = try project([])
    for name in ["add age", "Größe", "connection", "2nd", "a.b", "'; DROP", "日本", "class"] {
      #expect(project.run("new", name, "@/").code == .success)
      #expect(project.run("check", "@").messages == "")
    }
  }

  @Test(arguments: [
    (["0001_a", "0003_c"], "Migration 3 is at the position of migration 2"),
    (["0001_a", "0001_b"], "Two migrations have the number 1"),
    (["0001-0003_a", "0003_b"], "Two migrations have the number 3"),
    (["a"], "The file name a.sql must begin with the number of a migration"),
  ]) func `files with gaps, duplicates or other names are reported`(
    names: [String], message: String
  ) throws {
    let project = try project(names)
    let run = project.run("new", "trip", "@")
    #expect(run.code == .failure)
    #expect(run.messages.hasPrefix("sluice: error: @/Migrations: \(message)"), "\(run.messages)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: project.full("@/Migrations")).count
        == names.count)
  }

  @Test func `the file of a query has its name, and passes the check`() throws {
    let project = try ProjectFolder()
    let run = project.run("new", "--query", "citiesOf", "@")
    #expect(run.output == "@/Queries/citiesOf.sql\n")
    #expect(run.code == .success)
    let check = project.run("check", "@")
    #expect(check.messages == "")
    #expect(check.output == "Queries: 1, migrations: 2. No errors found.\n")
    let again = project.run("new", "--query", "citiesOf", "@")
    #expect(again.messages == "sluice: error: @/Queries/citiesOf.sql exists\n")
    #expect(again.code == .failure)
    try project.write("-- @query other\nSELECT 1 AS a;", "@/Queries/more.sql")
    let twin = project.run("new", "--query", "other", "@")
    #expect(twin.messages == "sluice: error: more.sql already has a query named other\n")
    #expect(twin.code == .failure)
  }

  @Test func `a folder that is missing, or not a folder, is reported`() throws {
    let project = try ProjectFolder([:])
    #expect(project.run("new", "a", "@/none").messages == "sluice: error: @/none is not a folder\n")
    try project.write("", "@/Migrations")
    let run = project.run("new", "a", "@")
    #expect(run.code == .failure)
    #expect(
      run.messages
        == "sluice: error: The folder of @/Migrations/0001_a.sql cannot be created\n")
  }

  @Test func `without FOLDER, the file is created in the current folder`() throws {
    let project = try ProjectFolder()
    let process = Process()
    process.executableURL = Program.products.appending(path: "sluice")
    process.arguments = ["new", "trip"]
    process.currentDirectoryURL = URL(filePath: project.full("@"), directoryHint: .isDirectory)
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(String(decoding: output, as: UTF8.self) == "Migrations/0003_trip.sql\n")
    #expect(project.run("check", "@").output.contains("migrations: 3."))
  }
}
