import CSluice

/// Something of which a connection takes only so much.
///
/// ```swift
/// try connection.setLimit(.sqlLength, to: 10_000)
/// ```
///
/// The corresponding C values are `SQLITE_LIMIT_*`.
public enum ConnectionLimit: Int32, Hashable, Sendable, CaseIterable {
  /// Bytes of a text, a blob or a row.
  case length = 0
  /// Bytes of a statement.
  case sqlLength = 1
  /// Columns of a table, an index, a view or a result, and terms of `SET`, `GROUP BY` and `ORDER BY`.
  case columns = 2
  /// How deep expressions nest; 0 is no limit.
  case expressionDepth = 3
  /// Queries that `UNION` and the like put together.
  case compoundSelects = 4
  /// Operations of the machine that runs a statement, which is a measure of its length and not of its time.
  case operations = 5
  /// Arguments of a function.
  case functionArguments = 6
  /// Databases that are attached.
  case attachedDatabases = 7
  /// Bytes of a pattern of `LIKE` or `GLOB`.
  case likePatternLength = 8
  /// The highest number that a parameter has.
  case parameterNumber = 9
  /// How deep triggers nest, those that call themselves included.
  case triggerDepth = 10
  /// Threads that help one statement; 0 is none.
  case workerThreads = 11
}

/// How much a connection takes, which is worth lowering before it runs what others have written.
extension Connection {
  /// How much the connection takes of something.
  ///
  /// The corresponding C function is `sqlite3_limit`.
  public func limit(_ limit: ConnectionLimit) throws -> Int {
    Int(unsafe sqlite3_limit(try handle(), limit.rawValue, -1))
  }

  /// Sets how much the connection takes of something, from the next statement on.
  ///
  /// A number that the linked SQLite cannot have throws ``ResultCode/range`` and changes nothing: one below
  /// zero, one above what it was built for, or a ``ConnectionLimit/length`` of a few bytes. What goes beyond a
  /// limit later throws ``ResultCode/tooBig`` or ``ResultCode/error``.
  ///
  /// The corresponding C function is `sqlite3_limit`.
  public func setLimit(_ limit: ConnectionLimit, to value: Int) throws {
    try state.require(.use)
    let handle = try unsafe handle()
    guard let number = Int32(exactly: value), number >= 0 else {
      throw SQLiteError(.range, "The limit must not be negative (got \(value))")
    }
    let old = unsafe sqlite3_limit(handle, limit.rawValue, number)
    // SQLite takes the nearest number that it can have, and says nothing.
    let now = unsafe sqlite3_limit(handle, limit.rawValue, -1)
    guard now == number else {
      unsafe sqlite3_limit(handle, limit.rawValue, old)
      throw SQLiteError(
        .range,
        "The linked SQLite cannot set the limit \(limit) to \(value); the nearest value is \(now)")
    }
  }
}
