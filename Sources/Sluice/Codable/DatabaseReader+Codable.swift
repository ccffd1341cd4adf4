public import SluiceCore

/// Values of a `Decodable` type that come over time: rows that are asked for, and queries that are
/// observed; see ``RowDecoder``.
extension DatabaseReader {
  /// A value of each row of one statement, as they are asked for.
  public func rows<T: Decodable & Sendable>(
    _ type: T.Type, sql: String, parameters: SQLParameter...
  ) -> RowStream<T> {
    rows(.decoding(type), sql: sql, parameters: parameters)
  }

  /// A value of each row of one statement, in which the interpolated values are bound, as they are asked
  /// for.
  public func rows<T: Decodable & Sendable>(_ type: T.Type, _ sql: SQL) -> RowStream<T> {
    rows(.decoding(type), sql)
  }

  /// What a query finds, now and after each commit that may have changed it.
  public func observe<T: Decodable & Sendable>(
    _ type: T.Type, sql: String, parameters: SQLParameter...
  ) -> ValuePublisher<[T]> {
    observe(.decoding(type), sql: sql, parameters: parameters)
  }

  /// What a query, in which the interpolated values are bound, finds, now and after each commit that may
  /// have changed it.
  public func observe<T: Decodable & Sendable>(
    _ type: T.Type, _ sql: SQL
  ) -> ValuePublisher<[T]> {
    observe(.decoding(type), sql)
  }
}
