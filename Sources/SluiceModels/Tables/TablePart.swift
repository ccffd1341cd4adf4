/// One thing that a table is made with, besides its name and key.
///
/// A property is meant by its key path. Where SQL is asked for, it is pasted as it is.
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

  /// More about the column of a property.
  public static func column(
    _ property: PartialKeyPath<Value>, _ constraints: ColumnConstraint...
  ) -> TablePart {
    TablePart(content: .column(property, constraints))
  }

  /// A column of a model that is not `Codable`, and the property that it holds.
  ///
  /// Of a `Codable` model, it names the column of a property for which Swift does not tell it: one that
  /// has observers or a wrapper, or that takes no two examples. It is NOT NULL, unless the property is
  /// optional.
  public static func column(
    _ name: String, _ property: any PartialKeyPath<Value> & Sendable, _ type: ColumnType,
    _ constraints: ColumnConstraint...
  ) -> TablePart {
    TablePart(content: .namedColumn(name, property, type, constraints))
  }

  /// A column that the table has, and the model does not.
  ///
  /// It is never written, so it needs a default, or can be NULL, which it can be unless
  /// ``ColumnConstraint/notNull`` says otherwise.
  public static func column(
    _ name: String, _ type: ColumnType, _ constraints: ColumnConstraint...
  ) -> TablePart {
    TablePart(content: .namedColumn(name, nil, type, constraints))
  }

  /// How the names of columns are made of those of properties, whatever the strategy of a connection is.
  ///
  /// ```swift
  /// static let table = ModelTable("site", key: \Site.id, .columnNames(.snakeCase))
  /// ```
  ///
  /// With `.snakeCase` the property `homePage` is stored in the column `home_page`, which is
  /// its name in everything that takes the names of columns. Without it, the name is that of the property.
  public static func columnNames(_ strategy: KeyStrategy) -> TablePart {
    TablePart(content: .columnNames(strategy))
  }

  /// No two rows have the same values in all of these columns.
  public static func unique(_ properties: PartialKeyPath<Value>...) -> TablePart {
    TablePart(content: .unique(properties))
  }

  /// A condition in SQL that each row has to meet.
  public static func check(sql: String) -> TablePart { TablePart(content: .check(sql: sql)) }

  /// The columns hold the key of a row of another model's table, in the order of that key.
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

  /// An index over these columns.
  ///
  /// Its name is that of the table and its columns, unless another is given. With a condition in SQL,
  /// it has only the rows that meet it.
  public static func index(
    _ properties: PartialKeyPath<Value>..., unique: Bool = false, named name: String? = nil,
    where sql: String? = nil
  ) -> TablePart {
    let index = IndexPart(
      properties: properties, sql: nil, name: name, isUnique: unique, condition: sql)
    return TablePart(content: .index(index))
  }

  /// An index called `name` over what stands between its parentheses in SQL, such as an expression.
  public static func index(
    sql: String, named name: String, unique: Bool = false, where condition: String? = nil
  ) -> TablePart {
    let index = IndexPart<Value>(
      properties: [], sql: sql, name: name, isUnique: unique, condition: condition)
    return TablePart(content: .index(index))
  }

  /// SQLite sees to it that a column holds what its type says.
  public static var strict: TablePart { TablePart(content: .strict) }

  /// The rows lie in the order of the key, without a number of their own.
  public static var withoutRowid: TablePart { TablePart(content: .withoutRowid) }
}

extension Array {
  /// How the names of columns are made; what is said last counts.
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
