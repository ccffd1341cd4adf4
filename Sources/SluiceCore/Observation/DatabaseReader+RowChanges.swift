extension DatabaseReader {
  /// Returns a publisher of the rows that each commit changes in these tables, with their values.
  ///
  /// ```swift
  /// for try await commit in queue.rowChanges(in: "player") {
  ///   for change in commit.changes {
  ///     switch change {
  ///     case .inserted(let row): print("new:", row["name"] ?? .null)
  ///     case .updated(let before, let after): print(before, "became", after)
  ///     case .deleted(let row): print("gone:", row["name"] ?? .null)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// There is one element for each commit that changes a row of the tables. It contains all changes in order,
  /// including changes by triggers, foreign key actions, `REPLACE`, and a `DELETE` without `WHERE`. Changes that
  /// were rolled back with the transaction, a savepoint or their statement are left out. The sequence covers the
  /// connection that writes, and no other connection or process. SQLite's pre-update hook, which reports the rows,
  /// is removed when the last subscription ends.
  ///
  /// The rows of a transaction wait in memory for its commit, and the rows of commits wait for the subscriber. If
  /// more than `limit` rows wait, the sequence delivers the waiting commits, and then throws
  /// ``ResultCode/tooBig``. No change is lost silently, and the queue never waits for the subscriber.
  ///
  /// The sequence throws these errors at its beginning:
  /// - ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/preUpdateHook``.
  /// - ``ResultCode/error`` for a table that does not exist.
  /// - ``ResultCode/misuse`` for a connection that only reads, and while the connection has a session.
  /// - ``ResultCode/misuse`` for views, virtual tables and SQLite's own tables, whose rows SQLite does not
  ///   report.
  ///
  /// If the queue is closed, the sequence throws the error of a closed queue.
  ///
  /// SQLite does not report rows that `DROP TABLE` deletes or that `ALTER TABLE` changes. Tables are identified
  /// by the names given here, so after a table is renamed, its changes are no longer reported. If a blob is written
  /// in place, the sequence throws ``ResultCode/misuse``, because SQLite does not report the new value. Text that
  /// is not UTF-8 throws ``ResultCode/mismatch``.
  ///
  /// Virtual generated columns are left out. SQLite 3.40 mixes up the columns that follow a virtual generated
  /// column, and the sequence throws ``ResultCode/schema``; therefore, declare virtual generated columns last.
  ///
  /// In three cases, the sequence throws ``ResultCode/misuse``, because SQLite does not report which rows have
  /// changed:
  /// - A statement fails in a transaction after functions that it calls have changed rows. The same applies if
  ///   triggers have changed rows, and the statement or the schema contains the word `FAIL`.
  /// - Rows of the tables are written through ``Connection/withUnsafeHandle(_:)``.
  /// - A backup, `restore(from:)` or `deserialize(_:)` replaces the content of the database.
  ///
  /// - Parameters:
  ///   - tables: The names of one or more tables.
  ///   - schema: The name that the connection uses for the database that contains the tables.
  ///   - limit: The maximum number of changed rows that can wait.
  /// - Returns: A publisher, which is also an `AsyncSequence`. Each subscription starts independently.
  public func rowChanges(
    in tables: String..., schema: String = "main", limit: Int = 100_000
  ) -> ValuePublisher<RowChanges> {
    observing { access in Self.rowChanges(of: tables, schema, limit, by: access.writer) }
  }

  private static func rowChanges(
    of tables: [String], _ schema: String, _ limit: Int, by writer: SerialConnection
  ) -> ValuePublisher<RowChanges> {
    ValuePublisher { subscriber in
      let inbox = RowInbox(limit: limit, closed: writer.closed)
      let ending = Locked<(HookToken?, Int?)>((nil, nil))
      let delivery = SubscriptionState(subscriber) {
        let (token, number) = ending.withLock { $0 }
        token?.cancel()
        if let number { writer.commits.removeEnding(number) }
        inbox.end()
      } resume: { delivery in
        guard inbox.hasSomething, delivery.begin() else { return }
        writer.afterCompletions {
          while let next = inbox.take() {
            switch next {
            case .success(let changes): if delivery.deliver(changes) { continue }
            case .failure(let error): return delivery.finish(.failure(error))
            }
            break
          }
          delivery.pause()
        }
      }
      inbox.onArrival { [weak delivery] in delivery?.resumeIfWanted() }
      // The closure of an access can replace the followed connection; the sequence then throws an error.
      let number = writer.commits.addEnding { inbox.fail(writer.replaced) }
      ending.withLock { $0.1 = number }
      delivery.start()
      follow(tables, schema, by: writer, into: inbox) { [weak delivery] result in
        switch result {
        case .success(let token):
          ending.withLock { $0.0 = token }
          // If the subscription ended before the token was stored, nothing has cancelled the token.
          if delivery?.isOver ?? true { token.cancel() }
        case .failure(let error):
          writer.afterCompletions { [weak delivery] in delivery?.finish(.failure(error)) }
        }
      }
    }
  }

  /// Adds the hook that fills the inbox, and retries if the writer is suspended in the meantime.
  private static func follow(
    _ tables: [String], _ schema: String, by writer: SerialConnection, into inbox: RowInbox,
    result: @escaping @Sendable (Result<HookToken, any Error>) -> Void
  ) {
    let halts = writer.haltCount
    writer.async { connection in
      try connection.collectRows(of: tables, schema, into: inbox)
    } result: { outcome in
      guard case .failure = outcome, writer.haltCount != halts else {
        return result(outcome)
      }
      follow(tables, schema, by: writer, into: inbox, result: result)
    }
  }
}

extension Connection {
  fileprivate func collectRows(
    of tables: [String], _ schema: String, into inbox: RowInbox
  ) throws -> HookToken {
    try SQLiteLibrary.require(.preUpdateHook)
    guard inbox.limit > 0 else {
      throw SQLiteError(.range, "The limit must be positive (got \(inbox.limit))")
    }
    guard !tables.isEmpty else {
      throw SQLiteError(.misuse, "rowChanges(in:) needs the name of at least one table")
    }
    guard !isReadOnly(schema) else {
      throw SQLiteError(.misuse, "The connection is read-only; observe the queue that writes")
    }
    for table in tables { try refuseUnseen(table, schema) }
    let watched = WatchedTables(
      schema: schema.withoutCase, names: Set(tables.map(\.withoutCase)))
    let collector = RowCollector(watched, inbox, self)
    let token = try onPreUpdate { collector.note($0) }
    collector.token = token
    transactionWatch.add(collector)
    return token
  }

  /// Throws if SQLite does not report the rows of a table, or if the table does not exist.
  private func refuseUnseen(_ table: String, _ schema: String) throws {
    let name = try quoted(identifier: table)
    func refuse(_ what: String) throws {
      throw SQLiteError(.misuse, "\(name) is \(what), and SQLite does not report its rows")
    }
    if table.withoutCase.hasPrefix("sqlite_") { try refuse("a table of SQLite") }
    let sql = "PRAGMA \(try quoted(identifier: schema)).table_list(\(name))"
    switch try first(.column(.string, at: 2), sql: sql) {
    case nil: throw SQLiteError(.error, "The database \(schema) has no table \(name)")
    case "view": try refuse("a view")
    case "virtual": try refuse("a virtual table")
    default: break
    }
  }
}
