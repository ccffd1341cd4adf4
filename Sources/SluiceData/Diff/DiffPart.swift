import SluiceCore

/// The deleted, updated or inserted rows of a table.
///
/// A deleted row is `a` in the clauses, an inserted row `b`, and an updated row both. A row of the query consists of
/// the rowid, the values of `a`, the values of `b`, and, if the encoding is UTF-16, the bytes of their text.
struct DiffPart {
  let kind: DatabaseDiff.RowChange.Kind
  let rows: DiffRows
  /// Whether the rowid identifies the rows.
  let usesRowid: Bool
  private let clauses: String

  init(
    _ kind: DatabaseDiff.RowChange.Kind, _ rows: DiffRows, _ clauses: String, usesRowid: Bool
  ) {
    self.kind = kind
    self.rows = rows
    self.usesRowid = usesRowid && rows.rowid != nil
    self.clauses = clauses
  }

  /// The aliases of the row or rows that the query returns.
  private var aliases: [String] {
    switch kind {
    case .deleted: ["a"]
    case .inserted: [clauses.hasSuffix(" AS a") ? "a" : "b"]
    case .updated: ["a", "b"]
    }
  }

  /// Returns the first value of the query of a result.
  func query(_ result: String, _ connection: Connection, limit: Int? = nil) throws -> Int? {
    let end = limit.map { " LIMIT \($0)" } ?? ""
    return try connection.prepare(sql: "SELECT \(result) \(clauses)\(end)").first(.column(.int))
  }

  /// Returns the query of the rows, and of the bytes of their text if `showsText` is true.
  func statement(_ connection: Connection, showsText: Bool = false) throws -> Statement {
    let names = aliases.flatMap { alias in rows.columns.map { "\(alias).\($0.quotedName)" } }
    var results = [rowidName] + names
    if showsText {
      results += names.map { "CASE typeof(\($0)) WHEN 'text' THEN CAST(\($0) AS BLOB) END" }
    }
    return try connection.prepare(sql: "SELECT \(results.joined(separator: ", ")) \(clauses)")
  }

  private var rowidName: String {
    usesRowid ? rows.rowid.map { "\(aliases[0]).\($0)" } ?? "0" : "0"
  }

  /// Returns a row of the query as a value.
  func change(_ row: borrowing Row, of table: String) throws -> DatabaseDiff.RowChange {
    let count = rows.columns.count
    var values: [[DatabaseValue]] = []
    for start in aliases.indices.map({ 1 + $0 * count }) {
      var part: [DatabaseValue] = []
      for index in start..<start + count { part.append(try row.value(at: index)) }
      values.append(part)
    }
    return DatabaseDiff.RowChange(
      table: table, columns: rows.columns, rowid: usesRowid ? try row.integer(at: 0) : nil,
      old: kind == .inserted ? nil : values.first, new: kind == .deleted ? nil : values.last)
  }
}
