import Foundation
import Sluice
import SluiceCommand
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `sluice dump and load` {
  let project: ProjectFolder

  init() throws { project = try ProjectFolder.migrated() }

  @Test func `a dump is loaded as the same database`() throws {
    try project.execute(
      "INSERT INTO city VALUES (1, 'São Paulo'); INSERT INTO person(name, city) VALUES ('O''Hara', 1)"
    )
    let before = try project.bytes["app.db"]
    let dump = project.run("dump", "@/app.db")
    #expect(dump.code == .success)
    #expect(dump.messages == "")
    #expect(dump.output.hasSuffix("COMMIT;\n"))
    #expect(project.run("dump", "@/app.db", "@/dump.sql").isSilent)
    #expect(try project.bytes["dump.sql"] == Data(dump.output.utf8))
    #expect(project.run("load", "@/copy.db", "@/dump.sql").isSilent)
    #expect(project.run("dump", "@/copy.db") == dump)
    #expect(project.run(["load", "@/other.db"], input: dump.output).isSilent)
    #expect(project.run(["load", "@/third.db", "-"], input: dump.output).isSilent)
    #expect(project.run("dump", "@/other.db", "-") == dump)
    #expect(try project.bytes["app.db"] == before)
  }

  @Test func `a file is replaced only if --overwrite is given`() throws {
    try project.write("kept", "@/dump.sql")
    let run = project.run("dump", "@/app.db", "@/dump.sql")
    #expect(run.code == .failure)
    #expect(run.messages == "sluice: error: @/dump.sql exists; pass --overwrite to replace it\n")
    #expect(try project.bytes["dump.sql"] == Data("kept".utf8))
    #expect(project.run("dump", "--overwrite", "@/app.db", "@/dump.sql").isSilent)
    #expect(try project.bytes["dump.sql"] == Data(project.run("dump", "@/app.db").output.utf8))
  }

  @Test func `a database is never replaced by its own rows or SQL`() throws {
    let before = try project.bytes["app.db"]
    for arguments in [
      ["dump", "--overwrite", "@/app.db", "@/app.db"],
      ["dump", "--overwrite", "@/app.db", "@/app.db-wal"],
      ["export", "--overwrite", "--format=csv", "@/app.db", "city", "@/app.db"],
      ["import", "--format=csv", "--refused=@/app.db", "@/app.db", "city", "-"],
    ] {
      let run = project.run(arguments, input: "id,name\n1,\n")
      #expect(run.code == .failure, "\(arguments)")
      #expect(try project.bytes["app.db"] == before)
    }
  }

  @Test func `a load that fails leaves neither a new database nor its journal`() throws {
    let run = project.run(
      ["load", "@/new.db"], input: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1), (1);")
    #expect(run.code == .failure)
    #expect(try project.bytes.keys.filter { $0.hasPrefix("new.db") }.isEmpty)
  }

  /// Starts a load of a new database, and returns its process when a part of the database is written.
  private func startedLoad() async throws -> Process {
    try await started(
      ["load", project.full("@/new.db"), "-"],
      "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(5000000));\n"
        + String(repeating: "-- The end is missing.\n", count: 20_000))
  }

  /// Starts an import into a new database, and returns its process when a part of the database is written.
  private func startedImport() async throws -> Process {
    try await started(
      ["import", "--create", "--format", "csv", project.full("@/new.db"), "t", "-"],
      "a\n" + String(repeating: "The end is missing.\n", count: 200_000))
  }

  private func started(_ arguments: [String], _ text: String) async throws -> Process {
    let process = Process()
    process.executableURL = Program.products.appending(path: "sluice")
    process.arguments = arguments
    let input = Pipe()
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    try process.run()
    // The program reads its input in parts of 128 KB, and waits for the end.
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    while process.isRunning, try !project.bytes.keys.contains(where: { $0.hasSuffix("-journal") }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    return process
  }

  private func end(_ process: Process, by signal: Int32) async throws {
    kill(process.processIdentifier, signal)
    while process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
    #expect(process.terminationStatus != 0)
  }

  @Test(.timeLimit(.minutes(10))) func `a signal leaves no unfinished files`() async throws {
    // A program inherits the signals that its parent ignores; nohup and shells never ignore this one.
    try await end(startedLoad(), by: SIGTERM)
    #expect(try project.bytes.keys.filter { $0.hasPrefix("new.db") }.isEmpty)
  }

  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func `a killed load or import leaves no database with the name`(isLoad: Bool) async throws {
    try await end(isLoad ? startedLoad() : startedImport(), by: SIGKILL)
    let left = try project.bytes.keys
    #expect(!left.isEmpty && !left.contains("new.db") && !left.contains("new.db-journal"))
    // The files that remain do not disturb the next load.
    #expect(project.run(["load", "@/new.db"], input: "CREATE TABLE t(a);").code == .success)
    #expect(try Connection(path: project.full("@/new.db")).tables().map(\.name) == ["t"])
  }

  @Test func `a new database replaces no file that appears meanwhile, and follows a link`() throws {
    let link = project.full("@/link.db")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: project.full("@/target.db"))
    #expect(project.run(["load", "@/link.db"], input: "CREATE TABLE t(a);").code == .success)
    #expect(try Connection(path: project.full("@/target.db")).tables().map(\.name) == ["t"])
    let other = project.full("@/other.db")
    try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: "lost.db")
    #expect(project.run(["load", "@/other.db"], input: "SELECT none").code == .failure)
    #expect(try !project.bytes.keys.contains { $0.hasPrefix("lost.db") })
    // The file appears while the script is read.
    let path = project.full("@/new.db")
    var parts = [Data("CREATE TABLE t(a);".utf8), Data()]
    var messages = Data()
    let console = Console(
      output: { _ in }, messages: { messages += $0 }, input: { Data() },
      inputPart: {
        if parts.count == 1 { try Data("other".utf8).write(to: URL(filePath: path)) }
        return parts.removeFirst()
      })
    #expect(SluiceCommand.run(["load", path], console) == .failure)
    #expect(String(decoding: messages, as: UTF8.self).contains("was created by another program"))
    #expect(try project.bytes["new.db"] == Data("other".utf8))
    #expect(try project.bytes.keys.filter { $0.hasPrefix("new.db") } == ["new.db"])
  }

  @Test func `a script that fails changes nothing and names its line`() throws {
    try project.write("CREATE TABLE t(a);\n\nINSERT INTO t VALUES (1, 2);", "@/bad.sql")
    let before = try project.bytes
    let run = project.run("load", "@/app.db", "@/bad.sql")
    #expect(run.code == .failure)
    #expect(
      run.messages == """
        @/bad.sql:3:1: error: table t has 1 columns but 2 values were supplied
        INSERT INTO t VALUES (1, 2);
        ^

        """)
    #expect(project.run("load", "@/new.db", "@/bad.sql") == run)
    let attach = project.run(["load", "@/new.db"], input: "ATTACH '@/x.db' AS x")
    #expect(
      attach.messages == """
        <stdin>:1:1: error: A script cannot attach or detach files
        ATTACH '@/x.db' AS x
        ^

        """)
    #expect(try project.bytes == before)
  }

  @Test func `missing and unsuitable files are reported`() throws {
    try project.write("no database", "@/text")
    for (arguments, message) in [
      (["dump", "@/missing.db"], "@/missing.db does not exist"),
      (["dump", "@/text"], "@/text is not an SQLite database, or is encrypted"),
      (["dump", "@/app.db", "@/no/dump.sql"], "@/no/dump.sql cannot be created"),
      (["load", "@/app.db", "@/missing.sql"], "@/missing.sql cannot be read"),
      (["load", "@/text", "@/text"], "@/text is not an SQLite database, or is encrypted"),
      (["load", "@/no/app.db", "@/text"], "@/no/app.db cannot be created"),
      (["load", "", "@/text"], "The path of the database must not be empty"),
    ] {
      let run = project.run(arguments)
      #expect(run.code == .failure)
      #expect(run.messages == "sluice: error: \(message)\n")
    }
    #expect(project.run("dump").code == .usage)
    #expect(project.run("load").code == .usage)
  }
}

extension Run {
  /// Whether the run succeeded and printed nothing.
  fileprivate var isSilent: Bool { code == .success && output.isEmpty && messages.isEmpty }
}
