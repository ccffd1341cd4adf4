public import Sluice

/// Deletion of rows.
///
/// A method that deletes a single row throws ``ResultCode/notFound`` if the row does not exist. Except for
/// `deleteEach`, all methods return the number of deleted rows. Rows that foreign key actions
/// delete are not counted.
extension Connection {
  /// Deletes the row of a value.
  @discardableResult
  public func delete<M: Model>(_ model: M) throws -> Int {
    try delete(M.self, key: try key(of: model))
  }

  /// Deletes the row of a value, and returns the converted row as it was.
  ///
  /// If the converter throws, the row has been deleted; rethrow the error to roll back the transaction.
  ///
  /// The corresponding SQL is `DELETE … RETURNING *`.
  public func delete<M: Model, T>(_ model: M, returning converter: RowConverter<T>) throws -> T {
    try delete(M.self, key: try key(of: model), returning: converter)
  }

  /// Deletes the rows of all values; if one of them has no row, deletes nothing.
  @discardableResult
  public func delete<M: Model>(_ models: [M]) throws -> Int {
    try forAll(models) { try $0.delete($1) }.reduce(0, +)
  }

  /// Deletes the rows of the values, and returns the values that could not be deleted, with their errors.
  public func deleteEach<M: Model>(_ models: [M]) throws -> [ModelFailure<M>] {
    try forEach(models) { try $0.delete($1) }
  }

  /// Deletes the row with this key.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, key: M.Key) throws -> Int {
    try counted(change(deletion(model, key)), model)
  }

  /// Deletes the row with this key, and returns the converted row as it was.
  ///
  /// If the converter throws, the row has been deleted; rethrow the error to roll back the transaction.
  public func delete<M: Model, T>(
    _ model: M.Type, key: M.Key, returning converter: RowConverter<T>
  ) throws -> T {
    try found(first(converter, deletion(model, key) + " RETURNING *"), model)
  }

  /// Deletes the rows with these keys; a key without a row is skipped.
  ///
  /// If the result is less than the number of keys, there was no row for some keys.
  @discardableResult
  public func delete<M: Model>(_ model: M.Type, keys: [M.Key]) throws -> Int {
    try counts(model, keys).reduce(0, +)
  }

  /// Deletes the rows with these keys, and returns the keys without a row.
  ///
  /// A key that occurs twice has no row the second time.
  public func deleteEach<M: Model>(_ model: M.Type, keys: [M.Key]) throws -> [M.Key] {
    zip(keys, try counts(model, keys)).filter { $1 == 0 }.map { key, _ in key }
  }

  /// Deletes the rows with these keys, and returns the number of deleted rows for each key.
  private func counts<M: Model>(_ model: M.Type, _ keys: [M.Key]) throws -> [Int] {
    try forAll(keys) { connection, key in
      try connection.change(connection.deletion(model, key))
    }
  }

  private func deletion<M: Model>(_ model: M.Type, _ key: M.Key) throws -> SQL {
    SQL(text: try M.table.statements.get().deleteRow, try keyValues(model, key))
  }

  /// Deletes all rows that a query finds, and returns their number, which may be 0.
  @discardableResult
  public func delete<M: Model>(_ query: ModelQuery<M>) throws -> Int {
    try change("DELETE FROM \(identifier: M.table.name)" + query.selection(self))
  }

  /// Deletes all rows that a query finds, and returns the converted rows as they were, in no particular order.
  ///
  /// If the converter throws, the rows have been deleted; rethrow the error to roll back the transaction.
  public func delete<M: Model, T>(
    _ query: ModelQuery<M>, returning converter: RowConverter<T>
  ) throws -> [T] {
    try self.query(
      converter,
      "DELETE FROM \(identifier: M.table.name)\(try query.selection(self)) RETURNING *")
  }

  /// Deletes all rows of a model's table, and keeps the table.
  @discardableResult
  public func deleteAll<M: Model>(_ model: M.Type) throws -> Int { try delete(M.all) }
}
