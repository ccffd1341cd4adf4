import Sluice
public import SluiceCore

/// Observation of model queries.
extension DatabaseReader {
  /// Returns a publisher of a query's result.
  ///
  /// The publisher emits the result now, and again after each commit that may have changed the result.
  ///
  /// ```swift
  /// for try await adults in queue.observe(Person.where(\.age >= 18).order(by: \.name)) {
  ///   print(adults.map(\.name))
  /// }
  /// ```
  public func observe<M: Model>(_ query: ModelQuery<M>) -> ValuePublisher<[M]> {
    observe { try $0.fetch(query) }
  }

  /// Returns a publisher of the row with this key.
  ///
  /// The publisher emits the row now, and again after each commit that may have changed the row. The emitted value
  /// is nil while the row does not exist.
  public func observe<M: Model>(
    _ model: M.Type, key: M.Key
  ) -> ValuePublisher<M?> {
    observe { try $0.fetch(model, key: key) }
  }

  /// Returns a publisher of the number of rows that a query finds.
  ///
  /// The publisher emits the number now, and again after each commit that may have changed the number.
  public func observeCount<M: Model>(of query: ModelQuery<M>) -> ValuePublisher<Int> {
    observe { try $0.count(query) }
  }
}
