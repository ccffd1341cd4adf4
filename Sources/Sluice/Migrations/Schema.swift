import SluiceCore

/// The schema of the main database, without the objects that SQLite makes itself.
struct Schema {
  let connection: Connection
  let objects: [SchemaObject]

  /// Reads the schema, without the tables `ignored` and what belongs to them.
  init(of connection: Connection, ignoring ignored: [String]) throws {
    self.connection = connection
    // Shadow tables come and go with their virtual table.
    var hidden: Set<[UInt8]> = Set(ignored.map(foldedName))
    for table in try connection.tables() where table.kind == .shadow {
      hidden.insert(foldedName(table.name))
    }
    let order = [SchemaObject.Kind.table, .view, .index, .trigger]
    let objects = try connection.schemaObjects().filter { !hidden.contains(foldedName($0.table)) }
    self.objects = order.flatMap { kind in objects.filter { $0.kind == kind } }
  }
}

/// Returns the form of a name that is equal for all names that SQLite takes for the same.
func foldedName(_ name: String) -> [UInt8] {
  name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
}
