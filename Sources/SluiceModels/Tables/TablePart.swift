/// A part of a table's declaration other than its name and key.
///
/// Key paths identify properties. SQL arguments are inserted into the statement unchanged.
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
    case columns(PartialKeyPath<Value>, prefix: String?)
    case strict
    case withoutRowid
  }

  let content: Content

  /// Whether the part needs the coding keys of a `Codable` model.
  var needsKeys: Bool {
    switch content {
    case .columnNames, .columns: true
    default: false
    }
  }

  /// Adds constraints to the column that stores a property.
  public static func column(
    _ property: PartialKeyPath<Value>, _ constraints: ColumnConstraint...
  ) -> TablePart {
    TablePart(content: .column(property, constraints))
  }

  /// Declares a column of a model that is not `Codable`, and the property that the column stores.
  ///
  /// In a `Codable` model, this part names the column of a property that Sluice cannot match to a column: a
  /// property with observers or a wrapper, or a property without two different examples. The column is NOT NULL,
  /// unless the property is optional.
  public static func column(
    _ name: String, _ property: any PartialKeyPath<Value> & Sendable, _ type: ColumnType,
    _ constraints: ColumnConstraint...
  ) -> TablePart {
    TablePart(content: .namedColumn(name, property, type, constraints))
  }

  /// Declares a column for which the model has no property.
  ///
  /// The column is never written, so it must have a default or allow NULL. By default, it allows NULL;
  /// ``ColumnConstraint/notNull`` prevents this.
  public static func column(
    _ name: String, _ type: ColumnType, _ constraints: ColumnConstraint...
  ) -> TablePart {
    TablePart(content: .namedColumn(name, nil, type, constraints))
  }

  /// Stores the struct in a property in columns of its own, one for each of its properties.
  ///
  /// ```swift
  /// static let table = ModelTable("contact", key: \Contact.id, .columns(\.address))
  /// ```
  ///
  /// The names of the columns begin with the prefix; by default, with the name of the property and an underscore, as in
  /// `address_street`. Key paths such as `\.address.street` refer to them. If the property is optional, all of its
  /// columns allow NULL, it is nil if all of them are NULL, and key paths go through it: `\.address?.street`.
  public static func columns(
    _ property: PartialKeyPath<Value>, prefix: String? = nil
  ) -> TablePart {
    TablePart(content: .columns(property, prefix: prefix))
  }

  /// Converts property names to column names with a strategy that replaces the connection's strategy.
  ///
  /// ```swift
  /// static let table = ModelTable("site", key: \Site.id, .columnNames(.snakeCase))
  /// ```
  ///
  /// With `.snakeCase`, the property `homePage` is stored in the column `home_page`. Wherever a column name is
  /// expected, use the converted name. Without this part, each column has the name of its property.
  public static func columnNames(_ strategy: KeyStrategy) -> TablePart {
    TablePart(content: .columnNames(strategy))
  }

  /// Prevents two rows from having the same values in all of these columns.
  public static func unique(_ properties: PartialKeyPath<Value>...) -> TablePart {
    TablePart(content: .unique(properties))
  }

  /// Requires each row to meet an SQL condition.
  public static func check(sql: String) -> TablePart { TablePart(content: .check(sql: sql)) }

  /// Requires the columns to refer to the key of another model's table, in the order of that key's columns.
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

  /// Declares an index on these columns.
  ///
  /// By default, the name consists of the names of the table and its columns. With a condition in SQL, the index
  /// contains only the rows that meet the condition.
  public static func index(
    _ properties: PartialKeyPath<Value>..., unique: Bool = false, named name: String? = nil,
    where sql: String? = nil
  ) -> TablePart {
    let index = IndexPart(
      properties: properties, sql: nil, name: name, isUnique: unique, condition: sql)
    return TablePart(content: .index(index))
  }

  /// Declares an index with this name, and with SQL for its terms, such as an expression.
  public static func index(
    sql: String, named name: String, unique: Bool = false, where condition: String? = nil
  ) -> TablePart {
    let index = IndexPart<Value>(
      properties: [], sql: sql, name: name, isUnique: unique, condition: condition)
    return TablePart(content: .index(index))
  }

  /// An option that makes SQLite check that each column contains values of its declared type.
  public static var strict: TablePart { TablePart(content: .strict) }

  /// An option that stores the rows in the order of the key, without a rowid.
  public static var withoutRowid: TablePart { TablePart(content: .withoutRowid) }
}

extension Array {
  /// Returns the strategy for column names, from the last part that specifies one.
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
