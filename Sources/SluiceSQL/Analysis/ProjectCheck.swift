import Foundation

/// Checks a folder, and makes the code for it.
package struct ProjectCheck {
  package struct Result {
    /// The code by the names of its files, without that of files with errors.
    package var code: [(file: String, code: String)] = []
    package var diagnostics: [Diagnostic] = []
    package var queryCount = 0
    package var migrationCount = 0
  }

  /// The name that stands for the code that all files with queries share.
  package static let shared = "Shared"
  /// The name of the file with the code for that.
  package static let sharedFile = "Shared.generated.swift"

  private var project: Project
  private let only: String?

  /// `only` is the name of a file in `Queries`, or ``shared``, or nil for all.
  package init(_ project: Project, only: String?) {
    self.project = project
    self.only = only
  }

  package mutating func run() throws -> Result {
    var result = Result()
    result.migrationCount = project.migrations.count + project.attached.flatMap(\.migrations).count
    let schema = try project.schema()
    // Each file is looked at by a call of its own; what they share is told once.
    if only == nil || only == Self.shared { result.diagnostics = project.diagnostics }
    guard let schema else {
      if only != nil, only != Self.shared {
        // Without this the build would go on with code that is not there.
        result.diagnostics = [
          Diagnostic(
            "the queries are not checked until the migrations are correct",
            path: project.folder.appendingPathComponent("Queries/\(only ?? "")").path)
        ]
      }
      return result
    }
    if only == nil || only == Self.shared {
      checkShared(schema, &result)
    }
    for file in project.queryFiles where only == nil || only == file.lastPathComponent {
      try check(file, schema, &result)
    }
    return result
  }

  private func checkShared(_ schema: CheckedSchema, _ result: inout Result) {
    let files = project.queryFiles.compactMap { Project.queries($0).file }
    var checker = QueryChecker(schema)
    let (queries, diagnostics) = checker.checkSharedRows(of: files)
    result.diagnostics += project.diagnosticsOfQueries + Project.twins(in: files) + diagnostics
    let generator = SharedGenerator(
      project.migrations, attached: project.attached, rowsOf: queries,
      declarations: schema.declarations)
    result.code.append((Self.sharedFile, generator.code))
  }

  private func check(_ url: URL, _ schema: CheckedSchema, _ result: inout Result) throws {
    let (file, unread) = Project.queries(url)
    result.diagnostics += unread
    guard let file else { return }
    var checker = QueryChecker(schema)
    let (queries, diagnostics) = checker.check(file)
    result.diagnostics += diagnostics
    result.queryCount += queries.count
    guard !diagnostics.contains(where: { $0.severity == .error }) else { return }
    let generator = QueryGenerator(
      queries, file: url.lastPathComponent, sharedRows: file.sharedRows,
      declarations: schema.declarations)
    result.code.append((url.lastPathComponent + ".swift", generator.code))
  }
}
