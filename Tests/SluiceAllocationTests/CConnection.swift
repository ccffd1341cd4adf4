import Allocations
import CSluice
import SluiceCore
import Testing

/// The additional allocations of twice the work, without those that do not depend on the amount of work.
func allocationGrowth(_ body: (_ count: Int) throws -> Void) rethrows -> Int {
  // What is made at the first time, such as the metadata of types, is made here.
  try body(500)
  let start = allocations_of_this_thread()
  try body(500)
  let middle = allocations_of_this_thread()
  try body(1000)
  return Int(allocations_of_this_thread() - middle) - Int(middle - start)
}

/// A connection of C's: what it allocates is what SQLite needs by itself.
@safe final class CConnection {
  private var connection: OpaquePointer?

  init(_ mode: Configuration.ThreadingMode, sql: String) throws {
    let code = unsafe twin_open(mode == .serialized ? 1 : 0, sql, &connection)
    try #require(code == SQLITE_OK)
  }

  deinit { unsafe sqlite3_close(connection) }

  /// The growth with the rows of a query, the parameter of which is their number.
  func growth(ofRows sql: String) throws -> Int {
    try allocationGrowth { count in
      let code = unsafe twin_query(connection, sql, Int64(count))
      guard code == SQLITE_OK else { throw SQLiteError(ResultCode(rawValue: code), "\(sql)") }
    }
  }

  /// The growth with the executions of a statement.
  func growth(ofExecutions sql: String) throws -> Int {
    try allocationGrowth { count in
      let code = unsafe twin_execute(connection, sql, Int64(count))
      guard code == SQLITE_OK else { throw SQLiteError(ResultCode(rawValue: code), "\(sql)") }
    }
  }
}
