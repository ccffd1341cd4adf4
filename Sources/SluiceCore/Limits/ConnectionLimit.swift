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
