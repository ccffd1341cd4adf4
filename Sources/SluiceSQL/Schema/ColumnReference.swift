/// A column of a table.
struct ColumnReference: Hashable, Sendable {
  /// The name of the database, such as `main`.
  let database: String
  let table: String
  let column: String
}
