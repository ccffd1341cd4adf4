import SluiceCore

/// The SQL that turns one database into another.
struct DiffScript {
  private let plan: DiffPlan
  private let connection: Connection
  private var writer: DumpWriter
  private var isBegun = false
  /// The tables whose rows the script changes, and the triggers that it drops for that.
  private var touched: Set<String> = []
  private var droppedTriggers: Set<String> = []
  /// The tables and views that the script drops, and the objects that it creates.
  private let dropped: Set<String>
  private let created: [SchemaObject]

  init(_ plan: DiffPlan, _ connection: Connection, _ writer: DumpWriter) {
    self.plan = plan
    self.connection = connection
    self.writer = writer
    var dropped: Set<String> = []
    var created: [SchemaObject] = []
    for change in plan.schemaChanges {
      switch change {
      case .removed(let object): if object.isRelation { dropped.insert(foldedName(object.name)) }
      case .changed(_, let object):
        if object.isRelation { dropped.insert(foldedName(object.name)) }
        created.append(object)
      case .added(let object): created.append(object)
      case .userVersion, .applicationID: break
      }
    }
    // Dropping a table or view also drops its indexes and triggers.
    let names = Set(created.map(\.place))
    created += plan.new.filter { object in
      !object.isRelation && dropped.contains(foldedName(object.table))
        && !names.contains(object.place)
    }
    (self.dropped, self.created) = (dropped, created)
  }

  /// Writes the script, and returns whether there are differences.
  mutating func write() throws -> Bool {
    try drop()
    // Virtual tables come last, because they may read the columns of other tables.
    for isVirtual in [false, true] {
      for table in created where table.kind == .table && table.isVirtual == isVirtual {
        try create(table)
      }
    }
    for table in plan.tables { try writeRows(of: table) }
    for kind in [SchemaObject.Kind.index, .view, .trigger] {
      for object in created where object.kind == kind { try create(object) }
    }
    for trigger in plan.new where trigger.kind == .trigger {
      if droppedTriggers.contains(foldedName(trigger.name)), !created.contains(trigger) {
        try create(trigger)
      }
    }
    if !touched.isEmpty { for name in plan.followers { try rebuild(name) } }
    try writeSequences()
    for change in plan.schemaChanges {
      switch change {
      case .userVersion(_, let number): try begin("PRAGMA user_version = \(number);\n")
      case .applicationID(_, let number): try begin("PRAGMA application_id = \(number);\n")
      case .added, .removed, .changed: break
      }
    }
    if isBegun { writer.write("COMMIT;\n") }
    try writer.passOn(isEnd: true)
    return isBegun
  }

  /// Writes SQL, and the beginning of the script before the first change.
  private mutating func begin(_ sql: String) throws {
    if !isBegun { writer.write("PRAGMA foreign_keys = OFF;\nBEGIN IMMEDIATE;\n") }
    isBegun = true
    writer.write(sql)
    try writer.passOn()
  }
}

// The schema.
extension DiffScript {
  private mutating func drop() throws {
    var removed: [SchemaObject] = []
    for change in plan.schemaChanges {
      switch change {
      case .removed(let object), .changed(let object, _): removed.append(object)
      case .added, .userVersion, .applicationID: break
      }
    }
    // The objects that belong to a table come before the table.
    for kind in [SchemaObject.Kind.trigger, .view, .index, .table] {
      for object in removed where object.kind == kind {
        guard object.isRelation || !dropped.contains(foldedName(object.table)) else { continue }
        if kind == .trigger { droppedTriggers.insert(foldedName(object.name)) }
        try begin("DROP \(kind.rawValue.uppercased()) \(object.name.quotedName);\n")
      }
    }
  }

  private mutating func create(_ object: SchemaObject) throws {
    try begin("\(object.sql)\(object.sql.endOfComment);\n")
    if object.kind == .table { touched.insert(foldedName(object.name)) }
  }

  /// Prepares a table for changes of its rows: they must not fire triggers.
  private mutating func touch(_ table: String) throws {
    let key = foldedName(table)
    guard touched.insert(key).inserted else { return }
    for trigger in plan.old where trigger.kind == .trigger && foldedName(trigger.table) == key {
      guard droppedTriggers.insert(foldedName(trigger.name)).inserted else { continue }
      try begin("DROP TRIGGER \(trigger.name.quotedName);\n")
    }
  }

  /// Rebuilds the index of a full-text table from the table that contains its content.
  private mutating func rebuild(_ name: String) throws {
    // A table whose content is missing cannot be rebuilt, and is the same in the second database.
    do { try connection.execute(sql: plan.firstRow(of: name)) } catch let error as SQLiteError
      where error.code.primary == .error || error.code.primary == .corrupt
    { return }
    try begin("INSERT INTO \(name.quotedName)(\(name.quotedName)) VALUES('rebuild');\n")
  }

