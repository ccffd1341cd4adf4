import CSluice

/// The properties of a statement, whether it has run or not. Once its connection is closed, each property
/// throws ``ResultCode/misuse``.
extension Statement {
  /// The type with which the table declares a column, such as `VARCHAR(10)`, in the table's words.
  ///
  /// It is nil for what is no column of a table, as in `SELECT a + 1`, and for one that is declared
  /// without a type. A value need not be of this type: ``Row/storageClass(at:)`` tells what it is.
  ///
  /// An index outside of the columns throws ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3_column_decltype`.
  public func declaredType(at index: Int) throws -> String? {
    let handle = try unsafe openHandle()
    guard index >= 0, index < columns.count else { throw noColumn(index) }
    let type = unsafe sqlite3_column_decltype(handle, Int32(truncatingIfNeeded: index))
    return unsafe type.map { unsafe String(cString: $0) }
  }

  /// The declared types of the columns in order, each as ``declaredType(at:)`` gives it.
  public var declaredTypes: [String?] {
    get throws {
      _ = try unsafe openHandle()
      var types: [String?] = []
      for index in 0..<columns.count { types.append(try declaredType(at: index)) }
      return types
    }
  }

  /// Whether the statement leaves all database files as they are.
  ///
  /// It speaks of what the statement does by itself: a function that it calls may write all the
  /// same. `BEGIN`, `COMMIT` and `ATTACH` count as reading, and an `EXPLAIN` as what it explains.
  ///
  /// The corresponding C function is `sqlite3_stmt_readonly`.
  public var isReadOnly: Bool {
    get throws { unsafe sqlite3_stmt_readonly(try openHandle()) != 0 }
  }

  /// Whether the statement has begun and not ended, so that it stands on a row or is running.
  ///
  /// What it has locked stays locked until it is stepped to its end or reset.
  ///
  /// The corresponding C function is `sqlite3_stmt_busy`.
  public var isBusy: Bool {
    get throws { unsafe sqlite3_stmt_busy(try openHandle()) != 0 }
  }

  /// The kind of explanation, or none if the statement runs.
  public enum ExplainMode: Hashable, Sendable, CaseIterable {
    /// The statement runs.
    case none
    /// The rows are the program that the statement was compiled to: `EXPLAIN`.
    case explain
    /// The rows are the steps in which the statement looks for its data: `EXPLAIN QUERY PLAN`.
    case queryPlan
  }

  /// The kind of `EXPLAIN` that the SQL begins with.
  ///
  /// The corresponding C function is `sqlite3_stmt_isexplain`.
  public var explainMode: ExplainMode {
    get throws {
      switch unsafe sqlite3_stmt_isexplain(try openHandle()) {
      case 1: .explain
      case 2: .queryPlan
      default: .none
      }
    }
  }

  /// The SQL with the values in it that are bound, and NULL for those that are not.
  ///
  /// It is for the eyes of a developer. It holds what users have entered, so do not log it, and it
  /// is not always what runs: SQLite rounds reals to 15 digits and ends text at its first NUL.
  ///
  /// It throws ``ResultCode/tooBig`` if the text would be longer than SQLite allows, or than there
  /// is memory for.
  ///
  /// The corresponding C function is `sqlite3_expanded_sql`.
  public var expandedSQL: String {
    get throws {
      guard let text = unsafe sqlite3_expanded_sql(try openHandle()) else {
        throw SQLiteError(
          .tooBig, "The expanded SQL is too long, or memory ran out", sql: sql)
      }
      defer { unsafe sqlite3_free(text) }
      return unsafe String(cString: text)
    }
  }
}

extension Statement {
  /// The SQL with `?` in the place of each value, and without its white space and comments.
  ///
  /// Statements that differ in such things alone have the same, so it can be logged and counted.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/normalizedSQL``.
  ///
  /// The corresponding C function is `sqlite3_normalized_sql`.
  public var normalizedSQL: String {
    get throws {
      try SQLiteLibrary.require(.normalizedSQL)
      guard let text = unsafe sluice_normalized_sql(try openHandle()) else {
        throw SQLiteError(.noMemory, "Out of memory for the normalized SQL", sql: sql)
      }
      return unsafe String(cString: text)
    }
  }
}

