// A connection without a mutex, used by two threads at once. Only an instrumented SQLite detects the mistake.
// report: WARNING: ThreadSanitizer: data race
// report: #0 .*/sqlite3\.c:
import CSluice

@main struct Canary {
  static func main() {
    var handle: OpaquePointer?
    let threading = isWrong ? SQLITE_OPEN_NOMUTEX : SQLITE_OPEN_FULLMUTEX
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | threading
    guard unsafe sqlite3_open_v2("", &handle, flags, nil) == SQLITE_OK else { fatalError() }
    nonisolated(unsafe) let shared = unsafe handle
    onTwoThreads {
      for _ in 0..<100 { unsafe sqlite3_exec(shared, "SELECT 1", nil, nil, nil) }
    }
    unsafe sqlite3_close(handle)
  }
}
