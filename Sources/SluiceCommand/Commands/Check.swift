import Foundation
import Sluice
import SluiceSQL

/// The command `sluice check`, which checks the migrations and queries in a folder.
struct Check: Command {
  let name = "check"
  let summary = "Checks the migrations and queries in a folder, using SQLite."
  let operands = [
    Operand(
      name: "FOLDER", help: "The folder that contains Migrations, Queries and Declarations.sql.")
  ]
  let options: [Option] = [.json]
  let details = """
    The migrations are applied to an in-memory database, and each query is prepared there. Errors
    are written to standard error in the form file:line:column: error: message.
    """

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let folder = try projectFolder(arguments.operands[0])
    var check = ProjectCheck(Project(folder: folder), only: nil)
    let result = try check.run()
    let code = try console.report(result.diagnostics, files: [], arguments)
    if code == .success, !arguments.has(.json) {
      try console.write(
        "Queries: \(result.queryCount), migrations: \(result.migrationCount). No errors found.\n")
    }
    return code
  }
}

/// Returns the folder at `path`; throws if it contains neither `Migrations` nor `Queries`.
func projectFolder(_ path: String) throws -> URL {
  let folder = URL(fileURLWithPath: path, isDirectory: true)
  let names = ["Migrations", "Queries"].map { folder.appendingPathComponent($0).path }
  guard names.contains(where: { FileManager.default.fileExists(atPath: $0) }) else {
    throw Failure("\(path) contains neither a Migrations folder nor a Queries folder")
  }
  return folder
}

extension Console {
  /// Reports diagnostics as lines on standard error, or as JSON.
  func report(
    _ diagnostics: [Diagnostic], files: [String], _ arguments: Arguments
  ) throws -> ExitCode {
    if arguments.has(.json) {
      try write(json: Report(diagnostics: diagnostics.map(Report.Entry.init), files: files))
    } else {
      // Write all lines in one call: when one command of a build fails, the build terminates the other commands,
      // perhaps between two lines.
      tell(diagnostics.map { "\($0)\n" }.joined())
    }
    return diagnostics.contains { $0.severity == .error } ? .found : .success
  }
}

/// The output of `--json`.
private struct Report: Encodable {
  struct Entry: Encodable {
    let file: String
    let line: Int
    let column: Int
    let severity: String
    let message: String

    init(_ diagnostic: Diagnostic) {
      file = diagnostic.path
      line = diagnostic.line
      column = diagnostic.column
      severity = diagnostic.severity.rawValue
      message = diagnostic.message
    }
  }

  let diagnostics: [Entry]
  /// The files that contain the generated code.
  let files: [String]
}