/// The column of a table from which a column of a result comes.
public struct ColumnOrigin: Hashable, Sendable {
  /// The name of the database, such as `main`.
  public let database: String
  /// The name of the table, also if the result comes from it by way of a view.
  public let table: String
  /// The name of the column in the table.
  public let column: String
}

extension Statement {
  /// Where the columns come from, in order; nil for a column that is computed.
  ///
  /// After a change of the schema it is up to date once the statement has been stepped.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/columnMetadata``.
  ///
  /// The corresponding C functions are `sqlite3_column_database_name`, `sqlite3_column_table_name` and
  /// `sqlite3_column_origin_name`.
  public var columnOrigins: [ColumnOrigin?] {
    get throws {
      try SQLiteLibrary.require(.columnMetadata)
      let handle = try unsafe openHandle()
      return (0..<Int32(truncatingIfNeeded: columnCount)).map { index in
        guard let database = unsafe sluice_column_database_name(handle, index),
          let table = unsafe sluice_column_table_name(handle, index),
          let column = unsafe sluice_column_origin_name(handle, index)
        else { return nil }
        return unsafe ColumnOrigin(
          database: String(cString: database), table: String(cString: table),
          column: String(cString: column))
      }
    }
  }
}

extension Statement {
  /// Calls `body` with the `sqlite3_stmt` of this statement, for functions of C that Sluice lacks.
  ///
  /// ```swift
  /// let isExplain = try unsafe statement.withUnsafeHandle { handle in
  ///   unsafe sqlite3_stmt_isexplain(handle) != 0
  /// }
  /// ```
  ///
  /// The compiler cannot check what `body` does. It must not finalize the statement, or keep the handle after it returns.
  /// Meanwhile, other code can neither use the statement nor close its connection.
  ///
  /// A row that the statement stands on can be read before, inside and afterwards. If `body` steps or resets the statement,
  /// the row becomes invalid, and the statement starts from its beginning the next time. Values that `body` binds are
  /// used, but a parameter that only C has bound counts as one without a value: bind it with Sluice first, to NULL
  /// for example.
  ///
  /// - Returns: The value of `body`.
  /// - Throws: ``ResultCode/misuse`` if the connection is closed, the statement is running, or bytes of its row are lent;
  ///   the error of `body`.
  @unsafe
  public func withUnsafeHandle<T>(_ body: (_ handle: OpaquePointer) throws -> T) throws -> T {
    connection.finishDeferred()
    let handle = try unsafe idleHandle()
    try state.refuseStrangers()
    try connection.refuseStatements()
    try state.requireWriting()
    let isOnRow = progress == .atRow
    let steps = unsafe Self.steps(of: handle)
    func isMoved() -> Bool {
      unsafe sqlite3_stmt_busy(handle) != 0
        ? !isOnRow || Self.steps(of: handle) != steps
        : isOnRow || Self.steps(of: handle) != steps
    }
    var failure: (any Error)?
    let value = try connection.lendingHandle(changes: isMoved()) {
      unsafe holds += 1
      defer { unsafe holds -= 1 }
      let result = Result { try unsafe body(handle) }
      unsafe failure = isMoved() ? restart(handle) : nil
      return try result.get()
    }
    if let failure { throw failure }
    return value
  }

  /// Brings a statement that C has moved back to its start.
  private func restart(_ handle: OpaquePointer) -> (any Error)? {
    // Of a statement that C has left, SQLite repeats the failure, which C knows.
    let isBusy = unsafe sqlite3_stmt_busy(handle) != 0
    let held = unsafe holds
    let code = unsafe rewind(handle)
    unsafe holds = held
    leaveRow(for: .ready)
    return isBusy && code != SQLITE_OK ? connection.failure(code, sql: sql) : nil
  }

  /// A number that grows with each step.
  private static func steps(of handle: OpaquePointer) -> Int32 {
    unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)
  }
}
