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

  /// The name of the file with the code for the migrations.
  package static let migrationsFile = "Migrations.sql.swift"

  private var project: Project
  private let only: String?

  /// `only` is the name of a file in `Queries`, or `Migrations`, or nil for all.
  package init(_ project: Project, only: String?) {
    self.project = project
    self.only = only
  }

  package mutating func run() throws -> Result {
    var result = Result()
    result.migrationCount = project.migrations.count
    let schema = try project.schema()
    // Each file is looked at by a call of its own; what they share is told once.
    if only == nil || only == "Migrations" { result.diagnostics = project.diagnostics }
    guard let schema else {
      if only != nil, only != "Migrations" {
        // Without this the build would go on with code that is not there.
        result.diagnostics = [
          Diagnostic(
            "the queries cannot be checked before the migrations are right",
            path: project.folder.appendingPathComponent("Queries/\(only ?? "")").path)
        ]
      }
      return result
    }
    if only == nil || only == "Migrations" {
      result.diagnostics += Project.twins(
        in: project.queryFiles.compactMap { Project.queries($0).file })
      let generator = MigrationGenerator(project.migrations, declarations: schema.declarations)
      result.code.append((Self.migrationsFile, generator.code))
    }
    for file in project.queryFiles where only == nil || only == file.lastPathComponent {
      try check(file, schema, &result)
    }
    return result
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
      queries, file: url.lastPathComponent, declarations: schema.declarations)
    result.code.append((url.lastPathComponent + ".swift", generator.code))
  }
}
