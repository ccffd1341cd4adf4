/// A part of a table's declaration, besides its name and key.
///
/// Key paths identify properties. SQL arguments are pasted as they are.
public struct TablePart<Value> {
  enum Content {
    case column(PartialKeyPath<Value>, [ColumnConstraint])
    case namedColumn(
      String, (any PartialKeyPath<Value> & Sendable)?, ColumnType, [ColumnConstraint])
    case unique([PartialKeyPath<Value>])
    case check(sql: String)
    case foreignKey([PartialKeyPath<Value>], ForeignKey)
    case index(IndexPart<Value>)
    case columnNames(KeyStrategy)
    case strict
    case withoutRowid
  }

  let content: Content

  /// The constraints on the column of a property.
  public static func column(
    _ property: PartialKeyPath<Value>, _ constraints: ColumnConstraint...
  ) -> TablePart {
    TablePart(content: .column(property, constraints))
  }

  /// A column of a model that is not `Codable`, and the property that the column holds.
  ///
  /// In a `Codable` model, it names the column of a property that Sluice cannot match to a column: one that has
  /// observers or a wrapper, or that has no two examples. The column is NOT NULL, unless the property is
  /// optional.
  public static func column(
    _ name: String, _ property: any PartialKeyPath<Value> & Sendable, _ type: ColumnType,
    _ constraints: ColumnConstraint...
  ) -> TablePart {
    TablePart(content: .namedColumn(name, property, type, constraints))
  }

  /// A column of the table that the model does not have.
  ///
  /// The column is never written, so it must have a default or allow NULL. It allows NULL, unless
  /// ``ColumnConstraint/notNull`` is given.
  public static func column(
    _ name: String, _ type: ColumnType, _ constraints: ColumnConstraint...
  ) -> TablePart {
    TablePart(content: .namedColumn(name, nil, type, constraints))
  }

  /// The strategy that converts property names to column names, regardless of the connection's strategy.
  ///
  /// ```swift
  /// static let table = ModelTable("site", key: \Site.id, .columnNames(.snakeCase))
  /// ```
  ///
  /// With `.snakeCase`, the property `homePage` is stored in the column `home_page`. Use the converted name
  /// wherever the name of a column is expected. Without this part, a column has the name of its property.
  public static func columnNames(_ strategy: KeyStrategy) -> TablePart {
    TablePart(content: .columnNames(strategy))
  }

  /// No two rows have the same values in all of these columns.
  public static func unique(_ properties: PartialKeyPath<Value>...) -> TablePart {
    TablePart(content: .unique(properties))
  }

  /// A condition in SQL that each row must meet.
  public static func check(sql: String) -> TablePart { TablePart(content: .check(sql: sql)) }

  /// The columns refer to the key of a row of another model's table, in the order of that key.
  public static func foreignKey<Other: Model>(
    _ properties: PartialKeyPath<Value>..., references other: Other.Type,
    onDelete: ForeignKeyAction = .noAction, onUpdate: ForeignKeyAction = .noAction,
    isDeferred: Bool = false
  ) -> TablePart {
    let key = ForeignKey(
      target: { (Other.table.name, try Other.table.keyNames) }, onDelete: onDelete,
      onUpdate: onUpdate, isDeferred: isDeferred)
    return TablePart(content: .foreignKey(properties, key))
  }

  /// An index on these columns.
  ///
  /// The name consists of the names of the table and its columns, unless `name` is given. With a condition in
  /// SQL, the index contains only the rows that meet the condition.
  public static func index(
    _ properties: PartialKeyPath<Value>..., unique: Bool = false, named name: String? = nil,
    where sql: String? = nil
  ) -> TablePart {
    let index = IndexPart(
      properties: properties, sql: nil, name: name, isUnique: unique, condition: sql)
    return TablePart(content: .index(index))
  }

  /// An index called `name`, with SQL between its parentheses, such as an expression.
  public static func index(
    sql: String, named name: String, unique: Bool = false, where condition: String? = nil
  ) -> TablePart {
    let index = IndexPart<Value>(
      properties: [], sql: sql, name: name, isUnique: unique, condition: condition)
    return TablePart(content: .index(index))
  }

  /// SQLite ensures that each column holds values of its declared type.
  public static var strict: TablePart { TablePart(content: .strict) }

  /// The rows are stored in the order of the key, without a rowid.
  public static var withoutRowid: TablePart { TablePart(content: .withoutRowid) }
}

extension Array {
  /// Returns the strategy for the names of columns, which is that of the last part that has one.
  func keys<Value>() -> KeyStrategy where Element == TablePart<Value> {
    for part in reversed() {
      if case .columnNames(let strategy) = part.content { return strategy }
    }
    return .asWritten
  }
}

struct IndexPart<Value> {
  let properties: [PartialKeyPath<Value>]
  let sql: String?
  let name: String?
  let isUnique: Bool
  let condition: String?
}
