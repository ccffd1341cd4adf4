import Foundation
import Sluice
import SluiceSQL

/// The command `sluice generate`, which writes Swift code for the migrations and queries of a folder.
struct Generate: Command {
  let name = "generate"
  let summary = "Writes the Swift code for the migrations and queries of a folder."
  let operands = [
    Operand(name: "FOLDER", help: "The folder with Migrations, Queries and Declarations.sql.")
  ]
  let options = [
    Option(
      name: "--output", value: "FOLDER", help: "The folder for the code, which must exist."),
    Option(
      name: "--only", value: "FILE",
      help:
        "Only the code for this file of Queries, or, for Shared,\nonly the code that files share: migrations and rows."
    ),
    .json,
  ]
  let details = """
    The migrations are applied to a database in memory, and each query is prepared there. Errors
    go to standard error as file:line:column, and no code is written for a file with an error. Code
    that has not changed is not written again.
    """

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    guard let output = arguments.value(of: options[0]) else {
      throw arguments.usageError("--output is missing")
    }
    let project = Project(folder: try projectFolder(arguments.operands[0]))
    let only = arguments.value(of: options[1])
    let files = project.queryFiles.map(\.lastPathComponent) + [ProjectCheck.shared]
    if let only, !files.contains(only) {
      throw UsageError.unknown("file", only, files, self)
    }
    var check = ProjectCheck(project, only: only)
    let result = try check.run()
    var written: [String] = []
    for (name, code) in result.code {
      let file = URL(fileURLWithPath: output).appendingPathComponent(name)
      written.append(file.path)
      // A file that cannot be read counts as changed.
      guard (try? Data(contentsOf: file)) != Data(code.utf8) else { continue }
      do { try Data(code.utf8).write(to: file, options: .atomic) } catch {
        throw Failure("\(file.path) cannot be written")
      }
    }
    return try console.report(result.diagnostics, files: written, arguments)
  }
}
