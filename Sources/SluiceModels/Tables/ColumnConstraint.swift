import Sluice

/// A constraint of the column of a property.
///
/// Where SQL is asked for, it is pasted as it is.
public struct ColumnConstraint: Sendable {
  enum Content: Sendable {
    case type(ColumnType)
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

  /// Another type than that of what is stored.
  public static func type(_ type: ColumnType) -> ColumnConstraint { Self(content: .type(type)) }

  /// The column cannot be NULL, although the property can be nil.
  public static var notNull: ColumnConstraint { Self(content: .notNull) }

  /// No two rows have the same value.
  public static var unique: ColumnConstraint { Self(content: .unique) }

  /// A key that SQLite assigns is never one that a deleted row had.
  public static var autoincrement: ColumnConstraint { Self(content: .autoincrement) }

  /// A condition in SQL that each row has to meet.
  public static func check(sql: String) -> ColumnConstraint { Self(content: .check(sql: sql)) }

  /// The default of the column in a row that is inserted without it, stored as the property is.
  public static func `default`(_ value: some Encodable & Sendable) -> ColumnConstraint {
    Self(content: .defaultValue(value))
  }

  /// The SQL of what the column holds in a row that is inserted without it.
  public static func `default`(sql: String) -> ColumnConstraint { Self(content: .defaultSQL(sql)) }

  /// The order by which texts are compared, such as `NOCASE`.
  public static func collate(_ name: String) -> ColumnConstraint { Self(content: .collate(name)) }

  /// The column holds the key of a row of another model's table.
  public static func references<Other: Model>(
    _ other: Other.Type, onDelete: ForeignKeyAction = .noAction,
    onUpdate: ForeignKeyAction = .noAction, isDeferred: Bool = false
  ) -> ColumnConstraint {
    let key = ForeignKey(
      target: { (Other.table.name, try Other.table.keyNames) }, onDelete: onDelete,
      onUpdate: onUpdate, isDeferred: isDeferred)
    return Self(content: .references(key))
  }

  /// The column holds what `column` of a table has.
  public static func references(
    table: String, column: String, onDelete: ForeignKeyAction = .noAction,
    onUpdate: ForeignKeyAction = .noAction, isDeferred: Bool = false
  ) -> ColumnConstraint {
    let key = ForeignKey(
      target: { (table, [column]) }, onDelete: onDelete, onUpdate: onUpdate, isDeferred: isDeferred)
    return Self(content: .references(key))
  }

  /// The column is computed by an expression in SQL, when it is read or when the row is written; the
  /// property is only read.
  public static func generated(sql: String, isStored: Bool = false) -> ColumnConstraint {
    Self(content: .generated(sql: sql, isStored: isStored))
  }
}
