/// A table, view, index or trigger, as the database describes it.
public struct SchemaObject: Hashable, Sendable {
  /// What it is.
  public let kind: Kind
  /// What it is called.
  public let name: String
  /// The table or view that it belongs to; its own name, if it is one itself.
  public let table: String
  /// The SQL that made it, as SQLite keeps it.
  public let sql: String

  /// What a schema is made of.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case table, view, index, trigger
  }
}

extension SchemaObject: CustomStringConvertible {
  /// The kind and the name.
  public var description: String { "\(kind.rawValue) \"\(name)\"" }
}
