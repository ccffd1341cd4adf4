import SluiceCore

/// The table that rows are imported into.
struct ImportTable {
  private let connection: Connection
  private let name: String
  /// All columns that a query of the table returns.
  private let columns: [Column]
  /// The indexes of the columns by their folded names.
  private let indexes: [String: Int]
  private var key: ImportKey
  private let blobs: BlobEncoding
  private let ignoresUnknownColumns: Bool
  private var plans: [[Int]: Plan] = [:]
  private var current: Plan?

  private struct Column {
    let name: String
    let storage: Storage
    /// Whether SQLite computes the values, so that those in the file are skipped.
    let isGenerated: Bool
  }

  /// The treatment of text in a column.
  fileprivate enum Storage {
    /// A plain number is stored as a number.
    case number
    /// The text is stored.
    case text
    /// The text represents a blob.
    case blob
  }

  /// The statements for rows with certain columns, which have the same parameters.
  private struct Plan {
    let indexes: [Int]
    /// For each parameter, the index of its value in the row, and the index of its column.
    let parts: [(value: Int, column: Int)]
    /// For each column of the key, the index of its value in the row.
    let keyValues: [Int]
    /// Inserts a row, or updates the row with the same key.
    let insertion: Statement
    let update: Update?
  }

  /// The statements that update an existing row from a row that lacks columns of the table.
  ///
  /// SQLite checks the constraints of a row to insert before it looks for its key, so it would refuse the row because
  /// of a column that the row does not have.
  private struct Update {
    let search: Statement
    /// The update; nil if the row contains nothing but its key.
    let change: Statement?
  }

  /// The number of statements that are kept; JSON objects can have any combination of keys.
  private static let planLimit = 100

  /// Inspects an existing table.
  init(
    _ name: String, on connection: Connection, database: String, key: [String],
    blobs: BlobEncoding, ignoresUnknownColumns: Bool
  ) throws {
    self.connection = connection
    let table = database.quotedName + "." + name.quotedName
    self.name = table
    self.blobs = blobs
    self.ignoresUnknownColumns = ignoresUnknownColumns
    let all = try connection.columns(of: name, database: database).filter { $0.kind != .hidden }
    columns = all.map { column in
      Column(
        name: column.name, storage: Storage(of: column.declaredType),
        isGenerated: column.kind != .ordinary)
    }
    let indexes = Dictionary(
      uniqueKeysWithValues: all.enumerated().map { (foldedName($1.name), $0) })
    self.indexes = indexes
    let keyColumns = try key.map { column in
      guard let index = indexes[foldedName(column)], all[index].kind == .ordinary else {
        throw SQLiteError(.misuse, "The table \(table) has no key column \"\(column)\"")
      }
      return index
    }
    self.key = try ImportKey(keyColumns, of: all, on: connection, table: name, database: database)
  }
}

extension ImportTable.Storage {
  /// Determines the treatment of text by SQLite's rules for the affinity of a column.
  init(of declaredType: String?) {
    let type = declaredType?.uppercased() ?? ""
    if type.contains("INT") {
      self = .number
    } else if type.isEmpty || type == "ANY"
      || ["CHAR", "CLOB", "TEXT"].contains(where: type.contains)
    {
      self = .text
    } else {
      self = type.contains("BLOB") ? .blob : .number
    }
  }
}

extension ImportTable {
  /// Prepares the statement for rows with these columns.
  ///
  /// - Parameters:
  ///   - indexes: For each value of a row, the index of its name in `names`.
  ///   - names: The names of the columns that were met so far; empty if the columns have no names.
  /// - Throws: ``ResultCode/mismatch`` if the table does not have these columns.
  mutating func prepare(_ indexes: [Int], _ names: [String]) throws {
    guard current?.indexes != indexes else { return }
    if let plan = plans[indexes] {
      current = plan
      return
    }
    let parts = try parts(indexes, names)
    let used = parts.map(\.column)
    let plan = Plan(
      indexes: indexes, parts: parts,
      keyValues: key.columns.compactMap { key in parts.first { $0.column == key }?.value },
      insertion: try prepare(insertion(of: used)), update: try update(of: used))
    if plans.count == Self.planLimit { plans.removeAll() }
    plans[indexes] = plan
    current = plan
  }

  private func prepare(_ sql: String) throws -> Statement {
    do { return try connection.prepare(sql: sql) } catch let error as SQLiteError
      where error.message.hasPrefix("ON CONFLICT clause does not match")
    {
      let names = key.columns.map { "\"\(columns[$0].name)\"" }.joined(separator: ", ")
      throw SQLiteError(
        .misuse, "The table \(name) has no unique index on \(names), so this is not a key", sql: sql
      )
    }
  }

  /// Inserts a row, for whose columns a statement is prepared, or updates the row with the same key.
  mutating func insert(_ values: [ImportValue]) throws {
    guard let current else { return }
    for index in current.keyValues.indices {
      try key.check(values[current.keyValues[index]], at: index)
    }
    if let update = current.update {
      try bind(values, current, update.search)
      guard try update.search.first(.column(.int)) == nil else {
        guard let change = update.change else { return }
        try bind(values, current, change)
        return try change.execute()
      }
    }
    try bind(values, current, current.insertion)
    try current.insertion.execute()
  }

