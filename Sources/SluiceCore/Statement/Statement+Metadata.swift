import CSluice

/// What a statement is, whether it has run or not; once its connection is closed, each of these
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

  /// Whether the statement runs, or tells how it would run.
  public enum ExplainMode: Hashable, Sendable, CaseIterable {
    /// The statement runs.
    case none
    /// The rows are the program that the statement was compiled to: `EXPLAIN`.
    case explain
    /// The rows are the steps in which the statement looks for its data: `EXPLAIN QUERY PLAN`.
    case queryPlan
  }

  /// Whether the SQL begins with `EXPLAIN` or `EXPLAIN QUERY PLAN`.
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
          .tooBig, "The SQL is too long with its values, or there is no memory for it", sql: sql)
      }
      defer { unsafe sqlite3_free(text) }
      return unsafe String(cString: text)
    }
  }
}
