import Allocations
import CSluice
import SluiceCore
import Testing

/// Returns the number of allocations that doubling the work adds.
///
/// This excludes allocations that do not depend on the amount of work.
func allocationGrowth(_ body: (_ count: Int) throws -> Void) rethrows -> Int {
  // The first run makes the allocations that occur only once, such as the metadata of types.
  try body(500)
  let start = allocations_of_this_thread()
  try body(500)
  let middle = allocations_of_this_thread()
  try body(1000)
  return Int(allocations_of_this_thread() - middle) - Int(middle - start)
}

/// A connection that uses only the C API, and so allocates only as much as SQLite itself needs.
@safe final class CConnection {
  private var connection: OpaquePointer?

  init(_ mode: Configuration.ThreadingMode, sql: String) throws {
    let code = unsafe twin_open(mode == .serialized ? 1 : 0, sql, &connection)
    try #require(code == SQLITE_OK)
  }

  deinit { unsafe sqlite3_close(connection) }

  /// Returns the number of allocations that 500 more rows of a query add.
  ///
  /// The parameter of the query is the number of rows.
  func growth(ofRows sql: String) throws -> Int {
    try allocationGrowth { count in
      let code = unsafe twin_query(connection, sql, Int64(count))
      guard code == SQLITE_OK else { throw SQLiteError(ResultCode(rawValue: code), "\(sql)") }
    }
  }

  /// Returns the number of allocations that 500 more executions of a statement add.
  func growth(ofExecutions sql: String) throws -> Int {
    try allocationGrowth { count in
      let code = unsafe twin_execute(connection, sql, Int64(count))
      guard code == SQLITE_OK else { throw SQLiteError(ResultCode(rawValue: code), "\(sql)") }
    }
  }
}
