extension DatabaseReader {
  /// Publishes the result of a query, now and after each commit that may have changed it.
  ///
  /// ```swift
  /// for try await events in queue.observe(.titled, sql: "SELECT id, title FROM event ORDER BY id") {
  ///   print(events.map(\.title))
  /// }
  /// ```
  ///
  /// Otherwise, the method behaves like the one that takes a closure.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
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

  /// Publishes the result of a query with parameters, now and after each commit that may have changed it.
  ///
  /// The values of the parameters are given by position or by name.
  public func observe<T: Sendable>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameters
  ) -> ValuePublisher<[T]> {
    observe { try $0.query(converter, sql: sql, parameters: parameters) }
  }

  /// Publishes the result of a query, now and after each commit that may have changed it.
  public func observe<T: Sendable>(
    _ converter: RowConverter<T>, _ sql: SQL
  ) -> ValuePublisher<[T]> {
    observe(converter, sql: sql.text, parameters: SQLParameters(sql.parameters))
  }

  /// Publishes the result of `fetch`, now and after each commit that may have changed it.
  ///
  /// ```swift
  /// let counts = queue.observe { connection in
  ///   try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
  /// }.removeDuplicates()
  /// ```
  ///
  /// All queries of `fetch` see one state of the database. Writing throws ``ResultCode/readOnly`` on a
  /// ``ConnectionPool`` and a ``ConnectionReadQueue``, and ``ResultCode/misuse`` on a ``ConnectionQueue``.
  ///
  /// The queries run again after a commit of the queue that writes to the schema, or to a column that they have
  /// read. The kind of table and the means of writing do not matter. Changes that are rolled back do not count,
  /// but a statement that writes the same values again does: ``ValuePublisher/removeDuplicates()`` skips a value
  /// that equals the previous one.
  ///
  /// The first value arrives at once. A subscriber that is slower than the commits gets the latest state, not
  /// every state. On a ``ConnectionPool`` and a ``ConnectionReadQueue``, the queries do not wait for a writer. On
  /// a ``ConnectionReadQueue``, a transaction that stays open keeps the queries at its old snapshot. Changes by
  /// other connections and processes are seen when ``noticeOtherWriters()`` is called. Data that functions and
  /// virtual tables in Swift read elsewhere is not observed.
  ///
  /// If `fetch` throws, the publisher ends, even if `fetch` would no longer throw. Cancelling the subscription
  /// interrupts `fetch`. `fetch` does not run in a task, so it sees no task-local values.
  public func observe<T: Sendable>(
    _ fetch: @escaping @Sendable (_ connection: inout sending Connection) throws -> T
  ) -> ValuePublisher<T> {
    observing { access in Self.values(of: fetch, from: access) }
  }

  private static func values<T: Sendable>(
    of fetch: @escaping @Sendable (_ connection: inout sending Connection) throws -> T,
    from access: DatabaseAccess
  ) -> ValuePublisher<T> {
    ValuePublisher { subscriber in
      let query = LiveQuery(access, fetch)
      let number = Locked<Int?>(nil)
      let delivery = SubscriptionState(subscriber) {
        if let number = number.withLock({ $0.take() }) { access.writer.commits.remove(number) }
        query.stop()
      } resume: { delivery in
        query.fetchIfStale(for: delivery)
      }
      let observer = access.writer.commits.add { [weak delivery] changes in
        guard let delivery, query.isStale(after: changes) else { return }
        query.fetchIfStale(for: delivery)
      }
      number.withLock { $0 = observer }
      delivery.start()
      // A subscriber that has cancelled in the meantime found no number to remove.
      if delivery.isOver { access.writer.commits.remove(observer) }
    }
  }

  /// Checks whether another connection or process has written, and if so, fetches observed values again.
  ///
  /// The method does not wait for the check. All observed values are fetched again, because the changes are
  /// unknown. The method has no effect on a database that cannot be observed.
  ///
  /// The corresponding SQL is `PRAGMA data_version`.
  public func noticeOtherWriters() {
    guard let serial = try? observableAccess.writer else { return }
    // One check that waits for its turn serves all calls in the meantime.
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
