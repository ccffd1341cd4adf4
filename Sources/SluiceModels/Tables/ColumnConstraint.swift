import Sluice

/// A constraint on the column of a property.
///
/// SQL arguments are inserted into the statement unchanged.
public struct ColumnConstraint: Sendable {
  enum Content: Sendable {
    case type(ColumnType)
    case representation(ColumnRepresentation)
    case notNull
    case unique
    case autoincrement
    case check(sql: String)
    case defaultValue(any Encodable & Sendable)
    case defaultSQL(String)
    case collate(String)
    case references(ForeignKey)
    case generated(sql: String, isStored: Bool)
  }

  let content: Content

  /// Declares the type of the column; the default is the type of the stored value.
  ///
  /// If the property is stored in another form, such as a `Date` as text in a column of numbers, creating the table throws
  /// ``ResultCode/misuse``. A `Decimal`, which is stored as text by default, can be declared as a number.
  public static func type(_ type: ColumnType) -> ColumnConstraint { Self(content: .type(type)) }

  /// Stores the date of the property, or the dates of its nested value, as a strategy specifies.
  ///
  /// The strategy replaces that of the connection wherever Sluice reads or writes the column: in rows, conditions,
  /// assignments, keys, selections and defaults. In SQL, `.date(value, as: strategy)` is the parameter.
  public static func date(as strategy: DateStrategy) -> ColumnConstraint {
    Self(content: .representation(.date(as: strategy)))
  }

  /// Stores the `Data` of the property as a strategy specifies, which replaces that of the connection.
  public static func data(as strategy: DataStrategy) -> ColumnConstraint {
    Self(content: .representation(.data(as: strategy)))
  }

  /// Stores the UUID of the property as a strategy specifies, which replaces that of the connection.
  public static func uuid(as strategy: UUIDStrategy) -> ColumnConstraint {
    Self(content: .representation(.uuid(as: strategy)))
  }

  /// Stores the array, dictionary or struct of the property as a strategy specifies, which replaces that of the connection.
  public static func nested(as strategy: NestedStrategy) -> ColumnConstraint {
    Self(content: .representation(.nested(as: strategy)))
  }

  /// A constraint that prevents NULL, even if the property is optional.
  public static var notNull: ColumnConstraint { Self(content: .notNull) }

  /// A constraint that prevents two rows from having the same value in the column.
  public static var unique: ColumnConstraint { Self(content: .unique) }

  /// A constraint that prevents SQLite from reusing the key of a deleted row.
  public static var autoincrement: ColumnConstraint { Self(content: .autoincrement) }

  /// Requires each row to meet an SQL condition.
  public static func check(sql: String) -> ColumnConstraint { Self(content: .check(sql: sql)) }

  /// Declares a default for rows that are inserted without the column.
  ///
  /// The default is stored in the same form as the values of the property.
  public static func `default`(_ value: some Encodable & Sendable) -> ColumnConstraint {
    Self(content: .defaultValue(value))
  }

  /// Declares a default in SQL, for rows that are inserted without the column.
  public static func `default`(sql: String) -> ColumnConstraint { Self(content: .defaultSQL(sql)) }

  /// Declares the collation for comparing text in the column, such as `NOCASE`.
  public static func collate(_ name: String) -> ColumnConstraint { Self(content: .collate(name)) }

  /// Requires the column to refer to the key of another model's table.
  public static func references<Other: Model>(
    _ other: Other.Type, onDelete: ForeignKeyAction = .noAction,
    onUpdate: ForeignKeyAction = .noAction, isDeferred: Bool = false
  ) -> ColumnConstraint {
    let key = ForeignKey(
      target: { (Other.table.name, try Other.table.keyNames) }, onDelete: onDelete,
      onUpdate: onUpdate, isDeferred: isDeferred)
    return Self(content: .references(key))
  }

  /// Requires the column to refer to `column` of another table.
  public static func references(
    table: String, column: String, onDelete: ForeignKeyAction = .noAction,
    onUpdate: ForeignKeyAction = .noAction, isDeferred: Bool = false
  ) -> ColumnConstraint {
    let key = ForeignKey(
      target: { (table, [column]) }, onDelete: onDelete, onUpdate: onUpdate, isDeferred: isDeferred)
    return Self(content: .references(key))
  }

  /// Generates the column with an SQL expression; the property is read but never written.
  ///
  /// If `isStored` is true, SQLite computes the expression when it writes the row, otherwise when it reads the
  /// column.
  public static func generated(sql: String, isStored: Bool = false) -> ColumnConstraint {
    Self(content: .generated(sql: sql, isStored: isStored))
  }
}
