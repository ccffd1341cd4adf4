import Foundation

/// A check that validates a folder and generates its code.
package struct ProjectCheck {
  package struct Result {
    /// The generated code by file name, without files that have errors.
    package var code: [(file: String, code: String)] = []
    package var diagnostics: [Diagnostic] = []
    /// The valid queries, with the files that contain them.
    package var queries: [(query: CheckedQuery, source: SourceText)] = []
    package var queryCount: Int { queries.count }
    package var migrationCount = 0
    /// The database that the migrations create; nil if they fail.
    package var schema: CheckedSchema?

    /// A note for each query whose columns are optional because the analysis has failed.
    package var notes: [Diagnostic] {
      queries.compactMap { query, source in
        query.obstacle.map {
          Diagnostic(
            "all columns are optional, because \($0)", .note, at: query.text.name.offset, in: source
          )
        }
      }
    }
  }

  /// The name that stands for the code that all query files share.
  package static let shared = "Shared"
  /// The name of the file with the shared code.
  package static let sharedFile = "Shared.generated.swift"

  private var project: Project
  private let only: String?

  /// Creates a check of one file, or of all files.
  ///
  /// `only` is the name of a file in `Queries`, or ``shared``; nil stands for everything.
  package init(_ project: Project, only: String?) {
    self.project = project
    self.only = only
  }

  package mutating func run() throws -> Result {
    var result = Result()
    result.migrationCount = project.migrations.count + project.attached.flatMap(\.migrations).count
    let schema = try project.schema()
    result.schema = schema
    // The build checks each file with a separate call. Only the call for the shared code reports the diagnostics of
    // the project.
    if only == nil || only == Self.shared { result.diagnostics = project.diagnostics }
    guard let schema else {
      if let only, only != Self.shared {
        // The build may stop before the shared code is checked, so this call also reports the first error.
        result.diagnostics = Array(project.diagnostics.filter { $0.severity == .error }.prefix(1))
        // Without a diagnostic, the build would try to compile the generated code of this file, which does not
        // exist.
        result.diagnostics.append(
          Diagnostic(
            "the queries are not checked until the migrations are correct",
            path: project.folder.appendingPathComponent("Queries/\(only)").path))
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
    let (structs, diagnostics) = checker.checkSharedRows(of: files)
    result.diagnostics += project.diagnosticsOfQueries + Project.twins(in: files) + diagnostics
    let generator = SharedGenerator(
      project.migrations, attached: project.attached, structs: structs,
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
    result.queries += queries.map { ($0, file.source) }
    guard !diagnostics.contains(where: { $0.severity == .error }) else { return }
    let generator = QueryGenerator(
      queries, file: url.lastPathComponent, sharedRows: file.sharedRows,
      declarations: schema.declarations)
    result.code.append((url.lastPathComponent + ".swift", generator.code))
  }
}
