package import Foundation
import Sluice

/// A folder with `Migrations`, `Queries` and `Declarations.sql`, each of which may be missing.
package struct Project {
  package let folder: URL
  package let declarations: Declarations
  package let migrations: [MigrationFile]
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
    let migrations = Self.files(in: folder.appendingPathComponent("Migrations")).compactMap {
      file in
      Self.migration(file, &diagnostics)
    }
    self.migrations = migrations.sorted { ($0.number, $0.name) < ($1.number, $1.name) }
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
    do {
      try Migrator(migrations.map(\.migration)).migrate(connection)
    } catch let error as SQLiteError {
      diagnostics.append(diagnostic(of: error))
      return nil
    }
    let schema = try CheckedSchema(connection, declarations)
    diagnostics += schema.declarations.diagnostics
    return diagnostics.isEmpty ? schema : nil
  }

  /// Queries of several files that have one name.
  package static func twins(in files: [QueryFile]) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    for kind in [\QueryText.name.value.asOptional, \QueryText.row?.value] {
      var first: [String: String] = [:]
      for file in files {
        let names = Set(file.queries.compactMap { $0[keyPath: kind] })
        for query in file.queries {
          guard let name = query[keyPath: kind], names.contains(name), let other = first[name]
          else { continue }
          let isRow = query.name.value != name
          diagnostics.append(
            Diagnostic(
              "there is a \(isRow ? "row" : "query") \(name) in \(other) already",
              at: isRow ? query.row?.offset ?? 0 : query.name.offset, in: file.source))
        }
        for name in names where first[name] == nil { first[name] = file.source.fileName }
      }
    }
    return diagnostics
  }
}

extension String {
  fileprivate var asOptional: String? { self }
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

  /// Where a migration has failed, which stands in the message behind its number and name.
  private func diagnostic(of error: SQLiteError) -> Diagnostic {
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
