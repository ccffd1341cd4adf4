import SluiceCore
import SluiceData

/// Everything that a dump must preserve, in a form that can be compared.
///
/// A dump leaves out `sqlite_stat4`, which some builds of SQLite fill.
struct DumpedContent: Equatable {
  var schema: [String] = []
  /// The rows by table; each value consists of its type and its bytes.
  var rows: [String: [String]] = [:]
  var settings: [String] = []

  init(of connection: Connection) throws {
    // The shell ends an index whose SQL contains `--` with a line break.
    let sql = """
      SELECT type, name, tbl_name, rtrim(sql, char(10)) FROM sqlite_master
      WHERE name <> 'sqlite_stat4'
      """
    try connection.prepare(sql: sql).forEachRow { schema.append(try "\($0.values().values)") }
    schema.sort()
    // An empty database file contains no encoding.
    let names = ["user_version", "application_id"] + (schema.isEmpty ? [] : ["encoding"])
    settings = try names.map {
      try "\($0) \(connection.prepare(sql: "PRAGMA \($0)").rows()[0].values)"
    }
    let tables = try connection.query(
      .column(.string),
      sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_stat4'")
    for name in tables {
      let table = name.quotedName
      let info = try connection.table(named: name)
      let columns = try connection.columns(of: name).map(\.name)
      let lower = Set(columns.map { $0.lowercased() })
      var results: [String] = []
      if info?.kind != .virtual, info?.isWithoutRowid == false, !name.hasPrefix("sqlite_"),
        let rowid = ["rowid", "_rowid_", "oid"].first(where: { !lower.contains($0) })
      {
        results.append(rowid)
      }
      for column in columns.map(\.quotedName) {
        results.append(column)
        results.append("CASE typeof(\(column)) WHEN 'text' THEN CAST(\(column) AS BLOB) END")
      }
      var rows: [String] = []
      try connection.prepare(sql: "SELECT \(results.joined(separator: ",")) FROM \(table)")
        .forEachRow { row in rows.append(try row.exactValues()) }
      self.rows[name] = rows.sorted()
    }
  }
}
