import Sluice

/// The schema that a table's declaration defines.
struct TableSchema<Value>: Sendable where Value: Sendable {
  struct Column: Sendable {
    let name: String
    /// The declared type of the column; nil to use the storage class of the column's value in the first example.
    var type: ColumnType?
    /// Whether the model has a property for the column.
    let isMapped: Bool
    var isNotNull: Bool
    var constraints: [ColumnConstraint] = []
    /// Whether a part of the declaration names the column.
    var isDeclared = false
    /// The type that is decoded from the column; nil if it is unknown.
    ///
    /// Access is safe: the model is Sendable, so it may decode the type on any thread.
    nonisolated(unsafe) var valueType: (any Decodable.Type)?

    var isGenerated: Bool {
      constraints.contains { if case .generated = $0.content { true } else { false } }
    }
  }

  struct Index: Sendable {
    let name: String
    let columns: [String]
    let sql: String?
    let isUnique: Bool
    let condition: String?
  }

  private(set) var columns: [Column]
  let keyNames: [String]
  private(set) var uniques: [[String]] = []
  private(set) var checks: [String] = []
  private(set) var foreignKeys: [(columns: [String], key: ForeignKey)] = []
  private(set) var indexes: [Index] = []
  private(set) var isStrict = false
  private(set) var isWithoutRowid = false
  let examples: Examples<Value>

  /// The names of the columns that the model reads, and of the columns that it writes.
  let read: [String]
  let written: [String]
  private let names: Set<String>

  init(
    _ table: String, keys: [PartialKeyPath<Value>], _ parts: [TablePart<Value>],
    examples: Examples<Value>
  ) throws {
    var examples = examples
    var columns = try examples.columns()
    for part in parts {
      guard case .namedColumn(let name, let property, let type, let constraints) = part.content
      else { continue }
      let found = columns.firstIndex { $0.name == name }
      // A part with a property may name a column that the examples revealed, unless an earlier part does.
      // In all other cases, the name must be new.
      guard found.map({ property != nil && !columns[$0].isDeclared }) ?? true else {
        throw SQLiteError(.misuse, "The table \"\(table)\" has two columns named \"\(name)\"")
      }
      if let property { examples.declare(property, as: name) }
      let valueType = property.map { Swift.type(of: $0).valueType }
      var column = Column(
        name: name, type: type, isMapped: property != nil,
        isNotNull: valueType.map { !($0 is any OptionalType.Type) } ?? false)
      column.constraints = constraints
      column.isDeclared = true
      if let found {
        unsafe column.valueType = valueType as? any Decodable.Type
        columns[found] = column
      } else {
        columns.append(column)
      }
    }
    for part in parts {
      guard case .column(let property, let constraints) = part.content else { continue }
      let name = try examples.column(property)
      for index in columns.indices where columns[index].name == name {
        columns[index].constraints += constraints
        // A model that is not Codable may store a property in any form, so the column's value type stays unknown.
        guard examples.first != nil else { continue }
        unsafe columns[index].valueType = Swift.type(of: property).valueType as? any Decodable.Type
      }
    }
    for index in columns.indices {
      for constraint in columns[index].constraints {
        switch constraint.content {
        case .type(let type): columns[index].type = type
        case .notNull: columns[index].isNotNull = true
        default: break
        }
      }
    }
    keyNames = try keys.map { try examples.column($0) }
    self.columns = columns
    self.examples = examples
    read = columns.filter(\.isMapped).map(\.name)
    written = columns.filter { $0.isMapped && !$0.isGenerated }.map(\.name)
    names = Set(columns.map(\.name))
    for part in parts { try add(part, to: table) }
  }

  private mutating func add(_ part: TablePart<Value>, to table: String) throws {
    switch part.content {
    case .column, .namedColumn: break
    case .columnNames:
      guard examples.first != nil else {
        throw SQLiteError(
          .misuse, "The table \"\(table)\" lists its columns, so it cannot convert their names")
      }
    case .unique(let properties): uniques.append(try properties.map(column))
    case .check(let sql): checks.append(sql)
    case .foreignKey(let properties, let key):
      foreignKeys.append((try properties.map(column), key))
    case .index(let index):
      let names = try index.properties.map(column)
      indexes.append(
        Index(
          name: index.name ?? ([table] + names).joined(separator: "_"), columns: names,
          sql: index.sql, isUnique: index.isUnique, condition: index.condition))
    case .strict: isStrict = true
    case .withoutRowid: isWithoutRowid = true
    }
  }

  /// Returns whether there is a column with this name.
  func has(_ column: String) -> Bool { names.contains(column) }

  var isAutoincrement: Bool {
    columns.contains {
      $0.constraints.contains { if case .autoincrement = $0.content { true } else { false } }
    }
  }

  /// Returns the name of the column that stores a property.
  func column(_ property: PartialKeyPath<Value>) throws -> String {
    let name = try examples.column(property)
    guard has(name) else {
      throw SQLiteError(.range, "\(Value.self) has no column named \"\(name)\"")
    }
    return name
  }

  /// Returns the name of a column; throws if there is no such column.
  func column(named name: String) throws -> String {
    // Swift considers canonically equivalent strings equal, but SQLite does not.
    guard let known = columns.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      throw SQLiteError(.range, "\(Value.self) has no column named \"\(name)\"")
    }
    return known.name
  }
}

extension TableSchema {
  /// Returns the name of a column; throws if SQLite sorts its values differently than Swift.
  func ordered(_ column: String) throws -> String {
    let type = columns.first { $0.name == column }?.type
    // In a REAL or INTEGER column, SQLite converts the text of a `Decimal` to a number.
    guard examples.isDecimal(column), type != .real, type != .integer else { return column }
    throw SQLiteError(
      .misuse,
      """
      The Decimal "\(column)" of \(Value.self) is stored as text, which is not sorted like numbers: \
      use .sql with CAST, or declare the column .type(.real)
      """)
  }
}
