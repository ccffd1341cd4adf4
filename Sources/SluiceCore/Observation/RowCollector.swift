/// A follower that collects the changed rows of some tables, and passes the rows of each commit to an inbox.
final class RowCollector: TransactionFollower {
  var log = TransactionLog<Result<RowChanges.Change, any Error>>()
  var token: HookToken?
  private let tables: WatchedTables
  private let inbox: RowInbox
  private unowned let connection: Connection
  /// The layouts of the tables, by table name; emptied when a table may have changed.
  private var layouts: [String: RowLayout] = [:]
  private var isOverflowing = false

  init(_ tables: WatchedTables, _ inbox: RowInbox, _ connection: Connection) {
    self.tables = tables
    self.inbox = inbox
    self.connection = connection
  }

  var isCancelled: Bool { token?.isCancelled ?? false }

  func note(_ change: borrowing PendingRowChange) {
    let table = change.table
    guard change.schema.withoutCase == tables.schema, tables.names.contains(table.withoutCase),
      !isOverflowing, let place = connection.state.watchers.transactions?.place
    else { return }
    guard !connection.state.calls.lendsHandle else {
      return inbox.fail(
        SQLiteError(
          .misuse,
          "A row of \(table) was written through the C handle, so its commit cannot be tracked"
        ))
    }
    let entry: Result<RowChanges.Change, any Error>
    do { entry = .success(try self.change(change, table)) } catch { entry = .failure(error) }
    log.append(entry, at: place, isCounted: change.isCounted)
    if log.count > inbox.limit {
      isOverflowing = true
      removeAll(connection.state)
    }
  }

  func prepareCommit() {}

  func committed() -> ((Connection) -> Void)? {
    if isOverflowing { inbox.overflow() }
    isOverflowing = false
    guard !log.isEmpty else { return nil }
    do { inbox.add(RowChanges(changes: try log.takeAll().map { try $0.get() })) } catch {
      inbox.fail(error)
    }
    return nil
  }

  func rolledBack() -> ((Connection) -> Void)? {
    isOverflowing = false
    return nil
  }

  func forgetNames() { layouts = [:] }

  func loseRows() {
    guard let place = connection.state.watchers.transactions?.place else { return }
    let error = SQLiteError(
      .misuse, "A statement failed, and SQLite does not report which rows it had changed")
    log.append(.failure(error), at: place)
  }

  func contentWasReplaced(in schema: String) {
    guard schema.withoutCase == tables.schema else { return }
    inbox.fail(SQLiteError(.misuse, "The content of the database \(schema) was replaced"))
  }

  func closed() { inbox.close() }
}

extension RowCollector {
  private func change(
    _ change: borrowing PendingRowChange, _ table: String
  ) throws -> RowChanges.Change {
    let layout = try layout(of: table)
    guard layout.count == change.count else {
      throw SQLiteError(
        .schema, "The table \(table) has \(layout.count) columns, but its row \(change.count)")
    }
    guard change.writtenBlob == nil else {
      throw SQLiteError(
        .misuse, "A blob of \(table) was written in place, and SQLite does not report its value")
    }
    return switch change.operation {
    case .insert: .inserted(try newRow(change, table, layout))
    case .update: .updated(try oldRow(change, table, layout), try newRow(change, table, layout))
    case .delete: .deleted(try oldRow(change, table, layout))
    }
  }

  private func oldRow(
    _ change: borrowing PendingRowChange, _ table: String, _ layout: RowLayout
  ) throws -> ChangedRow {
    let values = try layout.columns.map { try $0.stored(change.old(at: $0.index)) }
    return ChangedRow(
      table: table, rowid: layout.hasRowid ? change.oldRowid : nil,
      values: RowValues(names: layout.names, values: values))
  }

  private func newRow(
    _ change: borrowing PendingRowChange, _ table: String, _ layout: RowLayout
  ) throws -> ChangedRow {
    let values = try layout.columns.map { try $0.stored(change.new(at: $0.index)) }
    return ChangedRow(
      table: table, rowid: layout.hasRowid ? change.newRowid : nil,
      values: RowValues(names: layout.names, values: values))
  }

  private func layout(of table: String) throws -> RowLayout {
    if let layout = layouts[table] { return layout }
    // A query in the hook is safe: SQLite's session extension also queries columns in its hook.
    let layout = try connection.state.cleaningUp {
      try unsafe RowLayout(of: table, tables.schema, connection.handle())
    }
    layouts[table] = layout
    return layout
  }
}

/// The observed tables of a database, with all names in lower case.
struct WatchedTables: Sendable {
  let schema: String
  let names: Set<String>
}
