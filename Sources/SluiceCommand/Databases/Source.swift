import Foundation
import Sluice

/// The source of a schema: a database file, or a folder of migrations.
enum Source {
  static let operand = Operand(
    name: "DATABASE",
    help: "A database file, which is opened read-only, or a folder of migrations, "
      + "which are applied to an in-memory database.")

  /// Calls `body` with a connection to the database at `path`, which can be a file or a folder of migrations.
  ///
  /// The migrations of a folder are applied to a new in-memory database.
  static func read<T>(_ path: String, _ body: (Connection) throws -> T) throws -> T {
    guard MigrationFolder.isThere(path) else { return try DatabaseFile(path).read(body) }
    let folder = try MigrationFolder(path)
    let connection = try Connection()
    try folder.placing(on: connection) { _ = try Migrator(folder.migrations).migrate(connection) }
    return try body(connection)
  }
}