  private func bind(_ values: [ImportValue], _ plan: Plan, _ statement: Statement) throws {
    // A statement that needs only the key has fewer parameters if the key comes first.
    for index in 0..<min(plan.parts.count, statement.parameterCount) {
      let part = plan.parts[index]
      try bind(values[part.value], columns[part.column], statement, index + 1)
    }
  }

  private func parts(_ indexes: [Int], _ names: [String]) throws -> [(value: Int, column: Int)] {
    guard !names.isEmpty || indexes.isEmpty else { return try unnamedParts(indexes.count) }
    var parts: [(value: Int, column: Int)] = []
    for (value, index) in indexes.enumerated() {
      guard let column = self.indexes[foldedName(names[index])] else {
        guard !ignoresUnknownColumns else { continue }
        throw SQLiteError(
          .mismatch,
          "The table \(name) has no column \"\(names[index])\"; add it, or ignore unknown columns")
      }
      guard !columns[column].isGenerated else { continue }
      guard !parts.contains(where: { $0.column == column }) else {
        throw SQLiteError(.mismatch, "The column \"\(names[index])\" occurs twice")
      }
      parts.append((value, column))
    }
    return parts
  }

  /// Returns the columns of a row with this number of values, but without names.
  ///
  /// An exported row contains the values of generated columns, and other rows do not.
  private func unnamedParts(_ count: Int) throws -> [(value: Int, column: Int)] {
    let ordinary = columns.indices.filter { !columns[$0].isGenerated }
    if count == columns.count { return ordinary.map { ($0, $0) } }
    guard count == ordinary.count else {
      throw SQLiteError(
        .mismatch,
        "The row has \(count.counting("field")), but the table \(name) has "
          + ordinary.count.counting("column"))
    }
    return ordinary.enumerated().map { ($0, $1) }
  }

  private func insertion(of used: [Int]) throws -> String {
    if let missing = key.columns.first(where: { !used.contains($0) }) {
      throw SQLiteError(.mismatch, "The key column \"\(columns[missing].name)\" is missing")
    }
    guard !used.isEmpty else { return "INSERT INTO \(name) DEFAULT VALUES" }
    let marks = used.map { _ in "?" }.joined(separator: ", ")
    let insertion = "INSERT INTO \(name)(\(list(used))) VALUES (\(marks))"
    guard !key.columns.isEmpty else { return insertion }
    let updates = used.filter { !key.columns.contains($0) }.map { index in
      let column = columns[index].name.quotedName
      return "\(column) = excluded.\(column)"
    }
    let action =
      updates.isEmpty ? "NOTHING" : "UPDATE SET " + updates.joined(separator: ", ")
    return insertion + " ON CONFLICT(\(list(key.columns))) DO \(action)"
  }

  /// Returns the statements for rows that lack columns of the table; nil if the rows have all columns.
  private func update(of used: [Int]) throws -> Update? {
    guard !key.columns.isEmpty,
      columns.indices.contains(where: { index in
        !columns[index].isGenerated && !used.contains(index)
      })
    else { return nil }
    func parameter(_ column: Int) -> String { "?\((used.firstIndex(of: column) ?? 0) + 1)" }
    let condition = zip(key.columns, key.terms).map { "\($1) = \(parameter($0))" }
      .joined(separator: " AND ")
    let changes = used.filter { !key.columns.contains($0) }.map { index in
      "\(columns[index].name.quotedName) = \(parameter(index))"
    }.joined(separator: ", ")
    return Update(
      search: try connection.prepare(sql: "SELECT 1 FROM \(name) WHERE \(condition)"),
      change: changes.isEmpty
        ? nil : try connection.prepare(sql: "UPDATE \(name) SET \(changes) WHERE \(condition)"))
  }

  private func list(_ indexes: [Int]) -> String {
    indexes.map { columns[$0].name.quotedName }.joined(separator: ", ")
  }

  private func bind(
    _ value: ImportValue, _ column: Column, _ statement: Statement, _ index: Int
  ) throws {
    switch value {
    case .null: try statement.bind(DatabaseValue.null, toParameter: index)
    case .integer(let value): try statement.bind(value, toParameter: index)
    case .real(let value): try statement.bind(value, toParameter: index)
    case .text(let text), .untyped(let text):
      switch column.storage {
      case .text: try statement.bind(text, toParameter: index)
      case .number: try bind(number: text, statement, index)
      case .blob:
        guard let bytes = blobs.bytes(of: text) else {
          throw SQLiteError(
            .mismatch, "The value for the BLOB column \"\(column.name)\" is not \(blobs)")
        }
        try statement.bind(bytes, toParameter: index)
      }
    }
  }

  /// Binds text to a column for numbers.
  private func bind(number text: String, _ statement: Statement, _ index: Int) throws {
    switch PlainNumber(text) {
    case .integer(let value): try statement.bind(value, toParameter: index)
    // SQLite 3.40 does not always convert text to the nearest real, so it is converted here.
    case .real(let value, isExact: true): try statement.bind(value, toParameter: index)
    // SQLite or a constraint of the table decides on any other text.
    case .real, nil: try statement.bind(text, toParameter: index)
    }
  }
}
