import SluiceCore
import Testing

/// A database that records its changes and applies the changes of other databases.
final class Recording {
  let connection: Connection

  init(_ sql: String = "") throws {
    connection = try Connection()
    try connection.execute(sql: Self.schema + sql)
  }

  static let schema = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age);
    CREATE TABLE tag(a, b TEXT, c, PRIMARY KEY(b, a)) WITHOUT ROWID;
    CREATE TABLE log(text);
    """

  /// Executes `sql` and returns its changes.
  func changeset(_ sql: String) throws -> Changeset {
    let session = try connection.session()
    try connection.execute(sql: sql)
    return try session.changeset()
  }

  func patchset(_ sql: String) throws -> Patchset {
    let session = try connection.session()
    try connection.execute(sql: sql)
    return try session.patchset()
  }

  /// Returns all rows of a table, in the order of its first column.
  func rows(_ table: String = "person") throws -> [[DatabaseValue]] {
    try connection.query(.values, sql: "SELECT * FROM \(table) ORDER BY 1").map(\.values)
  }
}

/// Splits bytes into chunks of the given size.
func chunks(_ bytes: [UInt8], of size: Int) -> [[UInt8]] {
  stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
}
