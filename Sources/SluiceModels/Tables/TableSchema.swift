import Sluice

/// The schema that a table's declaration defines.
final class TableSchema<Value: Sendable>: Sendable {
  struct Column: Sendable {
    let name: String
    /// The coding key of the property; the name of the column if the property has no coding key.
    let property: String
    /// The declared type of the column; nil to use the storage class of the column's value in the first example.
    var type: ColumnType?
    /// Whether the model has a property for the column.
    let isMapped: Bool
    var isNotNull: Bool
    var constraints: [ColumnConstraint] = []
    /// The declared representation of the values; nil for that of the connection.
    var representation: ColumnRepresentation?
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

  let columns: [Column]
  let keyNames: [String]
  let uniques: [[String]]
  let checks: [String]
  let foreignKeys: [(columns: [String], key: ForeignKey)]
  let indexes: [Index]
  let isStrict: Bool
  let isWithoutRowid: Bool
  let examples: Examples<Value>

  /// The columns that the model reads, and the names of the columns that it writes.
  let read: ReadColumns
  let written: [String]
  let statements: TableStatements
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
      try Self.refuse(constraints, of: property, in: name, examples.first)
      var column = Column(
        name: name, property: examples.key(of: name), type: type, isMapped: property != nil,
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
      try Self.refuse(constraints, of: property, in: name, examples.first)
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
        case .representation(let representation):
          guard columns[index].representation == nil else {
            throw SQLiteError(
              .misuse,
              "The column \"\(columns[index].name)\" of \(Value.self) has two representations")
          }
          columns[index].representation = representation
        case .notNull: columns[index].isNotNull = true
        default: break
        }
      }
    }
    let names = Set(columns.map(\.name))
    let column = { [examples] (property: PartialKeyPath<Value>) throws -> String in
      try examples.column(property, in: names)
    }
    keyNames = try keys.map { try examples.column($0) }
    let representations = columns.compactMap { column in
      column.representation.map { (column.property, $0) }
    }
    let rules = examples.rules(Dictionary(representations, uniquingKeysWith: { $1 }))
    read = ReadColumns(columns.filter(\.isMapped).map { ($0.name, $0.property) }, rules)
    written = columns.filter { $0.isMapped && !$0.isGenerated }.map(\.name)
    statements = TableStatements(
      table: table, keys: keyNames, read: read.names, written: written, all: columns.map(\.name),
      properties: Dictionary(columns.map { ($0.name, $0.property) }, uniquingKeysWith: { $1 }),
      rules)
    uniques = try parts.compactMap {
      guard case .unique(let properties) = $0.content else { return nil }
      return try properties.map(column)
    }
    checks = parts.compactMap { if case .check(let sql) = $0.content { sql } else { nil } }
    foreignKeys = try parts.compactMap {
      guard case .foreignKey(let properties, let key) = $0.content else { return nil }
      return (try properties.map(column), key)
    }
    indexes = try parts.compactMap {
      guard case .index(let index) = $0.content else { return nil }
      let names = try index.properties.map(column)
      return Index(
        name: index.name ?? ([table] + names).joined(separator: "_"), columns: names,
        sql: index.sql, isUnique: index.isUnique, condition: index.condition)
    }
    isStrict = parts.contains { if case .strict = $0.content { true } else { false } }
    isWithoutRowid = parts.contains { if case .withoutRowid = $0.content { true } else { false } }
    if examples.first == nil, parts.contains(where: \.needsKeys) {
      throw SQLiteError(
        .misuse,
        "The table \"\(table)\" lists its columns, so it cannot convert their names or derive them from a struct"
      )
    }
    self.columns = columns
    self.examples = examples
    self.names = names
  }

  /// Throws if a constraint declares a representation that the values of a property cannot have.
  private static func refuse(
    _ constraints: [ColumnConstraint], of property: PartialKeyPath<Value>?, in column: String,
    _ example: Value?
  ) throws {
    for constraint in constraints {
      guard case .representation(let representation) = constraint.content else { continue }
      guard let property else {
        throw SQLiteError(
          .misuse,
          "The column \"\(column)\" of \(Value.self) has no property, so .\(representation.name)(as:) has no values"
        )
      }
      let type = Swift.type(of: property).valueType
      let value = example.flatMap { $0[keyPath: property] as? any Encodable }
      guard representation.suits(type), value.map({ representation.decides($0) }) ?? true
      else {
        throw SQLiteError(
          .misuse,
          "The column \"\(column)\" of \(Value.self) contains \(type), which .\(representation.name)(as:) cannot store"
        )
      }
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
    try examples.column(property, in: names)
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
