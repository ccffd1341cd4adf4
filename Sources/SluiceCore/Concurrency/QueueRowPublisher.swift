import Dispatch

/// The rows of a statement on a queue, before it is said what they become.
public struct QueueRowPublisher: Sendable {
  let access: Result<DatabaseAccess, any Error>
  let sql: String
  let bind: @Sendable (Statement) throws -> Void

  /// Publishes what `converter` makes of each row.
  public func mapRows<T: Sendable>(_ converter: RowConverter<T>) -> ValuePublisher<T> {
    let query = RowQuery(sql: sql, bind: bind, convert: converter.convert)
    let access: DatabaseAccess
    do { access = try self.access.get() } catch { return .failing(error) }
    return ValuePublisher { subscriber in
      let cursor = Locked<RowCursor<T>?>(RowCursor(query, on: access))
      let current = CurrentJob()
      Delivery(subscriber) {
        cursor.withLock { $0 = nil }
        current.stop()
      } resume: { delivery in
        guard delivery.begin(), let job = current.begin() else { return }
        cursor.withLock { $0 }?.deliver(to: delivery, job)
      }.start()
    }
  }
}

extension RowCursor {
  /// Delivers as many values as are wanted, a batch at a time.
  fileprivate func deliver(to delivery: Delivery<Value>, _ job: Job) {
    start(min(delivery.wanted, 256))(job) { [access] result in
      access.afterCompletions {
        do {
          let (values, isLast) = try result.get()
          for value in values where !delivery.deliver(value) { break }
          if isLast { return delivery.finish(.finished) }
          delivery.pause()
        } catch { delivery.finish(.failure(error)) }
      }
    }
  }
}

extension DatabaseReader {
  /// The rows of one statement, to whoever subscribes.
  ///
  /// ```swift
  /// let titles = queue.rowPublisher(sql: "SELECT title FROM event WHERE id > ?1") {
  ///   try $0.bind(.int(0), toParameter: 1)
  /// }.mapRows(.column(.string))
  /// ```
  ///
  /// `bind` binds what the statement needs. Each subscription has a statement of its own, which runs only
  /// as far as values are asked for, and ends as that of ``RowStream`` does.
  public func rowPublisher(
    sql: String, bind: @escaping @Sendable (_ statement: Statement) throws -> Void = { _ in }
  ) -> QueueRowPublisher {
    QueueRowPublisher(access: Result { try observableAccess }, sql: sql, bind: bind)
  }

  /// The rows of one statement with values, to whoever subscribes.
  public func rowPublisher(_ sql: SQL) -> QueueRowPublisher {
    rowPublisher(sql: sql.text) { try $0.bind(SQLParameters(sql.parameters)) }
  }
}
