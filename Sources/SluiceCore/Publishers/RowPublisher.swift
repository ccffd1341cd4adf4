/// The rows of a statement, before it is said what they become.
///
/// What is published are values: a row ends with the next one.
public struct RowPublisher {
  let connection: Connection
  let sql: String
  let bind: (Statement) throws -> Void

  /// Publishes what `converter` makes of each row.
  public func mapRows<T: Sendable>(_ converter: RowConverter<T>) -> ConnectionPublisher<T> {
    ConnectionPublisher { subscriber in
      ConnectionFeed(subscriber) {
        let statement = try connection.prepare(sql: sql)
        try bind(statement)
        return {
          guard let row = try statement.step() else { return nil }
          return try converter.convert(row)
        }
      }
    }
  }
}

extension Connection {
  /// The rows of one statement, to whoever subscribes.
  ///
  /// ```swift
  /// let events = connection.rowPublisher(
  ///   sql: "SELECT description, date FROM event WHERE date >= ?1"
  /// ) {
  ///   try $0.bind(.timeIntervalSinceReferenceDate(sevenDaysAgo), toParameter: 1)
  /// }.mapRows(.event)
  /// ```
  ///
  /// `bind` binds what the statement needs. Each subscription has a statement of its own, which runs only
  /// as far as values are asked for. What goes wrong, also in the SQL, is told to the subscriber.
  ///
  /// As the connection, it stays where that is used: values come in the calls that ask for them. On
  /// a queue, ``DatabaseReader/rowPublisher(sql:bind:)`` has values come by themselves.
  public func rowPublisher(
    sql: String, bind: @escaping (_ statement: Statement) throws -> Void = { _ in }
  ) -> RowPublisher {
    RowPublisher(connection: self, sql: sql, bind: bind)
  }

  /// The rows of one statement with values, to whoever subscribes.
  public func rowPublisher(_ sql: SQL) -> RowPublisher {
    rowPublisher(sql: sql.text) { try $0.bind(SQLParameters(sql.parameters)) }
  }
}
