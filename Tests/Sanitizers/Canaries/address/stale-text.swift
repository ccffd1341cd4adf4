// The text of a column, used by SQLite after its statement was stepped. Only an instrumented SQLite detects the
// mistake.
// report: ERROR: AddressSanitizer: heap-use-after-free
// report: #0 .*/sqlite3\.c:
// report: freed by thread
import CSluice

@main struct Canary {
  static func main() {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    let sql = "SELECT hex(randomblob(500)) UNION ALL SELECT hex(randomblob(900))"
    guard unsafe sqlite3_open(":memory:", &handle) == SQLITE_OK,
      unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
      unsafe sqlite3_step(statement) == SQLITE_ROW,
      let text = unsafe sqlite3_column_text(statement, 0)
    else { fatalError() }
    let first = unsafe UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self)
    if !isWrong { unsafe sqlite3_stricmp(first, "text") }
    unsafe sqlite3_step(statement)
    if isWrong { unsafe sqlite3_stricmp(first, "text") }
    unsafe sqlite3_finalize(statement)
    unsafe sqlite3_close(handle)
  }
}
