import CSluice
import SluiceCore
import TestSupport
import Testing

/// The counters apply to the whole process, so each test that depends on a value runs in its own process.
@Suite(.tags(.library)) struct `memory use and counters of the library` {
  @Test func `memoryUsed includes the memory of a connection`() async {
    await #expect(processExitsWith: .success) {
      let db = try Connection()
      let before = SQLiteLibrary.memoryUsed
      try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(1000000))")
      #expect(SQLiteLibrary.memoryUsed > before + 1_000_000)
      #expect(SQLiteLibrary.memoryUsed == SQLiteLibrary.status(.memoryUsed).current)
      #expect(SQLiteLibrary.status(.allocations).current > 0)
      try db.close()
      #expect(SQLiteLibrary.memoryUsed < before)
    }
  }

  @Test func `memoryHighwater returns the peak until a reset`() async {
    await #expect(processExitsWith: .success) {
      let before = SQLiteLibrary.memoryUsed
      try Connection().execute(sql: "SELECT hex(zeroblob(1000000))")
      #expect(SQLiteLibrary.memoryHighwater() > before + 1_000_000)
      #expect(SQLiteLibrary.memoryHighwater(reset: true) > before + 1_000_000)
      #expect(SQLiteLibrary.memoryHighwater() < before + 1_000_000)
    }
  }

  @Test func `a library counter reports its highwater mark until a reset`() async {
    await #expect(processExitsWith: .success) {
      try Connection().execute(sql: "SELECT hex(zeroblob(1000000))")
      #expect(SQLiteLibrary.status(.allocationSize).highwater > 1_000_000)
      #expect(SQLiteLibrary.status(.allocationSize, reset: true).highwater > 1_000_000)
      #expect(SQLiteLibrary.status(.allocationSize).highwater < 1_000_000)
    }
  }

  @Test func `each library counter has the raw value of its C constant`() {
    let numbers: [SQLiteLibrary.Counter: Int32] = [
      .memoryUsed: SQLITE_STATUS_MEMORY_USED, .pageCacheUsed: SQLITE_STATUS_PAGECACHE_USED,
      .pageCacheOverflow: SQLITE_STATUS_PAGECACHE_OVERFLOW,
      .allocationSize: SQLITE_STATUS_MALLOC_SIZE, .parserStack: SQLITE_STATUS_PARSER_STACK,
      .pageCacheSize: SQLITE_STATUS_PAGECACHE_SIZE, .allocations: SQLITE_STATUS_MALLOC_COUNT,
    ]
    #expect(numbers.count == SQLiteLibrary.Counter.allCases.count)
    for (counter, number) in numbers { #expect(counter.rawValue == number) }
  }

  @Test(arguments: SQLiteLibrary.Counter.allCases) func `no library counter is negative`(
    counter: SQLiteLibrary.Counter
  ) {
    #expect(SQLiteLibrary.status(counter).current >= 0)
    #expect(SQLiteLibrary.status(counter).highwater >= 0)
  }
}
