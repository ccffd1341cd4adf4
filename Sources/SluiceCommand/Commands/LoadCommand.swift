import Foundation
import Sluice
import SluiceData
import SluiceSQL

/// The command `sluice load`, which executes an SQL script.
struct LoadCommand: Command {
  let name = "load"
  let summary = "Executes an SQL script, such as a dump, in one transaction."
  let details = """
    The script comes from "sluice dump", from .dump in the sqlite3 shell, or from a text editor. If a
    statement fails, nothing is changed. A script can change only the database: it cannot attach
    files or load extensions. Foreign keys are not enforced.
    """
  let operands = [
    Operand(
      name: "DATABASE", kind: .file,
      help: "The database file, which is created if it does not exist."),
    Operand(
      name: "FILE", kind: .file, help: "The script; by default, standard input.", isRequired: false),
  ]
  let options: [Option] = []

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let path = arguments.operands[0]
    let isNew = !FileManager.default.fileExists(atPath: path)
    let file = arguments.operands.dropFirst().first.flatMap { $0 == "-" ? nil : $0 }
    if let file, !FileManager.default.isReadableFile(atPath: file) {
      throw Failure("\(file) cannot be read")
    }
    func load(_ draft: String) throws {
      let connection = try open(path, at: draft, isNew: isNew)
      func failing(_ error: SQLiteError, _ place: ScriptPlace) -> any Error {
        error.isOfDatabase ? error : Failure(error, place, of: file ?? "<stdin>", on: connection)
      }
      do {
        try console.showingProgress(of: "load") { bar in
          if let file {
            try connection.load(from: URL(filePath: file), progress: bar.update, failing: failing)
          } else {
            try connection.load(progress: bar.update, failing: failing, from: console.inputParts())
          }
        }
        try connection.close()
      } catch {
        // The error of the script is the one to report.
        try? connection.close()
        throw error
      }
    }
    do { try isNew ? NewDatabase.writing(path, load) : load(path) } catch let error as SQLiteError {
      throw Failure("\(error.isOfDatabase ? path : file ?? "<stdin>"): \(error.message)")
    }
    return .success
  }

  /// Opens the database, which is created at the path `draft` if it is new.
  private func open(_ path: String, at draft: String, isNew: Bool) throws -> Connection {
    guard isNew else {
      return try DatabaseFile(path).naming {
        try Connection(path: path, create: false, configuration: .ofCommand(writing: path))
      }
    }
    guard !path.isEmpty else { throw Failure("The path of the database must not be empty") }
    do { return try Connection(path: draft, configuration: .ofCommand) } catch {
      throw Failure("\(path) cannot be created")
    }
  }
}

extension Failure {
  /// Creates a failure for an error in a script, with its position and a suggestion.
  fileprivate init(
    _ error: SQLiteError, _ place: ScriptPlace, of file: String, on connection: Connection
  ) {
    // SQLite reports no position for some missing names.
    let offset = error.offset == nil ? Self.offset(of: error, in: place.sql) ?? 0 : 0
    let (line, column) = offset == 0 ? (1, 1) : place.sql.place(at: offset)
    let start = Place(
      file: file, line: place.line + line - 1,
      column: line == 1 ? place.column + column - 1 : column)
    let excerpt = Excerpt(
      place.sql.utf8, at: place.offset + offset, isBehindText: line == 1 && place.isBehindText)
    self.init(
      error.message + MissingName.suggestion(for: error.message, in: place.sql, on: connection),
      // Only a file that can be read again shows the statements before this one.
      at: start, Excerpt(of: start) ?? excerpt)
  }
}
