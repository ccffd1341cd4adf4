import CTwins
import Sluice

/// The C side of a workload: a connection that C has opened, and the C function that runs on it.
@safe final class Twin {
  private var connection: OpaquePointer?
  private let workload: Function
  private let count: Int64

  typealias Function =
    @convention(c) (OpaquePointer?, Int64, UnsafeMutablePointer<Int64>?) -> Int32

  /// Opens an in-memory database, and fills it with `sql`.
  init(_ workload: Function, count: Int, sql: String = "") throws {
    unsafe self.workload = unsafe workload
    self.count = Int64(count)
    try unsafe check(twin_open(&connection))
    try execute(sql: sql)
  }

  deinit { unsafe sqlite3_close(connection) }

  func execute(sql: String) throws {
    try check(unsafe sqlite3_exec(connection, sql, nil, nil, nil))
  }

  /// Runs the workload, and returns its checksum.
  func run() throws -> Int64 { try unsafe run(workload) }

  func run(_ function: Function) throws -> Int64 {
    var checksum: Int64 = 0
    try check(unsafe function(connection, count, &checksum))
    return checksum
  }

  private func check(_ code: Int32) throws {
    guard code != SQLITE_OK else { return }
    throw Failure("The C side failed: \(unsafe String(cString: sqlite3_errmsg(connection)))")
  }
}
