import CSluice

/// A run-time limit of a connection.
///
/// ```swift
/// try connection.setLimit(.sqlLength, to: 10_000)
/// ```
///
/// The corresponding C values are `SQLITE_LIMIT_*`.
public enum ConnectionLimit: Int32, Hashable, Sendable, CaseIterable {
  /// The maximum number of bytes in a text, a blob or a row.
  case length = 0
  /// The maximum number of bytes in the SQL of a statement.
  case sqlLength = 1
  /// The maximum number of columns in a table, an index, a view or a result.
  ///
  /// The limit also applies to the number of terms in `SET`, `GROUP BY` and `ORDER BY`.
  case columns = 2
  /// The maximum depth of an expression; 0 disables the limit.
  case expressionDepth = 3
  /// The maximum number of queries that `UNION` and similar operators combine.
  case compoundSelects = 4
  /// The maximum number of virtual machine operations in a compiled statement.
  ///
  /// The limit applies to the length of the compiled statement, not to its running time.
  case operations = 5
  /// The maximum number of arguments of a function.
  case functionArguments = 6
  /// The maximum number of attached databases.
  case attachedDatabases = 7
  /// The maximum number of bytes in a `LIKE` or `GLOB` pattern.
  case likePatternLength = 8
  /// The highest number that a parameter can have.
  case parameterNumber = 9
  /// The maximum depth of nested triggers, including recursive ones.
  case triggerDepth = 10
  /// The maximum number of helper threads that a statement can use; 0 for none.
  case workerThreads = 11
  /// The maximum depth of the stack that parses SQL; SQLite since version 3.53 has this limit.
  case parserDepth = 12
}

/// Methods for the limits of a connection.
///
/// Lower the limits before the connection runs untrusted SQL.
extension Connection {
  /// Returns a limit of the connection.
  ///
  /// - Throws: ``ResultCode/notFound`` for a limit that the linked SQLite lacks.
  ///
  /// The corresponding C function is `sqlite3_limit`.
  public func limit(_ limit: ConnectionLimit) throws -> Int {
    let value = unsafe sqlite3_limit(try handle(), limit.rawValue, -1)
    guard value >= 0 else {
      throw SQLiteError(.notFound, "SQLite \(SQLiteLibrary.version) has no limit \(limit)")
    }
    return Int(value)
  }

  /// Changes a limit of the connection, from the next statement on.
  ///
  /// - Throws: ``ResultCode/range``, and changes nothing, for a number that the linked SQLite does not support: a
  ///   negative one, one above its compile-time maximum, or a ``ConnectionLimit/length`` of a few bytes.
  ///   ``ResultCode/notFound`` for a limit that it lacks.
  ///
  /// Exceeding a limit later throws ``ResultCode/tooBig`` or ``ResultCode/error``.
  ///
  /// The corresponding C function is `sqlite3_limit`.
  public func setLimit(_ limit: ConnectionLimit, to value: Int) throws {
    try state.require(.use)
    let handle = try unsafe handle()
    _ = try self.limit(limit)
    guard let number = Int32(exactly: value), number >= 0 else {
      throw SQLiteError(.range, "The limit must be from 0 to \(Int32.max) (got \(value))")
    }
    let old = unsafe sqlite3_limit(handle, limit.rawValue, number)
    // SQLite silently uses the nearest number that it supports.
    let now = unsafe sqlite3_limit(handle, limit.rawValue, -1)
    guard now == number else {
      unsafe sqlite3_limit(handle, limit.rawValue, old)
      throw SQLiteError(
        .range,
        "The linked SQLite cannot set the limit \(limit) to \(value); the nearest value is \(now)")
    }
  }
}
