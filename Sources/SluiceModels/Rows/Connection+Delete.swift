public import Sluice

/// Rows that go.
///
/// What means one row throws ``ResultCode/notFound`` if there is none. All return how many rows they
/// have deleted, without those that foreign keys have taken along.
extension Connection {
  /// Deletes the row of a value.
  @discardableResult
  public func delete<M: Model>(_ model: M) throws -> Int {
    try delete(M.self, key: try key(of: model))
  }

  /// Deletes the rows of all values, or none if one of them has no row.
  @discardableResult
  public func delete<M: Model>(_ models: [M]) throws -> Int {
    try forAll(models) { try $0.delete($1) }.reduce(0, +)
  }

  /// Deletes the rows of those values that can be deleted, and returns the others.
  public func deleteEach<M: Model>(_ models: [M]) throws -> [ModelFailure<M>] {
    try forEach(models) { try $0.delete($1) }
  }

  /// Deletes the row that has this key.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, key: M.Key) throws -> Int {
    try changeRow(
      model, "DELETE FROM \(identifier: M.table.name) WHERE \(isRow(model, key))")
  }

  /// Deletes the rows that have these keys: all that there are.
  ///
  /// If fewer are deleted than there are keys, some had no row.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, keys: [M.Key]) throws -> Int {
    try forAll(keys) { connection, key in
      try connection.change(
        "DELETE FROM \(identifier: M.table.name) WHERE \(connection.isRow(model, key))")
    }.reduce(0, +)
  }

  /// Deletes all rows that a query finds; there may be none.
  @discardableResult
  public func delete<M: Model>(_ query: ModelQuery<M>) throws -> Int {
    try change("DELETE FROM \(identifier: M.table.name)" + query.selection(self))
  }

  /// Deletes all rows, and keeps the table.
  @discardableResult
  public func deleteAll<M: Model>(_ model: M.Type) throws -> Int { try delete(M.all) }
}
