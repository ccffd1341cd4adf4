import Sluice

/// The texts of the statements for single rows, in which only the values differ.
final class TableStatements: Sendable {
  struct Write: Sendable {
    let text: String
    /// The columns whose values are the first parameters of the text.
    let columns: WrittenColumns

    /// Returns the statement with a policy.
    func or(_ policy: ConflictPolicy) -> Write {
      guard policy != .abort, let end = text.firstIndex(of: " ") else { return self }
      return Write(text: text[..<end] + policy.clause.text + text[end...], columns: columns)
    }
  }

  let insert: Write
  /// Inserts a row whose key SQLite assigns.
  let keylessInsert: Write
  let update: Write
  let select: String
  let selectRow: String
  let deleteRow: String
  /// The condition that compares the columns of the key with parameters.
  let isRow: String
  let returningKey: String
  /// The columns of the key.
  let keys: [String]
  private let table: String
  private let all: [String]
  /// The properties by column name, as in ``TableSchema/Column``.
  private let properties: [String: String]
  private let rules: ColumnRules

  /// Creates the statements of the table `name` with the columns `all`.
  init(
    table name: String, keys: [String], read: [String], written: [String], all: [String],
    properties: [String: String], _ rules: ColumnRules
  ) {
    let table = quoted(name)
    self.table = table
    self.keys = keys
    self.all = all
    self.properties = properties
    self.rules = rules
    func insert(_ names: [String]) -> Write {
      let places = names.map { _ in "?" }.joined(separator: ", ")
      let row = names.isEmpty ? " DEFAULT VALUES" : "(\(quoted(names))) VALUES (\(places))"
      return Write(
        text: "INSERT INTO \(table)\(row)",
        columns: WrittenColumns(names, of: all, rules))
    }
    self.insert = insert(written)
    keylessInsert = insert(written.filter { $0 != keys[0] })
    let isRow = keys.map { "\(table).\(quoted($0)) = ?" }.joined(separator: " AND ")
    self.isRow = isRow
    select =
      "SELECT \(read.map { "\(table).\(quoted($0))" }.joined(separator: ", ")) FROM \(table)"
    selectRow = "\(select) WHERE \(isRow)"
    deleteRow = "DELETE FROM \(table) WHERE \(isRow)"
    returningKey = " RETURNING \(quoted(keys))"
    update = Self.update(
      written.filter { !keys.contains($0) }, of: table, keys, isRow, all, rules)
  }

  /// Returns a statement that writes only these columns, whose last parameters are the key.
  func update(_ columns: [String]) -> Write {
    Self.update(columns, of: table, keys, isRow, all, rules)
  }

  /// Returns the coding key of a column's property, or else the name of the column.
  func property(of column: String) -> String { properties[column] ?? column }

  /// Returns a value as a parameter in the representation of a column.
  func parameter(
    _ value: some Encodable, as column: String, on connection: Connection
  ) throws -> SQLParameter {
    try connection.parameter(
      encoding: value, as: property(of: column), rules.representations)
  }

  private static func update(
    _ columns: [String], of table: String, _ keys: [String], _ isRow: String, _ all: [String],
    _ rules: ColumnRules
  ) -> Write {
    // If there are no columns to write, the statement only tests whether the row exists.
    var columns = columns.isEmpty ? keys : columns
    // A column that is named twice has one parameter.
    columns = columns.indices.filter { !columns[..<$0].contains(columns[$0]) }.map { columns[$0] }
    let assignments = columns.map { "\(quoted($0)) = ?" }.joined(separator: ", ")
    return Write(
      text: "UPDATE \(table) SET \(assignments) WHERE \(isRow)",
      columns: WrittenColumns(columns, of: all, rules))
  }
}
