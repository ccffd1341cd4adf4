public import SluiceCore

/// Live values, which are the results of observed queries for views; see ``LiveValue``.
///
/// Observed queries are described at ``DatabaseReader/observe(_:)``.
extension DatabaseReader {
  /// Returns a live value with the rows of an SQL literal, converted by `converter`; it is empty at first.
  @MainActor
  public func live<T: Sendable>(
    _ converter: RowConverter<T>, _ sql: SQL
  ) -> LiveValue<[T]> {
    LiveValue(initial: [], observing: observe(converter, sql))
  }

  /// Returns a live value with the rows of one statement, converted by `converter`; it is empty at first.
  @MainActor
  public func live<T: Sendable>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameters = []
  ) -> LiveValue<[T]> {
    LiveValue(initial: [], observing: observe(converter, sql: sql, parameters: parameters))
  }

  /// Returns a live value with the rows of an SQL literal as `Decodable` values; it is empty at first.
  @MainActor
  public func live<T: Decodable & Sendable>(_ type: T.Type, _ sql: SQL) -> LiveValue<[T]> {
    live(.decoding(type), sql)
  }

  /// Returns a live value with the rows of one statement as `Decodable` values; it is empty at first.
  @MainActor
  public func live<T: Decodable & Sendable>(
    _ type: T.Type, sql: String, parameters: SQLParameters = []
  ) -> LiveValue<[T]> {
    live(.decoding(type), sql: sql, parameters: parameters)
  }

  /// Returns a live value with the result of `fetch`; it has the initial value at first.
  ///
  /// ```swift
  /// let count = queue.live(initial: 0) { connection in
  ///   try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
  /// }
  /// ```
  @MainActor
  public func live<T: Sendable>(
    initial: T,
    _ fetch: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) -> LiveValue<T> {
    LiveValue(initial: initial, observing: observe(fetch))
  }

  /// Returns one range of the rows of an SQL literal, which follows the database; see ``LiveWindow``.
  ///
  /// The SQL must be one SELECT statement without a LIMIT clause.
  @MainActor
  public func live<T: Sendable>(
    window range: Range<Int>, _ converter: RowConverter<T>, _ sql: SQL
  ) -> LiveWindow<T> {
    LiveWindow(range, self, converter) { _ in sql }
  }
}
