import Foundation
import Sluice
import SluiceSQL

/// The command `sluice check`, which checks the migrations and queries in a folder.
struct Check: Command {
  let name = "check"
  let summary = "Checks the migrations and queries in a folder, using SQLite."
  let operands = [
    Operand(
      name: "FOLDER", kind: .folder,
      help: "The folder that contains Migrations, Queries and Declarations.sql.")
  ]
  static let advise = Option(
    name: "--advise",
    help: "Find indexes that avoid scans and sorts; exit with status 1 if there are any.")
  static let database = Option(
    name: "--database", value: "FILE",
    kind: .file,
    help: "Measure the indexes on a copy of this database, and use its statistics.")
  static let verbose = Option(
    name: "--verbose",
    help: "Also name the queries that the analysis does not understand completely.")
  let options: [Option] = [advise, database, verbose, .json]
  let details = """
    The migrations are applied to an in-memory database, and each query is prepared there. Errors
    are written to standard error in the form file:line:column: error: message.

    With --advise, SQLite chooses from indexes on columns and expressions of the queries. The fewest
    indexes that avoid full scans, automatic indexes and temporary B-trees are printed as CREATE
    INDEX statements, with the queries that they serve. Queries with "-- @allow scans" are ignored.

    With --database, an index must also make a query at least twice as cheap in that database. The
    steps of SQLite's virtual machine are counted, with parameters taken from compared columns. The
    size of each index and its cost for each inserted row are measured, too.
    """

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let folder = try projectFolder(arguments.operands[0])
    let database = arguments.value(of: Self.database)
    guard database == nil || arguments.has(Self.advise) else {
      throw arguments.usageError("--database needs --advise")
    }
    let project = Project(folder: folder)
    var check = ProjectCheck(project, only: nil)
    let result = try check.run()
    let advice = arguments.has(Self.advise) ? try advice(project, result, database) : nil
    let notes = arguments.has(Self.verbose) ? result.notes : []
    let code = try console.report(result.diagnostics + notes, files: [], advice: advice, arguments)
    guard code == .success else { return code }
    if !arguments.has(.json) {
      try console.write(
        (advice?.text ?? "")
          + "Queries: \(result.queryCount), migrations: \(result.migrationCount). No errors found.\n"
      )
    }
    return advice?.indexes.isEmpty == false ? .found : .success
  }

  /// Returns the advice for a check; nil if the check found errors.
  private func advice(
    _ project: Project, _ result: ProjectCheck.Result, _ path: String?
  ) throws -> IndexAdvice? {
    guard let schema = result.schema, !result.diagnostics.contains(where: { $0.severity == .error })
    else { return nil }
    let database = try path.map { path in
      try DatabaseFile(path).read {
        try MeasuredDatabase(copying: $0, path: path, project, schema)
      }
    }
    return try IndexAdvisor(schema, result.queries, measuredOn: database).advice()
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
    _ diagnostics: [Diagnostic], files: [String], advice: IndexAdvice? = nil,
    _ arguments: Arguments
  ) throws -> ExitCode {
    if arguments.has(.json) {
      try write(
        json: Report(
          diagnostics: diagnostics.map(Report.Entry.init), files: files, advice: advice))
    } else {
      tell(diagnostics.map(Message.init))
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
  let advice: IndexAdvice?
}
