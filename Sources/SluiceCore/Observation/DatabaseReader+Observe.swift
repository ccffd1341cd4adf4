extension DatabaseReader {
  /// Returns a publisher of a query's result, now and after each commit that may have changed it.
  ///
  /// ```swift
  /// for try await events in queue.observe(.titled, sql: "SELECT id, title FROM event ORDER BY id") {
  ///   print(events.map(\.title))
  /// }
  /// ```
  ///
  /// In all other respects, this method behaves like the overload that accepts a closure.
  @_disfavoredOverload  // An array literal is a list of values, not the bytes of a blob.
  public func observe<
    T: Sendable, A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable,
    F: SQLBindable
  >(
    _ converter: RowConverter<T>, sql: String, parameters a: A = SQLParameters.NoValue(),
    _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) -> ValuePublisher<[T]> {
    observe(converter, sql: sql, parameters: SQLParameters(a, b, c, d, e, f, others))
  }

  /// Returns a publisher of the result of a query with parameters, now and after each commit that may have
  /// changed it.
  ///
  /// The values of the parameters are given by position or by name.
  public func observe<T: Sendable>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameters
  ) -> ValuePublisher<[T]> {
    observe { try $0.query(converter, sql: sql, parameters: parameters) }
  }

  /// Returns a publisher of a query's result, now and after each commit that may have changed it.
  public func observe<T: Sendable>(
    _ converter: RowConverter<T>, _ sql: SQL
  ) -> ValuePublisher<[T]> {
    observe(converter, sql: sql.text, parameters: SQLParameters(sql.parameters))
  }

  /// Returns a publisher of the result of `fetch`, now and after each commit that may have changed it.
  ///
  /// ```swift
  /// let counts = queue.observe { connection in
  ///   try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
  /// }.removeDuplicates()
  /// ```
  ///
  /// All queries of `fetch` see the same state of the database. Writing throws ``ResultCode/readOnly`` on a
  /// ``ConnectionPool`` and a ``ConnectionReadQueue``, and ``ResultCode/misuse`` on a ``ConnectionQueue``.
  ///
  /// The queries run again after a commit of the queue or pool that changes the schema, or writes to a column that
  /// they have read. This applies to every kind of table and to every way of writing. Changes that are rolled back do
  /// not count. A statement that writes the same values again does count; ``ValuePublisher/removeDuplicates()``
  /// skips values that equal the previous one.
  ///
  /// The first value arrives immediately. A subscriber that is slower than the commits gets the latest state, not
  /// every state. On a ``ConnectionPool`` and a ``ConnectionReadQueue``, the queries do not wait for a writer. On
  /// a ``ConnectionReadQueue``, a transaction that remains open keeps the queries at its old snapshot. Call
  /// ``noticeOtherWriters()`` to check for changes by other connections and processes. Changes to data outside the
  /// database that functions and virtual tables in Swift read are not observed.
  ///
  /// The subscriptions of one publisher that wait for a value at the same time share one call of `fetch`, and all queries
  /// that a commit concerns share accesses and transactions. To serve many clients the same value, store the publisher.
  ///
  /// If `fetch` throws, the publisher ends, even if the next call of `fetch` would succeed. Cancelling the
  /// subscription interrupts `fetch`. `fetch` does not run in a task, so it has no task-local values.
  public func observe<T: Sendable>(
    _ fetch: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) -> ValuePublisher<T> {
    observe(sharing: nil, fetch)
  }

  /// Returns a publisher of the result of `fetch`, which is the same as that of each other closure with this identity.
  package func observe<T: Sendable>(
    sharing identity: QueryIdentity?,
    _ fetch: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) -> ValuePublisher<T> {
    observing { access in
      Self.values(of: LiveQuery(access, identity?.of(T.self), fetch))
    }
  }

  private static func values<T: Sendable>(of query: LiveQuery) -> ValuePublisher<T> {
    ValuePublisher { subscriber in
      let subscription = LiveSubscription(to: query)
      let delivery = SubscriptionState(subscriber) {
        subscription.stop()
      } resume: { delivery in
        subscription.fetchIfStale(for: delivery)
      }
      subscription.start(for: delivery)
    }
  }

  /// Checks whether another connection or process has written, and if so, fetches all observed values again.
  ///
  /// This method does not wait for the check. All observed values are fetched again, because it is unknown which
  /// data has changed. This method has no effect on a database that cannot be observed.
  ///
  /// The corresponding SQL is `PRAGMA data_version`.
  public func noticeOtherWriters() {
    guard let serial = try? observableAccess.writer else { return }
    // One waiting check serves all calls that are made before it runs.
    guard serial.commits.beginNotice() else { return }
    serial.async { [commits = serial.commits] connection in
      commits.endNotice()
      let tracker = try connection.track(telling: commits)
      if tracker.othersHaveWritten(connection) { tracker.noteEverything() }
    } result: { [commits = serial.commits] _ in
      // A closed connection has nothing to check.
      commits.endNotice()
    }
  }
}
