import Sluice
import Testing

/// The migrations that most tests use.
enum People {
  static let create = Migration(
    1, "create person", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)")
  static let insert = Migration(2, "insert Ada") { connection in
    try connection.execute("INSERT INTO person(name) VALUES (' Ada ')")
  }
  static let trim = Migration(3, "trim", sql: "UPDATE person SET name = trim(name)")
  static let all = [create, insert, trim]
}

extension Connection {
  /// The names of all tables, views, indexes and triggers, sorted.
  var schema: [String] {
    get throws {
      try query(
        .column(.string), "SELECT name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    }
  }

  /// Returns all values of the first column.
  func column(_ sql: String) throws -> [DatabaseValue] { try query(.column(.value), sql: sql) }
}

/// Returns the migration error that `body` throws, or nil if it returns or throws another error.
func refusal<T>(_ body: () throws -> T) -> MigrationError? {
  do {
    _ = try body()
    return nil
  } catch { return error as? MigrationError }
}

/// Expects that the first migration is applied, and that no change of a later migration is present.
func expectFirst(_ migrator: Migrator, _ connection: Connection) throws {
  #expect(try connection.schema == ["person", "sluice_migration"])
  #expect(try connection.column("SELECT count(*) FROM person") == [0])
  #expect(try migrator.applied(on: connection).map(\.step.number) == [1])
  #expect(try connection.userVersion == 1)
  #expect(connection.isInAutocommit)
  #expect(try connection.option(.foreignKeys))
  #expect(try connection.column("PRAGMA integrity_check") == ["ok"])
}
