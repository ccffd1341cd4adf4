import SluiceCore

/// The table that rows are imported into.
struct ImportTable {
  private let connection: Connection
  private let name: String
  private let columns: [Column]
  /// The indexes of the columns by their folded names.
  private let indexes: [String: Int]
  private let key: [Int]
  private let blobs: BlobEncoding
  private let ignoresUnknownColumns: Bool
  private var plans: [[Int]: Plan] = [:]
  private var current: Plan?

  private struct Column {
    let name: String
    let storage: Storage
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

  /// The statement for rows with certain columns.
  private struct Plan {
    let indexes: [Int]
    /// For each parameter of the statement, the index of its value in the row, and its column.
    let parts: [(value: Int, column: Column)]
    let statement: Statement
  }

  /// The number of statements that are kept; JSON objects can have any combination of keys.
  private static let planLimit = 100

  /// Inspects an existing table.
  init(
    _ name: String, on connection: Connection, database: String, key: [String],
    blobs: BlobEncoding, ignoresUnknownColumns: Bool
  ) throws {
    self.connection = connection
    self.name = database.quotedName + "." + name.quotedName
    self.blobs = blobs
    self.ignoresUnknownColumns = ignoresUnknownColumns
    columns = try connection.columns(of: name, database: database).filter {
      $0.kind == .ordinary
    }.map { Column(name: $0.name, storage: Storage(of: $0.declaredType)) }
    let indexes = Dictionary(
      uniqueKeysWithValues: columns.enumerated().map { (foldedName($1.name), $0) })
    self.indexes = indexes
    self.key = try key.map { column in
      guard let index = indexes[foldedName(column)] else {
        throw SQLiteError(.misuse, "The table \(name) has no key column \"\(column)\"")
      }
      return index
    }
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
    let plan = Plan(
      indexes: indexes, parts: parts.map { ($0.value, columns[$0.column]) },
      statement: try prepare(sql(for: parts.map(\.column))))
    if plans.count == Self.planLimit { plans.removeAll() }
    plans[indexes] = plan
    current = plan
  }

  private func prepare(_ sql: String) throws -> Statement {
    do { return try connection.prepare(sql: sql) } catch let error as SQLiteError
      where error.message.hasPrefix("ON CONFLICT clause does not match")
    {
      let names = key.map { "\"\(columns[$0].name)\"" }.joined(separator: ", ")
      throw SQLiteError(
        .misuse, "The table \(name) has no unique index on \(names), so this is not a key", sql: sql
      )
    }
  }

  /// Inserts a row, for whose columns a statement is prepared, or updates the row with the same key.
  func insert(_ values: [ImportValue]) throws {
    guard let current else { return }
    for index in current.parts.indices {
      let part = current.parts[index]
      try bind(values[part.value], part.column, current.statement, index + 1)
    }
    try current.statement.execute()
  }

  private func parts(_ indexes: [Int], _ names: [String]) throws -> [(value: Int, column: Int)] {
    guard !names.isEmpty || indexes.isEmpty else {
      guard indexes.count == columns.count else {
        throw SQLiteError(
          .mismatch,
          "The row has \(indexes.count) fields, but the table \(name) has \(columns.count) columns")
      }
      return indexes.map { ($0, $0) }
    }
    var parts: [(value: Int, column: Int)] = []
    for (value, index) in indexes.enumerated() {
      guard let column = self.indexes[foldedName(names[index])] else {
        guard !ignoresUnknownColumns else { continue }
        throw SQLiteError(
          .mismatch,
          "The table \(name) has no column \"\(names[index])\"; add it, or ignore unknown columns")
      }
      guard !parts.contains(where: { $0.column == column }) else {
        throw SQLiteError(.mismatch, "The column \"\(names[index])\" occurs twice")
      }
      parts.append((value, column))
    }
    return parts
  }

  private func sql(for used: [Int]) throws -> String {
    if let missing = key.first(where: { !used.contains($0) }) {
      throw SQLiteError(.mismatch, "The key column \"\(columns[missing].name)\" is missing")
    }
    guard !used.isEmpty else { return "INSERT INTO \(name) DEFAULT VALUES" }
    let marks = used.map { _ in "?" }.joined(separator: ", ")
    let insertion = "INSERT INTO \(name)(\(list(used))) VALUES (\(marks))"
    guard !key.isEmpty else { return insertion }
    let updates = used.filter { !key.contains($0) }.map { index in
      let column = columns[index].name.quotedName
      return "\(column) = excluded.\(column)"
    }
    let action =
      updates.isEmpty ? "NOTHING" : "UPDATE SET " + updates.joined(separator: ", ")
    return insertion + " ON CONFLICT(\(list(key))) DO \(action)"
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
