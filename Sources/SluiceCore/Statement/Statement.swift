import CSQLite

/// One compiled SQL statement, to be run any number of times.
///
/// ```swift
/// let statement = try connection.prepare(sql: "INSERT INTO t1(a,b) VALUES (?,?)")
/// for (a, b) in pairs {
///   try statement.bind(.int(a), .string(b)).execute()
/// }
/// ```
///
/// There is no need to reset a statement: it resets itself when it has run to its end, when it
/// failed, and when a row closure threw.
///
/// A statement belongs to its connection, and is used where that is used. It keeps the connection
/// open, unless ``Connection/close()`` is called: from then on it throws ``ResultCode/misuse``.
@safe public final class Statement {
  /// The connection that runs this statement.
  public let connection: Connection
  /// The SQL, as it was given.
  public let sql: String

  /// Nil once the connection is closed.
  private(set) var handle: OpaquePointer?
  /// Grows with each move, so that a row can tell whether it is still the current one.
  private(set) var generation: UInt = 0
  var progress = Progress.ready
  /// How many scopes the statement was started in.
  private(set) var depth = 0
  private var isInSQLite = false
  private var lendings = 0
  /// Whether the statement can write.
  private let isWriter: Bool
  var columns: Columns
  var parameters: Parameters

  enum Progress {
    case ready
    case atRow
    case done
    /// Left half way when a transaction began or ended, which ended the statement.
    case ended
  }

  init(_ handle: OpaquePointer, _ connection: Connection, _ sql: String) {
    self.connection = connection
    self.sql = sql
    unsafe self.handle = handle
    isWriter = unsafe sqlite3_stmt_readonly(handle) == 0
    columns = unsafe Columns(of: handle)
    parameters = unsafe Parameters(of: handle)
    unsafe connection.adopt(self, handle)
  }

  deinit {
    guard let handle = unsafe handle else { return }
    unsafe connection.finalize(handle)
  }
}

@available(*, unavailable)
extension Statement: Sendable {}

extension Statement {
  /// How many columns the rows have; 0 for a statement that returns none.
  ///
  /// The corresponding C function is `sqlite3_column_count`.
  public var columnCount: Int { columns.count }

  /// The names of the columns in order, which need not differ from each other.
  ///
  /// After a change of the schema they are up to date once the statement has been stepped.
  ///
  /// The corresponding C function is `sqlite3_column_name`.
  public var columnNames: [String] { unsafe columns.names(of: handle) }

  /// Moves to the next row, or returns nil if there is none.
  ///
  /// After the last row it stays there: asking again gives nil, until the statement is reset,
  /// bound or executed.
  ///
  /// ```swift
  /// while let row = try statement.step() {
  ///   print(try row.value(at: 0))
  /// }
  /// ```
  ///
  /// The corresponding C function is `sqlite3_step`.
  public func step() throws -> Row? {
    try advance() ? Row(self) : nil
  }

  /// Runs the statement from its start to its end, and drops any rows.
  public func execute() throws {
    try reset()
    while try advance() {}
  }

  /// Goes back to the start, and keeps what is bound.
  ///
  /// A statement that writes and was left before its last row ends here, outside of a transaction
  /// with a commit, which can fail.
  ///
  /// The corresponding C function is `sqlite3_reset`.
  public func reset() throws {
    try stop(.ready)
  }

  /// Ends a statement that stands on a row because a transaction begins or ends.
  ///
  /// A step would start it again, and write again what it has written: it throws instead.
  func end() throws { try stop(.ended) }

  private func stop(_ next: Progress) throws {
    let handle = try unsafe idleHandle()
    let wasAtRow = progress == .atRow
    progress = next
    guard wasAtRow else { return }
    let code = unsafe rewind(handle)
    let error = code == SQLITE_OK ? nil : failure(code)
    connection.noteEnd(after: error)
    if let error { throw error }
  }
}

extension Statement {
  /// Moves to the next row; false once there is none.
  func advance() throws -> Bool {
    let handle = try unsafe idleHandle()
    if progress == .done { return false }
    if progress == .ended {
      throw SQLiteError(
        .misuse, "A transaction that began or ended has ended the statement on its row", sql: sql)
    }
    let isStart = progress == .ready
    if isStart { depth = connection.scopes.depth }
    if isStart, let index = parameters.firstUnbound { throw unbound(index) }
    try connection.refuseStatements()
    connection.finalizeOrphans()
    generation &+= 1
    if isWriter { connection.callbacks.runningWrites += 1 }
    let code = inSQLite { unsafe sqlite3_step(handle) }
    if isWriter { connection.callbacks.runningWrites -= 1 }
    if isStart { unsafe columns.refresh(from: handle) }
    switch code {
    case SQLITE_ROW:
      if isStart { _ = connection.callbacks.takeFailure() }
      progress = .atRow
      return true
    case SQLITE_DONE:
      _ = connection.callbacks.takeFailure()
      _ = unsafe rewind(handle)
      progress = .done
      connection.noteEnd()
      return false
    default:
      let error = failure(code)
      // It repeats the code of the step, which is about to be thrown.
      _ = unsafe rewind(handle)
      progress = .ready
      connection.noteEnd(after: error)
      throw error
    }
  }

  /// Brings the statement back to its start in SQLite, and makes its rows stale.
  private func rewind(_ handle: OpaquePointer) -> Int32 {
    generation &+= 1
    return inSQLite { unsafe sqlite3_reset(handle) }
  }

  private func failure(_ code: Int32) -> SQLiteError {
    unsafe connection.callbacks.takeFailure()
      ?? SQLiteError(code, of: connection.rawHandle, sql: sql)
  }

  /// The handle, to ask the statement what changes nothing.
  func openHandle() throws -> OpaquePointer {
    guard let handle = unsafe handle else { throw connection.closed }
    return unsafe handle
  }

  /// The handle, if nothing is under way that a change of the statement would pull the ground from.
  func idleHandle() throws -> OpaquePointer {
    let handle = try unsafe openHandle()
    guard !isInSQLite else {
      throw SQLiteError(
        .misuse, "The statement is running: it cannot be used by a function that it calls", sql: sql
      )
    }
    guard lendings == 0 else {
      throw SQLiteError(.misuse, "Bytes of this statement's row are lent", sql: sql)
    }
    return unsafe handle
  }

  /// Marks a call of SQLite's, which may call back into Swift.
  private func inSQLite(_ body: () -> Int32) -> Int32 {
    isInSQLite = true
    connection.callDepth += 1
    defer {
      isInSQLite = false
      connection.leaveSQLite()
    }
    return body()
  }

  func noColumn(_ index: Int) -> SQLiteError {
    SQLiteError(.range, "There is no column \(index): the row has \(columns.count)", sql: sql)
  }

  func beginLending() {
    lendings += 1
    connection.lendings += 1
  }

  func endLending() {
    lendings -= 1
    connection.lendings -= 1
  }

  /// Whether the statement writes, and stands on a row, so that SQLite holds it to be at work.
  ///
  /// Its writing is done by then: what it has not returned yet are only rows.
  var isWriting: Bool { isWriter && progress == .atRow && !isInSQLite }

  /// Called by the connection when it closes and has finalized the statement.
  func invalidate() {
    unsafe handle = nil
    generation &+= 1
    progress = .ready
  }
}
