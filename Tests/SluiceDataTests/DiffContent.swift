import SluiceCore
import SluiceData

/// Everything that a diff compares, in a form that can be compared.
struct DiffContent: Equatable {
  var schema: [String: [SQLToken]] = [:]
  /// The rows by table; each value consists of its type and its bytes.
  var rows: [String: [String]] = [:]
  var settings: [DatabaseValue] = []

  init(
    of connection: Connection, _ database: String = "main", without skipped: Set<String> = []
  ) throws {
    let tables = try connection.tables(database: database)
    let shadows = Set(tables.filter { $0.kind == .shadow }.map(\.name))
    for object in try connection.schemaObjects(database: database)
    where !shadows.contains(object.table) {
      schema["\(object.kind) \(object.name.lowercased())"] = SQLToken.tokens(of: object.sql)
    }
    for pragma in ["user_version", "application_id"] {
      settings += try connection.query(
        .column(.value), sql: "PRAGMA \(database.quotedName).\(pragma)")
    }
    for table in tables
    where [.table, .virtual].contains(table.kind) && !skipped.contains(table.name.lowercased()) {
      rows[table.name.lowercased()] = try Self.rows(table, database, connection)
    }
    let hasSequence = try connection.first(
      .column(.int),
      sql: "SELECT 1 FROM \(database.quotedName).sqlite_master WHERE name = 'sqlite_sequence'")
    if hasSequence != nil {
      let sequences = try connection.query(
        RowConverter { row in try "\(row.value(at: 0)) \(row.value(at: 1))" },
        sql: "SELECT name, seq FROM \(database.quotedName).sqlite_sequence ORDER BY name, seq")
      if !sequences.isEmpty { rows["sqlite_sequence"] = sequences }
    }
  }

  private static func rows(
    _ table: TableInfo, _ database: String, _ connection: Connection
  ) throws -> [String] {
    let columns = try connection.columns(of: table.name, database: database)
      .filter { $0.kind != .hidden }
    let names = Set(columns.map { $0.name.lowercased() })
    let hasKey = columns.contains { $0.primaryKeyPosition != nil } || table.isWithoutRowid
    var results = columns.map(\.name.quotedName)
    // Only the bytes of text show whether it is the same: a column can contain invalid text.
    results += results.map { "CASE typeof(\($0)) WHEN 'text' THEN CAST(\($0) AS BLOB) END" }
    if !hasKey, let rowid = ["rowid", "_rowid_", "oid"].first(where: { !names.contains($0) }) {
      results.append(rowid)
    }
    var rows: [String] = []
    try connection.prepare(
      sql: "SELECT \(results.joined(separator: ",")) "
        + "FROM \(database.quotedName).\(table.name.quotedName)"
    ).forEachRow { row in rows.append(try row.exactValues()) }
    return rows.sorted()
  }
}

/// Two databases of one connection: `main`, which a diff changes, and `other`.
struct DiffPair {
  let connection: Connection

  /// Creates two databases in memory by the same SQL, and then changes the second one.
  init(_ sql: String, then change: String = "") throws {
    connection = try Connection()
    try connection.attach(path: ":memory:", as: "other")
    try connection.execute(sql: sql)
    let copy = try Connection()
    try copy.execute(sql: sql)
    try copy.execute(sql: change)
    try copy.backup(to: connection, as: "other")
  }

  func diff() throws -> DatabaseDiff { try DatabaseDiff(connection, to: "other") }

  /// The SQL of the difference.
  func sql() throws -> String {
    var bytes: [UInt8] = []
    _ = try diff().writeSQL { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The statements that change something, without those that begin and end the script.
  func statements() throws -> [String] {
    let lines = try sql().split(separator: "\n").map(String.init)
    return lines.isEmpty ? [] : Array(lines.dropFirst(2).dropLast())
  }
}
