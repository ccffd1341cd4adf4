package import Foundation
import Sluice

/// A folder with `Migrations`, `Queries`, `Attached` and `Declarations.sql`, each of which may be missing.
package struct Project {
  package let folder: URL
  package let declarations: Declarations
  package let migrations: [MigrationFile]
  /// The databases that are attached when the queries run.
  package let attached: [AttachedFolder]
  /// How many instructions of SQLite a migration may take; an endless one would keep the build for ever.
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

  /// The faults of the folder of the files.
  var diagnosticsOfQueries: [Diagnostic] { Self.deepFiles(in: queryFolder, "Queries") }

  private var queryFolder: URL { folder.appendingPathComponent("Queries") }

  /// A file with queries, taken apart; what cannot be read is told by the diagnostics.
  package static func queries(_ file: URL) -> (file: QueryFile?, diagnostics: [Diagnostic]) {
    var diagnostics: [Diagnostic] = []
    let file = source(file, &diagnostics).map { QueryFile($0) }
    return (file, diagnostics)
  }

  /// The database that the migrations make, or nil if they fail, of which the diagnostics tell.
  package mutating func schema() throws -> CheckedSchema? {
    guard diagnostics.isEmpty else { return nil }
    let connection: Connection
    do { connection = try CheckedSchema.connection(declarations) } catch let error as SQLiteError {
      // A name that SQLite keeps for itself.
      diagnostics.append(Diagnostic(error.message, path: declarations.source?.path ?? folder.path))
      return nil
    }
    guard try migrate(connection, migrations, folder), try attach(to: connection) else {
      return nil
    }
    let schema = try CheckedSchema(connection, declarations)
    diagnostics += schema.declarations.diagnostics
    return diagnostics.isEmpty ? schema : nil
  }
}

extension SourceText {
  package var fileName: String { String(path.split(separator: "/").last ?? "") }
}

extension Project {
  /// Whether the migrations have done their work; if not, the diagnostics tell why.
  private mutating func migrate(
    _ connection: Connection, _ files: [MigrationFile], _ folder: URL
  ) throws -> Bool {
    do {
      // What could reach a file is refused with a place already; this is for what nobody has thought of.
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
            "the statement was stopped after \(instructionsOfMigration) instructions: is it endless?"
          )
        }
      }
      defer { progress.cancel() }
      try Migrator(files.map(\.migration)).migrate(connection) { _ in count = 0 }
    } catch let error as SQLiteError {
      diagnostics.append(diagnostic(of: error, files, folder))
      return false
    }
    var found = try Self.temporaries(on: connection, files)
    if found.isEmpty {
      found = try StoredCode(connection).problems().map { Self.diagnostic(of: $0, files, folder) }
    }
    diagnostics += found
    return found.isEmpty
  }

  /// At the statement that has created the view or trigger.
  private static func diagnostic(
    of problem: StoredCode.Problem, _ files: [MigrationFile], _ folder: URL
  ) -> Diagnostic {
    for file in files.reversed() {
      guard let offset = file.offset(ofCreated: problem.kind, problem.name) else { continue }
      return Diagnostic(problem.message, at: offset, in: file.source)
    }
    return Diagnostic(problem.message, path: files.last?.source.path ?? folder.path)
  }

  /// Returns the objects of migrations that go with the connection.
  private static func temporaries(
    on connection: Connection, _ files: [MigrationFile]
  ) throws -> [Diagnostic] {
    let names = try connection.query(
      .column(.string), sql: "SELECT name FROM temp.sqlite_schema WHERE type <> 'index'")
    let found = files.flatMap {
      $0.temporaries(among: Set(names.map { Array($0.lowercased().utf8) }))
    }
    guard found.isEmpty, let name = names.first, let file = files.last else { return found }
    // A later migration may have renamed the object.
    return [MigrationFile.temporary(name, at: 0, in: file.source)]
  }

  /// Attaches databases in memory that have their migrations behind them.
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

  /// Where a migration has failed, which stands in the message behind its number and name.
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
      return Diagnostic("the migration\(rest)", path: path, line: line ?? 1)
    }
    let file = migrations.last { error.message.contains("\($0.number)") }
    return Diagnostic(error.message, path: file?.source.path ?? folder.path)
  }
}
