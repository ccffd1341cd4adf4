package import Foundation
import Sluice

/// A folder with `Migrations`, `Queries`, `Attached` and `Declarations.sql`, each of which may be missing.
package struct Project {
  package let folder: URL
  package let declarations: Declarations
  package let migrations: [MigrationFile]
  /// What is attached when the queries run.
  package let attached: [AttachedFolder]
  /// What is wrong already.
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
  package var queryFiles: [URL] { Self.files(in: folder.appendingPathComponent("Queries")) }

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
  private static func files(in folder: URL) -> [URL] {
    // A folder that is not there has no files.
    let files =
      (try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)) ?? []
    return files.filter { $0.pathExtension.lowercased() == "sql" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  private static func source(_ file: URL, _ diagnostics: inout [Diagnostic]) -> SourceText? {
    var bytes: Data
    do { bytes = try Data(contentsOf: file) } catch {
      diagnostics.append(Diagnostic("the file cannot be read", path: file.path))
      return nil
    }
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes = bytes.dropFirst(3) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      diagnostics.append(Diagnostic("the file is not UTF-8", path: file.path))
      return nil
    }
    return SourceText(path: file.path, text: text)
  }

  private static func migration(_ file: URL, _ diagnostics: inout [Diagnostic]) -> MigrationFile? {
    guard let source = source(file, &diagnostics) else { return nil }
    do {
      let migration = try Migration(file: file)
      return MigrationFile(
        number: migration.number ?? 0, name: migration.name, source: source, migration: migration)
    } catch {
      let message = (error as? SQLiteError)?.message ?? "\(error)"
      diagnostics.append(Diagnostic(message, path: file.path))
      return nil
    }
  }

  private static func migrations(
    in folder: URL, _ diagnostics: inout [Diagnostic]
  ) -> [MigrationFile] {
    let migrations = files(in: folder).compactMap { migration($0, &diagnostics) }
    return migrations.sorted { ($0.number, $0.name) < ($1.number, $1.name) }
  }

  /// The folders of databases that are attached, by name.
  private static func attached(
    in folder: URL, _ diagnostics: inout [Diagnostic]
  ) -> [AttachedFolder] {
    // A folder that is not there has no folders.
    let folders =
      (try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)) ?? []
    var attached: [AttachedFolder] = []
    let sorted = folders.sorted { $0.lastPathComponent < $1.lastPathComponent }
    for folder in sorted where !files(in: folder).isEmpty {
      let name = folder.lastPathComponent
      guard let found = AttachedFolder(name, folder, migrations(in: folder, &diagnostics)) else {
        diagnostics.append(
          Diagnostic("no database can be attached as \(name) in Swift", path: folder.path))
        continue
      }
      attached.append(found)
    }
    return attached
  }

  /// Whether the migrations have done their work; if not, the diagnostics tell why.
  private mutating func migrate(
    _ connection: Connection, _ files: [MigrationFile], _ folder: URL
  ) throws -> Bool {
    do {
      try Migrator(files.map(\.migration)).migrate(connection)
      return true
    } catch let error as SQLiteError {
      diagnostics.append(Self.diagnostic(of: error, files, folder))
      return false
    }
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
  private static func diagnostic(
    of error: SQLiteError, _ migrations: [MigrationFile], _ folder: URL
  ) -> Diagnostic {
    for file in migrations {
      let path = file.source.path
      guard let name = error.message.range(of: ": \(file.source.fileName)") else { continue }
      let rest = error.message[name.upperBound...]
      if let match = rest.prefixMatch(of: #/:([0-9]+):([0-9]+): /#),
        let line = Int(match.1), let column = Int(match.2)
      {
        return Diagnostic(
          String(rest[match.range.upperBound...]), path: path, line: line, column: column)
      }
      let line = rest.firstMatch(of: #/ in line ([0-9]+)/#).flatMap { Int($0.1) }
      return Diagnostic("the migration\(rest)", path: path, line: line ?? 1)
    }
    let file = migrations.last { error.message.contains("\($0.number)") }
    return Diagnostic(error.message, path: file?.source.path ?? folder.path)
  }
}