  /// Sets the counters of `AUTOINCREMENT`, which the insertion of rows changes.
  private mutating func writeSequences() throws {
    let new = try plan.newSequences(connection)
    let changed = Set(try plan.sequenceChanges(connection).map(\.name))
    let inserted = plan.tables.filter {
      $0.new?.isAutoincrement == true && touched.contains(foldedName($0.name))
    }
    let names = changed.union(inserted.map(\.name)).sorted()
    let hasCounters =
      plan.sequences.old || plan.tables.contains { $0.new?.isAutoincrement == true }
    if !hasCounters, !names.isEmpty {
      // Only a table with such a key makes SQLite create the table of the counters.
      try begin(
        """
        CREATE TABLE sluice_sequence(id INTEGER PRIMARY KEY AUTOINCREMENT);
        DROP TABLE sluice_sequence;

        """)
    }
    for name in names {
      try begin("DELETE FROM sqlite_sequence WHERE name = \(name.quoted("'"));\n")
      for number in new[name] ?? [] {
        try begin(
          "INSERT INTO sqlite_sequence(name, seq) VALUES (\(name.quoted("'")), \(number));\n")
      }
    }
  }
}

// The rows.
extension DiffScript {
  private mutating func writeRows(of table: DiffTable) throws {
    guard table.isKept, let old = table.old, let new = table.new else {
      // Dropping the table has deleted its old rows.
      for part in try table.parts(connection) where part.kind == .inserted {
        try insert(part, table.name)
      }
      return
    }
    let match = try DiffMatch(old, new, connection)
    let hard = match.hard()
    // No row gets a unique value before the row that had it is deleted or updated.
    for part in [match.deleted(), hard].compactMap(\.self) {
      try forEachRow(of: part) { script, row, values in
        try script.touch(table.name)
        try script.begin("DELETE FROM \(table.name.quotedName)")
        try script.writeKey(match.key, part, row, values)
      }
    }
    if let part = match.easy() { try update(part, match.key, table.name) }
    for part in [hard, match.inserted()].compactMap(\.self) {
      try insert(part, table.name)
    }
  }

  private mutating func forEachRow(
    of part: DiffPart, _ body: (inout DiffScript, borrowing Row, RowLiterals) throws -> Void
  ) throws {
    let isUTF8 = plan.encoding == .utf8
    let count = part.rows.columns.count * (part.kind == .updated ? 2 : 1)
    let values = RowLiterals(encoding: plan.encoding, count: count)
    try part.statement(connection, showsText: !isUTF8).forEachRow { row in
      try body(&self, row, values)
    }
  }

  private mutating func insert(_ part: DiffPart, _ table: String) throws {
    let rowid = part.usesRowid ? part.rows.rowid : nil
    let names = [rowid].compactMap(\.self) + part.rows.columns.map(\.quotedName)
    let start = "INSERT INTO \(table.quotedName)(\(names.joined(separator: ", "))) VALUES ("
    let count = part.rows.columns.count
    let first = part.kind == .updated ? count + 1 : 1
    try forEachRow(of: part) { script, row, values in
      try script.touch(table)
      try script.begin(start)
      if rowid != nil { script.writer.write("\(try row.integer(at: 0)), ") }
      for index in first..<first + count {
        if index > first { script.writer.write(", ") }
        try values.write(row, index, to: &script.writer)
      }
      script.writer.write(");\n")
    }
  }

  private mutating func update(
    _ part: DiffPart, _ key: [DiffRows.KeyColumn], _ table: String
  ) throws {
    let columns = part.rows.columns
    try forEachRow(of: part) { script, row, values in
      try script.touch(table)
      var start = "UPDATE \(table.quotedName) SET "
      for (index, column) in columns.enumerated()
      where try !values.isSame(row, 1 + index, 1 + columns.count + index) {
        try script.begin("\(start)\(column.quotedName) = ")
        try values.write(row, 1 + columns.count + index, to: &script.writer)
        start = ", "
      }
      try script.writeKey(key, part, row, values)
    }
  }

  /// Writes the condition that selects a row of the first database.
  private mutating func writeKey(
    _ key: [DiffRows.KeyColumn], _ part: DiffPart, _ row: borrowing Row, _ values: RowLiterals
  ) throws {
    writer.write(" WHERE ")
    if part.usesRowid, let rowid = part.rows.rowid {
      writer.write("\(rowid) = \(try row.integer(at: 0))")
    } else {
      for (number, column) in key.enumerated() {
        let name = foldedName(column.name)
        guard let index = part.rows.columns.firstIndex(where: { foldedName($0) == name }) else {
          continue
        }
        writer.write("\(number > 0 ? " AND " : "")\(column.compared) = ")
        try values.write(row, 1 + index, to: &writer)
      }
    }
    writer.write(";\n")
  }
}

extension SchemaObject {
  /// Whether the object is a table or view.
  fileprivate var isRelation: Bool { kind == .table || kind == .view }

  fileprivate var isVirtual: Bool { VirtualTableContent(self) != nil }

  /// The kind and the name, which identify the object.
  fileprivate var place: [String] { [kind.rawValue, foldedName(name)] }
}
