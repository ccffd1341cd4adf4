/// A table, whatever a connection calls the database that it is in.
struct TableKey: Hashable, Sendable {
  /// The path of the file, or what tells a database without one from all others.
  let database: String
  /// The name, as SQLite compares it.
  let table: String

  init(_ database: String, _ table: String) {
    self.database = database
    self.table = table.withoutCase
  }

  /// What a pragma tells and sets, as if it were a table.
  init(pragma name: String, of database: String) { self.init(database, "pragma_" + name) }

  /// Whether it is a number in the head of the file, which a pragma sets.
  var isHeaderNumber: Bool { ["pragma_user_version", "pragma_application_id"].contains(table) }

  /// Whether it is where SQLite keeps the schema of the database.
  var isSchema: Bool {
    ["sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"].contains(table)
  }
}

extension String {
  /// The name as SQLite compares it, which knows the case of ASCII only.
  var withoutCase: String {
    guard utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return self }
    return String(
      decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
