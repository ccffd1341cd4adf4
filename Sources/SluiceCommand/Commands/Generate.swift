import Foundation
import Sluice
import SluiceData
import SluiceSQL

/// The command `sluice generate`, which generates Swift code for the migrations and queries in a folder.
struct Generate: Command {
  let name = "generate"
  let summary = "Generates Swift code for the migrations and queries in a folder."
  let operands = [
    Operand(
      name: "FOLDER", kind: .folder,
      help: "The folder that contains Migrations, Queries and Declarations.sql.")
  ]
  let options = [
    Option(
      name: "--output", value: "FOLDER", kind: .folder,
      help: "Write the code to this folder, which must exist."),
    Option(
      name: "--only", value: "FILE",
      help:
        "Generate only the code for this file in Queries. With \"Shared\", generate only the code "
        + "that the files share: migrations and rows."
    ),
    .json,
  ]
  let details = """
    The migrations are applied to an in-memory database, and each query is prepared there. Errors
    are written to standard error in the form file:line:column: error: message. No code is written
    for a file with an error. Files whose code has not changed are not rewritten.
    """

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    guard let output = arguments.value(of: options[0]) else {
      throw arguments.usageError("--output is missing")
    }
    let project = Project(folder: try projectFolder(arguments.operands[0]))
    let only = arguments.value(of: options[1])
    let names = project.queryFiles.map(\.lastPathComponent) + [ProjectCheck.shared]
    if let only, !names.contains(only) {
      throw UsageError.unknown("file", only, names, self)
    }
    var check = ProjectCheck(project, only: only)
    let result = try check.run()
    let folder = URL(fileURLWithPath: output)
    var files = result.code
    if only == nil || only == ProjectCheck.shared {
      files += try diagram(of: result, in: project, removingOthersFrom: folder)
    }
    var written: [String] = []
    for (name, code) in files {
      let file = folder.appendingPathComponent(name)
      written.append(file.path)
      // A file that cannot be read counts as changed.
      guard (try? Data(contentsOf: file)) != Data(code.utf8) else { continue }
      do { try Data(code.utf8).write(to: file, options: .atomic) } catch {
        throw Failure("\(file.path) cannot be written")
      }
    }
    return try console.report(result.diagnostics, files: written, arguments)
  }

  /// Returns the diagram that `Declarations.sql` requests, and removes diagrams that it no longer requests.
  private func diagram(
    of result: ProjectCheck.Result, in project: Project, removingOthersFrom folder: URL
  ) throws -> [(file: String, code: String)] {
    let format = project.declarations.diagram
    for other in DiagramFormat.allCases where other != format {
      // A file that is not there needs no removal.
      try? FileManager.default.removeItem(at: folder.appendingPathComponent(other.file))
    }
    guard let format, let connection = result.schema?.connection else { return [] }
    return [(format.file, format.text(of: try connection.schemaDiagram()))]
  }
}
