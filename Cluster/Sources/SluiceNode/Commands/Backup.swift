import Foundation
import SluiceCluster

extension Option {
  static let database = Option(
    name: "--database", value: "NAME", help: "The name of the database in the cluster.")
}

/// Copies a database to a file.
struct Backup: Command {
  private static let to = Option(name: "--to", value: "FILE", help: "The file, which is created.")
  private static let overwrite = Option(name: "--overwrite", help: "Replace an existing file.")
  private static let stale = Option(
    name: "--stale",
    help: "Use the copy of the first node that answers, which can lack the newest commits. This\n"
      + "works without a leader.")

  let name = "backup"
  let summary = "Copies a database to a file, which SQLite opens."
  let operands = "ADDRESS…"
  let options = [.database, Self.to, Self.overwrite, Self.stale, Option.timeout(3600)]
  let details = """
    The copy contains every change that was committed before the command began. A follower makes it, so
    the leader continues to work. The file appears when the copy is complete, and has been checked.
    """

  func run(_ arguments: Arguments) throws -> ExitCode {
    let (name, file) = (try arguments.required(.database), try arguments.required(Self.to))
    let overwriting = arguments.has(Self.overwrite)
    let deadline = try arguments.deadline(3600)
    let progress = ProgressLine("backup") { "\($0 >> 20) of \($1 >> 20) MB" }
    defer { progress.end() }
    do {
      if arguments.has(Self.stale) {
        try arguments.administrator.backup(
          name, to: file, overwriting: overwriting, deadline: deadline, progress: progress.update)
      } else {
        try Cluster(nodes: arguments.reachableNodes(), database: name).syncBackup(
          to: file, overwriting: overwriting, deadline: deadline, progress: progress.update)
      }
    } catch let error as SQLiteError {
      throw Failure(error.message.replacing("overwriting: true", with: Self.overwrite.name))
    }
    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
    try NodeProgram.write("\(file): \(size) bytes")
    return .success
  }
}

/// Copies a file into a database.
struct Restore: Command {
  private static let from = Option(
    name: "--from", value: "FILE", help: "The database file, which does not change.")

  let name = "restore"
  let summary = "Copies a database file into a new database of the cluster."
  let operands = "ADDRESS…"
  let options = [.database, Self.from, Option.timeout(86_400)]
  let details = """
    The database of the cluster must be empty. The copy consists of many transactions; until it is
    complete, programs cannot use the database. If the command ends early, repeat it with the same file:
    it continues where it has stopped.
    """

  func run(_ arguments: Arguments) throws -> ExitCode {
    let (name, file) = (try arguments.required(.database), try arguments.required(Self.from))
    let progress = ProgressLine("restore") { "\($0) of \($1) rows" }
    defer { progress.end() }
    try Cluster(nodes: arguments.reachableNodes(), database: name).syncRestore(
      from: file, deadline: arguments.deadline(86_400), progress: progress.update)
    try NodeProgram.write("\(name): \(progress.count) rows")
    return .success
  }
}
