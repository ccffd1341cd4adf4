import Foundation
import SluiceCluster

/// Writes a copy of a database to files.
struct Dump: Command {
  private static let database = Option(
    name: "--database", value: "NAME", help: "The name of the database in the cluster.")
  private static let output = Option(
    name: "--output", value: "DIR", help: "The folder for the files NAME and NAME-wal.")
  private static let stale = Option(
    name: "--stale",
    help: "Use the copy of the first node that answers, which can lack the newest commits. This\n"
      + "works without a leader.")

  let name = "dump"
  let summary = "Writes a copy of a database to two files, which SQLite opens."
  let operands = "ADDRESS…"
  let options = [Self.database, Self.output, Self.stale, .timeout(60)]
  let details = """
    SQLite needs both files: keep NAME-wal next to NAME until a program has opened NAME. Existing files
    are not replaced.
    """

  func run(_ arguments: Arguments) throws -> ExitCode {
    let name = try arguments.required(Self.database)
    guard !name.isEmpty, ![".", ".."].contains(name), !name.contains("/"), !name.utf8.contains(0)
    else {
      throw arguments.usageError(
        "\(Self.database.name) must be the name of a file (got \"\(name)\")")
    }
    let folder = try arguments.required(Self.output)
    let file = folder + "/" + name
    for path in [file, file + "-wal", file + "-shm", file + "-journal"]
    where FileManager.default.fileExists(atPath: path) {
      throw Failure("\(path) exists already; pass another folder or delete it")
    }
    let content = try content(of: name, arguments)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // The log is written first: a database without its log would open, and lack its newest rows.
      try Data(content.wal).write(to: URL(filePath: file + "-wal"), options: .withoutOverwriting)
      try Data(content.database).write(to: URL(filePath: file), options: .withoutOverwriting)
    } catch {
      throw Failure("\(file) cannot be written: \(error.localizedDescription)")
    }
    try NodeProgram.write("\(file): \(content.database.count) bytes")
    try NodeProgram.write("\(file)-wal: \(content.wal.count) bytes")
    return .success
  }

  private func content(
    of name: String, _ arguments: Arguments
  ) throws -> (database: [UInt8], wal: [UInt8]) {
    let deadline = try arguments.deadline(60)
    let administrator = try arguments.administrator
    guard arguments.has(Self.stale) else {
      return try administrator.dump(name, deadline: deadline)
    }
    var failures: [String] = []
    for node in administrator.nodes {
      do { return try administrator.dump(name, of: node, deadline: deadline) } catch {
        failures.append("\(error)")
      }
    }
    throw Failure(failures.joined(separator: "; "))
  }
}
