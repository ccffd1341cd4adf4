import Sluice
public import SluiceCore

/// Observation of model queries.
extension DatabaseReader {
  /// Publishes the result of a query, now and after each commit that may have changed it.
  ///
  /// ```swift
  /// for try await adults in queue.observe(Person.where(\.age >= 18).order(by: \.name)) {
  ///   print(adults.map(\.name))
  /// }
  /// ```
  public func observe<M: Model>(_ query: ModelQuery<M>) -> ValuePublisher<[M]> {
    observe { try $0.fetch(query) }
  }

  /// Publishes the row with this key, now and after each commit that may have changed it.
  ///
  /// The value is nil while there is no such row.
  public func observe<M: Model>(
    _ model: M.Type, key: M.Key
  ) -> ValuePublisher<M?> {
    observe { try $0.fetch(model, key: key) }
  }

  /// Publishes the number of rows that a query finds, now and after each commit that may have changed it.
  public func observeCount<M: Model>(of query: ModelQuery<M>) -> ValuePublisher<Int> {
    observe { try $0.count(query) }
  }
}
