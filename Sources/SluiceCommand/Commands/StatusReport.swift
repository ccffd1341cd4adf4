import Foundation
import Sluice

/// The report of ``Status``, with the structure of the JSON output.
struct StatusReport: Encodable {
  let database: String
  /// The number of migrations that the database has; nil if its record does not match the files.
  var version: Int?
  /// The total number of migrations.
  let count: Int
  var migrations: [Entry] = []
  var drift: [MigrationOutcome.Difference] = []
  /// The reason why the database's record does not match the migration files.
  var problem: String?

  struct Entry: Encodable {
    let number: Int
    let name: String
    let isApplied: Bool
    /// The time when the migration was applied, in UTC; nil if the record does not contain it.
    var appliedAt: String?
    var sqliteVersion: String?
  }

  /// Whether all migrations are applied, and the schema is theirs.
  var isCurrent: Bool { version == count && drift.isEmpty }
}

extension StatusReport {
  /// Reads the record of a database, and compares its schema; throws a `MigrationError` if the record does not match.
  init(of connection: Connection, _ path: String, _ migrator: Migrator) throws {
    // Because of the transaction, all parts of the report show the same state.
    self = try connection.transaction { connection in
      let drift = try migrator.drift(on: connection)
      let version = try migrator.version(on: connection)
      let applied = Dictionary(
        try migrator.applied(on: connection).map { ($0.step.number, $0) },
        uniquingKeysWith: { $1 })
      return StatusReport(
        database: path, version: version, count: migrator.steps.last?.number ?? 0,
        migrations: migrator.steps.map { step in
          let record = applied[step.number]
          return Entry(
            number: step.number, name: step.name, isApplied: step.number <= version,
            appliedAt: record?.date.formatted(.iso8601), sqliteVersion: record?.sqliteVersion)
        }, drift: drift.map(MigrationOutcome.Difference.init))
    }
  }

  /// The report as text for people.
  var text: String {
    aligned(migrations.map { ["\($0.number)", $0.name, $0.state] }) + drift.map(\.text).joined()
  }
}

extension StatusReport.Entry {
  fileprivate var state: String {
    guard isApplied else { return "pending" }
    // Records of other libraries contain no time.
    guard let appliedAt, let sqliteVersion else { return "applied" }
    return "applied \(appliedAt) by SQLite \(sqliteVersion)"
  }
}
