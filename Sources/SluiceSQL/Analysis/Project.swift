package import Foundation
import Sluice

/// A folder with `Migrations`, `Queries`, `Attached` and `Declarations.sql`, all of which are optional.
package struct Project {
  package let folder: URL
  package let declarations: Declarations
  package let migrations: [MigrationFile]
  /// The databases that are attached when queries are checked.
  package let attached: [AttachedFolder]
  /// The maximum number of SQLite instructions that a migration may run.
  ///
  /// Without a limit, an endless migration would block the build forever.
  package var instructionsOfMigration = 500_000_000
  /// The diagnostics so far.
  package private(set) var diagnostics: [Diagnostic] = []

  package init(folder: URL) {
    self.folder = folder
    var diagnostics: [Diagnostic] = []
    let file = folder.appendingPathComponent(Declarations.fileName)
    let source =
      FileManager.default.fileExists(atPath: file.path)
      ? Self.source(file, &diagnostics) : nil
    declarations = source.map { Declarations($0) } ?? Declarations()
    diagnostics += declarations.diagnostics
    migrations = Self.migrations(in: folder.appendingPathComponent("Migrations"), &diagnostics)
    attached = Self.attached(in: folder.appendingPathComponent("Attached"), &diagnostics)
    self.diagnostics = diagnostics
  }

  /// The files with queries, sorted by name.
  package var queryFiles: [URL] { Self.files(in: queryFolder) }

  /// The diagnostics for the folder with the queries.
  var diagnosticsOfQueries: [Diagnostic] { Self.deepFiles(in: queryFolder, "Queries") }

  private var queryFolder: URL { folder.appendingPathComponent("Queries") }

  /// Returns the parsed queries of a file; if the file cannot be read, the diagnostics contain the reason.
  package static func queries(_ file: URL) -> (file: QueryFile?, diagnostics: [Diagnostic]) {
    var diagnostics: [Diagnostic] = []
    let file = source(file, &diagnostics).map { QueryFile($0) }
    return (file, diagnostics)
  }

  /// Returns the database that the migrations create; if they fail, returns nil and adds diagnostics.
  package mutating func schema() throws -> CheckedSchema? {
    guard !hasErrors else { return nil }
    let connection: Connection
    do { connection = try CheckedSchema.connection(declarations) } catch let error as SQLiteError {
      // SQLite rejects a name that it reserves.
      diagnostics.append(Diagnostic(error.message, path: declarations.source?.path ?? folder.path))
      return nil
    }
    guard try migrate(connection, migrations, folder), try attach(to: connection) else {
      return nil
    }
    let schema = try CheckedSchema(connection, declarations)
    diagnostics += schema.declarations.diagnostics
    return hasErrors ? nil : schema
  }

  private var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

extension SourceText {
  package var fileName: String { String(path.split(separator: "/").last ?? "") }
}

extension Project {
  /// Runs the migrations, and returns whether they succeeded; adds a diagnostic if they fail.
  private mutating func migrate(
    _ connection: Connection, _ files: [MigrationFile], _ folder: URL
  ) throws -> Bool {
    var warnings: [Diagnostic] = []
    do {
      // An earlier check rejects statements that could access a file, and reports their position. The authorizer
      // rejects any such statement that the check did not find.
      let token = try connection.authorize { request in
        if case .attach = request.action { .deny } else { .allow }
      }
      defer { token.cancel() }
      let step = max(1, instructionsOfMigration / 100)
      var count = 0
      let progress = try connection.onProgress(every: step) { [instructionsOfMigration] in
        count += step
        guard count < instructionsOfMigration else {
          throw SQLiteError(
            .interrupt,
            "the statement was stopped after \(instructionsOfMigration) instructions; it may be endless"
          )
        }
      }
      defer { progress.cancel() }
      try Migrator(files.map(\.migration)).migrate(connection) { progress in
        count = 0
        for file in files where file.number == progress.step.number {
          warnings += file.additionsThatNeedEmptyTables(on: connection)
        }
      }
    } catch let error as SQLiteError {
      diagnostics.append(diagnostic(of: error, files, folder))
      return false
    }
    var found = try Self.temporaries(on: connection, files)
    if found.isEmpty {
      found = try StoredCode(connection).problems().map { Self.diagnostic(of: $0, files, folder) }
    }
    diagnostics += warnings + found
    return found.isEmpty
  }

  /// Returns the diagnostic for a problem of a view or trigger, at the statement that created it.
  private static func diagnostic(
    of problem: StoredCode.Problem, _ files: [MigrationFile], _ folder: URL
  ) -> Diagnostic {
    for file in files.reversed() {
      guard let offset = file.offset(ofCreated: problem.kind, problem.name) else { continue }
      return Diagnostic(problem.message, at: offset, in: file.source)
    }
    return Diagnostic(problem.message, path: files.last?.source.path ?? folder.path)
  }

  /// Returns diagnostics for temporary objects that the migrations create.
  ///
  /// Such objects are lost when the connection closes.
  private static func temporaries(
    on connection: Connection, _ files: [MigrationFile]
  ) throws -> [Diagnostic] {
    let names = try connection.query(
      .column(.string), sql: "SELECT name FROM temp.sqlite_schema WHERE type <> 'index'")
    let found = files.flatMap {
      $0.temporaries(among: Set(names.map { Array($0.lowercased().utf8) }))
    }
    guard found.isEmpty, let name = names.first, let file = files.last else { return found }
    // A migration may have renamed the object, so that no statement creates it under this name. Report such an
    // object at the beginning of the last file.
    return [MigrationFile.temporary(name, at: 0, in: file.source)]
  }

  /// Attaches in-memory databases, and applies their migrations.
  private mutating func attach(to connection: Connection) throws -> Bool {
    for database in attached {
      let other = try CheckedSchema.connection(declarations)
      guard try migrate(other, database.migrations, database.folder) else { return false }
      do {
        try connection.attach(path: ":memory:", as: database.name)
        try connection.deserialize(other.serialize(), database: database.name)
      } catch let error as SQLiteError {
        diagnostics.append(Diagnostic(error.message, path: database.folder.path))
        return false
      }
    }
    return true
  }

  /// Returns the diagnostic for a failed migration.
  ///
  /// In the error message, the position follows the number and name of the migration.
  private func diagnostic(
    of error: SQLiteError, _ migrations: [MigrationFile], _ folder: URL
  ) -> Diagnostic {
    for file in migrations {
      let path = file.source.path
      guard let name = error.message.range(of: ": \(file.source.fileName)") else { continue }
      let rest = error.message[name.upperBound...]
      if let match = rest.prefixMatch(of: #/:([0-9]+):([0-9]+): /#),
        let line = Int(match.1), let column = Int(match.2)
      {
        let message = String(rest[match.range.upperBound...])
        return Diagnostic(message, path: path, line: line, column: column)
      }
      let line = rest.firstMatch(of: #/ in line ([0-9]+)/#).flatMap { Int($0.1) }
      return Diagnostic("the migration\(rest)", path: path, line: line)
    }
    let file = migrations.first { file in
      [":", " "].contains { error.message.hasPrefix("Migration \(file.number)\($0)") }
    }
    return Diagnostic(error.message, path: file?.source.path ?? folder.path)
  }
}
