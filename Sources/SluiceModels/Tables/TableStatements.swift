/// The texts of the statements for single rows, in which only the values differ.
final class TableStatements: Sendable {
  struct Write: Sendable {
    let text: String
    /// The text followed by `RETURNING *`.
    let returning: String
    /// The columns whose values are the first parameters of the text, in order.
    let columns: [String]
    /// The column for which a model may have a value that the text does not write.
    let unwritten: String?

    init(_ text: String, _ columns: [String], unwritten: String? = nil) {
      self.text = text
      returning = text + " RETURNING *"
      self.columns = columns
      self.unwritten = unwritten
    }
  }

  let insert: Write
  /// Inserts a row whose key SQLite assigns.
  let keylessInsert: Write
  let update: Write
  let select: String
  let selectRow: String
  let deleteRow: Write
  /// The condition that compares the columns of the key with parameters.
  let isRow: String
  let returningKey: String
  private let table: String
  private let keys: [String]

  init(table name: String, keys: [String], read: [String], written: [String]) {
    let table = quoted(name)
    let isRow = keys.map { "\(table).\(quoted($0)) = ?" }.joined(separator: " AND ")
    func insert(_ columns: [String], unwritten: String? = nil) -> Write {
      let places = columns.map { _ in "?" }.joined(separator: ", ")
      let row = columns.isEmpty ? " DEFAULT VALUES" : "(\(quoted(columns))) VALUES (\(places))"
      return Write("INSERT INTO \(table)\(row)", columns, unwritten: unwritten)
    }
    self.insert = insert(written)
    keylessInsert = insert(written.filter { $0 != keys[0] }, unwritten: keys[0])
    update = Self.update(table, written.filter { !keys.contains($0) }, keys, isRow)
    select =
      "SELECT \(read.map { "\(table).\(quoted($0))" }.joined(separator: ", ")) FROM \(table)"
    selectRow = "\(select) WHERE \(isRow)"
    deleteRow = Write("DELETE FROM \(table) WHERE \(isRow)", [])
    returningKey = " RETURNING \(quoted(keys))"
    self.isRow = isRow
    self.table = table
    self.keys = keys
  }

  /// Returns a statement that writes only these columns.
  func update(_ columns: [String]) -> Write { Self.update(table, columns, keys, isRow) }

  private static func update(
    _ table: String, _ columns: [String], _ keys: [String], _ isRow: String
  ) -> Write {
    // If there are no columns to write, the statement only tests whether the row exists.
    let columns = columns.isEmpty ? keys : columns
    let assignments = columns.map { "\(quoted($0)) = ?" }.joined(separator: ", ")
    let unwritten = columns.contains(keys[0]) ? nil : keys[0]
    return Write(
      "UPDATE \(table) SET \(assignments) WHERE \(isRow)", columns, unwritten: unwritten)
  }
}
