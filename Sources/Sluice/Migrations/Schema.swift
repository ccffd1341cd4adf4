import SluiceCore

/// The schema of the main database, without the objects that SQLite creates automatically.
struct Schema {
  let connection: Connection
  let objects: [SchemaObject]

  /// Reads the schema, except for the tables `ignored` and the objects that belong to them.
  init(of connection: Connection, ignoring ignored: [String]) throws {
    self.connection = connection
    // SQLite creates and drops shadow tables together with their virtual table.
    var hidden: Set<String> = Set(ignored.map(foldedName))
    for table in try connection.tables() where table.kind == .shadow {
      hidden.insert(foldedName(table.name))
    }
    let order = [SchemaObject.Kind.table, .view, .index, .trigger]
    let objects = try connection.schemaObjects().filter { !hidden.contains(foldedName($0.table)) }
    self.objects = order.flatMap { kind in objects.filter { $0.kind == kind } }
  }
}
