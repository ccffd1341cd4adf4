/// The texts of the statements for single rows, in which only the values differ.
struct TableStatements: Sendable {
  struct Write: Sendable {
    let text: String
    /// The columns whose values are the first parameters of the text, in order.
    let columns: [String]
  }

  let insert: Write
  /// Inserts a row whose key SQLite assigns.
  let keylessInsert: Write
  let update: Write
  let select: String
  let delete: String
  /// The condition that compares the columns of the key with parameters.
  let isRow: String
  let returningKey: String
  private let table: String
  private let keys: [String]

  init(table name: String, keys: [String], read: [String], written: [String]) {
    let table = quoted(name)
    func insert(_ columns: [String]) -> Write {
      let places = columns.map { _ in "?" }.joined(separator: ", ")
      let row = columns.isEmpty ? " DEFAULT VALUES" : "(\(quoted(columns))) VALUES (\(places))"
      return Write(text: "INSERT INTO \(table)\(row)", columns: columns)
    }
    self.insert = insert(written)
    keylessInsert = insert(written.filter { $0 != keys[0] })
    select =
      "SELECT \(read.map { "\(table).\(quoted($0))" }.joined(separator: ", ")) FROM \(table)"
    delete = "DELETE FROM \(table)"
    isRow = keys.map { "\(table).\(quoted($0)) = ?" }.joined(separator: " AND ")
    returningKey = " RETURNING \(quoted(keys))"
    self.table = table
    self.keys = keys
    update = Self.update(table, written.filter { !keys.contains($0) }, keys, isRow)
  }

  /// Returns a statement that writes only these columns.
  func update(_ columns: [String]) -> Write { Self.update(table, columns, keys, isRow) }

  private static func update(
    _ table: String, _ columns: [String], _ keys: [String], _ isRow: String
  ) -> Write {
    // If there are no columns to write, the statement only tests whether the row exists.
    let columns = columns.isEmpty ? keys : columns
    let assignments = columns.map { "\(quoted($0)) = ?" }.joined(separator: ", ")
    return Write(text: "UPDATE \(table) SET \(assignments) WHERE \(isRow)", columns: columns)
  }
}
