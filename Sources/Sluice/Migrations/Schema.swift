import SluiceCore

/// What the main database consists of, but for what SQLite makes by itself.
struct Schema {
  let connection: Connection
  let objects: [SchemaObject]

  /// Reads the schema, without the table `ignored` and what belongs to it.
  init(of connection: Connection, ignoring ignored: String) throws {
    self.connection = connection
    // Those that a virtual table keeps its content in come and go with it.
    var hidden: Set<[UInt8]> = [foldedName(ignored)]
    try connection.execute(sql: "PRAGMA main.table_list") { row in
      if try row.text(at: 2) == "shadow" { hidden.insert(foldedName(try row.text(at: 1))) }
    }
    var objects: [SchemaObject] = []
    try connection.execute(
      sql: """
        SELECT type, name, tbl_name, sql FROM main.sqlite_schema
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY CASE type WHEN 'table' THEN 1 WHEN 'view' THEN 2 WHEN 'index' THEN 3 ELSE 4 END,
          rowid
        """
    ) { row in
      let table = try row.text(at: 2)
      guard !hidden.contains(foldedName(table)) else { return }
      guard let kind = SchemaObject.Kind(rawValue: try row.text(at: 0)) else { return }
      objects.append(
        SchemaObject(kind: kind, name: try row.text(at: 1), table: table, sql: try row.text(at: 3)))
    }
    self.objects = objects
  }
}

/// What two names have in common that SQLite takes for the same.
func foldedName(_ name: String) -> [UInt8] {
  name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
}
