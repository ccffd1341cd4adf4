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

  /// Returns a publisher of a selection's results.
  ///
  /// The publisher emits the results now, and again after each commit that may have changed them.
  public func observe<M: Model, T: Sendable>(
    _ selection: ModelSelection<M, T>
  ) -> ValuePublisher<[T]> {
    observe { try $0.fetch(selection) }
  }

  /// Returns a stream that reads the rows of a query as models, on demand.
  ///
  /// ```swift
  /// for try await person in pool.rows(Person.order(by: \.name)) { print(person.name) }
  /// ```
  public func rows<M: Model>(_ query: ModelQuery<M>) -> RowStream<M> {
    rows(.model(M.self), making: { try $0.sql(of: query) })
  }

  /// Returns a stream that reads the results of a selection, on demand.
  public func rows<M: Model, T: Sendable>(_ selection: ModelSelection<M, T>) -> RowStream<T> {
    rows(selection.converter, making: { try $0.sql(of: selection) })
  }
}

/// Live values of model queries; see ``LiveValue``.
extension DatabaseReader {
  /// Returns a live value with the rows of a query; it is empty at first.
  ///
  /// ```swift
  /// let adults = queue.live(Person.where(\.age >= 18).order(by: \.name))
  /// ```
  @MainActor
  public func live<M: Model>(_ query: ModelQuery<M>) -> LiveValue<[M]> {
    LiveValue(initial: [], observing: observe(query))
  }

  /// Returns a live value with the results of a selection; it is empty at first.
  @MainActor
  public func live<M: Model, T: Sendable>(_ selection: ModelSelection<M, T>) -> LiveValue<[T]> {
    LiveValue(initial: [], observing: observe(selection))
  }

  /// Returns a live value with the row with this key; it is nil at first, and while there is no such row.
  @MainActor
  public func live<M: Model>(_ model: M.Type, key: M.Key) -> LiveValue<M?> {
    LiveValue(initial: nil, observing: observe(model, key: key))
  }

  /// Returns one range of the rows that a query finds, which follows the database; see `LiveWindow`.
  ///
  /// ```swift
  /// let page = queue.live(window: 0..<50, Person.order(by: \.name))
  /// page.observe(Person.where(.like(\.name, .containing("ad"))).order(by: \.name))
  /// ```
  ///
  /// The query must have no limit.
  @MainActor
  public func live<M: Model>(window range: Range<Int>, _ query: ModelQuery<M>) -> LiveWindow<M> {
    LiveWindow(range, self, .model(M.self), query.unlimited)
  }

  /// Returns a live value with the number of rows that a query finds; it is 0 at first.
  @MainActor
  public func liveCount<M: Model>(of query: ModelQuery<M>) -> LiveValue<Int> {
    LiveValue(initial: 0, observing: observeCount(of: query))
  }
}

extension LiveWindow where Element: Model {
  /// Observes another query in place of the current one, such as a search for another text.
  public func observe(_ query: ModelQuery<Element>) {
    observe(query.unlimited)
  }
}

extension ModelQuery {
  /// A closure that returns the SQL, whose limit a window sets; throws if the query has one of its own.
  fileprivate var unlimited: @Sendable (Connection) throws -> SQL {
    { connection in
      guard limit == nil, offset == 0 else {
        throw SQLiteError(.misuse, "The query of a window must have no limit: the range sets it")
      }
      return try connection.sql(of: self)
    }
  }
}
