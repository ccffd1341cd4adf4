extension DatabaseReader {
  /// The result of a query, now and after each commit that may have changed it.
  ///
  /// ```swift
  /// for try await events in queue.observe(.titled, sql: "SELECT id, title FROM event ORDER BY id") {
  ///   print(events.map(\.title))
  /// }
  /// ```
  ///
  /// In all else it is like the form for a closure.
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

  /// The result of a query with values by position or by name, now and after each commit that may have changed it.
  public func observe<T: Sendable>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameters
  ) -> ValuePublisher<[T]> {
    observe { try $0.query(converter, sql: sql, parameters: parameters) }
  }

  /// The result of a query, now and after each commit that may have changed it.
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
  /// ``ConnectionPool`` and a ``ConnectionReadQueue``, and ``ResultCode/misuse`` on a ``ConnectionQueue``. The queries are
  /// made again after a commit of the queue that writes to a column that they have read, of
  /// whatever kind the table is and by whatever way, or to the schema. What is rolled back does not count, but
  /// a statement counts that has written the same values again: ``ValuePublisher/removeDuplicates()``
  /// passes over what equals the value before.
  ///
  /// The first value comes at once. Those who are slower than the commits get the latest state, not each. On
  /// a ``ConnectionPool`` and a ``ConnectionReadQueue`` the queries wait for no writer; on the latter, a transaction
  /// that stays open keeps them in its past. What other connections and processes write is seen when
  /// ``noticeOtherWriters()`` is called. What functions and virtual tables in Swift read elsewhere is not.
  ///
  /// If `fetch` throws, that is the end, even if it would not throw any more. When the subscription is
  /// cancelled, `fetch` is interrupted. It runs in no task, and so sees no task-local values.
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
      // A subscriber that has cancelled in the meantime found no number.
      if delivery.isOver { access.writer.commits.remove(observer) }
    }
  }

  /// Looks whether another connection or process has written, and has values fetched again if so.
  ///
  /// It does not wait. What was written is not known, so that all that is observed is fetched. It has no effect on
  /// a database that cannot be observed.
  ///
  /// The corresponding SQL is `PRAGMA data_version`.
  public func noticeOtherWriters() {
    guard let serial = try? observableAccess.writer else { return }
    // One notice that waits for its turn serves all that come in the meantime.
    guard serial.commits.beginNotice() else { return }
    serial.async { [commits = serial.commits] connection in
      commits.endNotice()
      let tracker = try connection.track(telling: commits)
      if tracker.othersHaveWritten(connection) { tracker.noteEverything() }
    } result: { [commits = serial.commits] _ in
      // A connection that was closed has nothing to notice.
      commits.endNotice()
    }
  }
}
