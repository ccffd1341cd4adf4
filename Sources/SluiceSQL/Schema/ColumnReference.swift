/// A reference to a column of a table, compared by identity, because comparing names takes time.
final class ColumnReference: Hashable, Sendable {
  /// The name of the database, such as `main`.
  let database: String
  let table: String
  let column: String
  /// Whether the column is generated, so that statements do not write it.
  let isGenerated: Bool

  init(database: String, table: String, column: String, isGenerated: Bool = false) {
    self.database = database
    self.table = table
    self.column = column
    self.isGenerated = isGenerated
  }

  static func == (first: ColumnReference, second: ColumnReference) -> Bool { first === second }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
