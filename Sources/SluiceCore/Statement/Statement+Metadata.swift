import CSluice

/// Properties of a statement, which are available before and after it runs.
///
/// Once the connection is closed, each property throws ``ResultCode/misuse``.
extension Statement {
  /// Returns the declared type of a column, such as `VARCHAR(10)`, as written in the table's definition.
  ///
  /// The type is nil for an expression, as in `SELECT a + 1`, and for a column that is declared without a type.
  /// A value need not be of the declared type: ``Row/storageClass(at:)`` returns its actual storage class.
  ///
  /// An index outside the columns throws ``ResultCode/range``.
  ///
  /// The corresponding C function is `sqlite3_column_decltype`.
  public func declaredType(at index: Int) throws -> String? {
    let handle = try unsafe openHandle()
    guard index >= 0, index < resultColumns.count else { throw noColumn(index) }
    let type = unsafe sqlite3_column_decltype(handle, Int32(truncatingIfNeeded: index))
    return unsafe type.map { unsafe String(cString: $0) }
  }

  /// The declared types of the columns in order, like ``declaredType(at:)``.
  public var declaredTypes: [String?] {
    get throws {
      _ = try unsafe openHandle()
      var types: [String?] = []
      for index in 0..<resultColumns.count { types.append(try declaredType(at: index)) }
      return types
    }
  }

  /// Whether the statement makes no direct changes to a database file.
  ///
  /// A function that the statement calls may write even if this value is true. The value is also true for
  /// `COMMIT`, `ATTACH` and a deferred `BEGIN`. For an `EXPLAIN`, it is the value of the explained statement.
  ///
  /// The corresponding C function is `sqlite3_stmt_readonly`.
  public var isReadOnly: Bool {
    get throws { unsafe sqlite3_stmt_readonly(try openHandle()) != 0 && !isWriter }
  }

  /// Whether the statement has started but not ended, which means that it is at a row or running.
  ///
  /// A busy statement holds its locks until it is stepped to its end or reset.
  ///
  /// The corresponding C function is `sqlite3_stmt_busy`.
  public var isBusy: Bool {
    get throws { unsafe sqlite3_stmt_busy(try openHandle()) != 0 }
  }

  /// The kind of `EXPLAIN` that a statement performs.
  public enum ExplainMode: Hashable, Sendable, CaseIterable {
    /// No `EXPLAIN`: stepping the statement runs it.
    case none
    /// `EXPLAIN`: the rows are the instructions of the compiled statement.
    case explain
    /// `EXPLAIN QUERY PLAN`: the rows are the steps of the query plan.
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

  /// The SQL with the bound values in place of the parameters, and NULL in place of unbound ones.
  ///
  /// Use this text for debugging. Do not log it, because it can contain data that users have entered. The text
  /// can differ from the SQL that runs: SQLite rounds reals to 15 digits, and truncates text at the first NUL.
  ///
  /// Throws ``ResultCode/tooBig`` if the text would exceed SQLite's length limit or the available memory.
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
  /// The SQL with `?` in place of each value, without extra white space and comments.
  ///
  /// Statements that differ only in values, white space and comments have the same normalized SQL, which is
  /// suitable for logs and statistics.
  ///
  /// Throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/normalizedSQL``.
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

/// The table column that a result column comes from.
public struct ColumnOrigin: Hashable, Sendable {
  /// The name of the database, such as `main`.
  public let database: String
  /// The name of the table, even if the query reads it through a view.
  public let table: String
  /// The name of the column in the table.
  public let column: String
}

extension Statement {
  /// The origins of the columns in order; nil for a computed column.
  ///
  /// After a schema change, the origins are outdated until the statement is next stepped.
  ///
  /// Throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/columnMetadata``.
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
  /// Calls `body` with the `sqlite3_stmt` handle of this statement, for C functions that Sluice does not wrap.
  ///
  /// ```swift
  /// let isExplain = try unsafe statement.withUnsafeHandle { handle in
  ///   unsafe sqlite3_stmt_isexplain(handle) != 0
  /// }
  /// ```
  ///
  /// The compiler cannot check the code of `body`, which must neither finalize the statement nor keep the
  /// handle after it returns. During the call, other code can neither use the statement nor close its
  /// connection.
  ///
  /// The current row can be read before, during and after the call. If `body` steps or resets the statement,
  /// the row becomes invalid, and the statement restarts at its next use. Values that `body` binds take effect.
  /// However, Sluice still treats a parameter that only `body` has bound as unbound: bind it with Sluice first,
  /// for example to NULL.
  ///
  /// - Returns: The value that `body` returns.
  /// - Throws: ``ResultCode/misuse`` if the connection is closed, the statement is running, or bytes of its row
  ///   are borrowed; any error that `body` throws.
  @unsafe
  public func withUnsafeHandle<T>(_ body: (_ handle: OpaquePointer) throws -> T) throws -> T {
    connection.finishDeferred()
    let handle = try unsafe idleHandle()
    try state.refuseStrangers()
    try connection.refuseStatements()
    try state.requireWriting()
    let isOnRow = progress.isAtRow
    let steps = unsafe Self.steps(of: handle)
    func isMoved() -> Bool {
      unsafe sqlite3_stmt_busy(handle) != 0
        ? !isOnRow || Self.steps(of: handle) != steps
        : isOnRow || Self.steps(of: handle) != steps
    }
    var failure: (any Error)?
    let value = try connection.lendingHandle(changes: isMoved()) {
      currentRow.holds += 1
      defer { currentRow.holds -= 1 }
      let result = Result { try unsafe body(handle) }
      unsafe failure = isMoved() ? restart(handle) : nil
      return try result.get()
    }
    if let failure { throw failure }
    return value
  }

  /// Resets a statement that C code has stepped or reset, and returns any new error.
  private func restart(_ handle: OpaquePointer) -> (any Error)? {
    // If C code has ended the statement, the reset only repeats an error that C code has already received.
    let isBusy = unsafe sqlite3_stmt_busy(handle) != 0
    let held = currentRow.holds
    let code = unsafe rewind(handle)
    currentRow.holds = held
    leaveRow(for: .ready)
    return isBusy && code != SQLITE_OK ? connection.failure(code, sql: sql) : nil
  }

  /// Returns a number that grows with each step.
  private static func steps(of handle: OpaquePointer) -> Int32 {
    unsafe sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)
  }
}
