import Foundation
import Sluice
import SluiceData

/// The command `sluice dump`, which writes a database as SQL.
struct DumpCommand: Command {
  let name = "dump"
  let summary = "Writes a database as SQL that creates the same database again."
  let details = """
    The database is opened read-only, and the SQL shows one state of it, except for its page size
    and journal mode. "sluice load" and the sqlite3 shell read the SQL. If the database has virtual
    tables, such as FTS5 tables, newer shells need the option --unsafe-testing.
    """
  let operands = [
    Operand(name: "DATABASE", kind: .file, help: "The database file."),
    Operand(
      name: "FILE", kind: .file, help: "The file to create; by default, standard output.",
      isRequired: false),
  ]
  static let overwrite = Option(name: "--overwrite", help: "Replace FILE if it exists.")
  let options = [overwrite]

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let database = try DatabaseFile(arguments.operands[0])
    guard let path = arguments.operands.dropFirst().first, path != "-" else {
      try write(database, to: console)
      return .success
    }
    let overwriting = arguments.has(Self.overwrite)
    guard overwriting || !FileManager.default.fileExists(atPath: path) else {
      throw Failure("\(path) exists; pass --overwrite to replace it")
    }
    let file = try NewFile(URL(filePath: path), overwriting: overwriting)
    do {
      try database.read { connection in
        try connection.refuseOwnFile(URL(filePath: path))
        try file.restart()
        try console.showingProgress(of: "dump") { bar in
          try connection.dump(progress: bar.update, to: file.write)
        }
      }
      try file.complete()
    } catch {
      file.abandon()
      throw error
    }
    return .success
  }

  private func write(_ database: DatabaseFile, to console: Console) throws {
    var hasWritten = false
    try database.read { connection in
      // Output cannot be taken back. Without its end, a dump is refused.
      guard !hasWritten else { throw Failure("\(database.path) changed while it was read") }
      try console.showingProgress(of: "dump") { bar in
        // The line would be in the midst of the output on a terminal.
        try connection.dump(progress: console.outputTerminal.isTerminal ? nil : bar.update) {
          piece in
          hasWritten = true
          try console.write(data: piece)
        }
      }
    }
  }
}
