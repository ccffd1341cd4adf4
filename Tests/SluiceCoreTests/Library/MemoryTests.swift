import CSluice
import SluiceCore
import TestSupport
import Testing

/// What is counted belongs to the whole process, so each of these has one of its own.
@Suite(.tags(.library)) struct `memory and counters` {
  @Test func `what a connection keeps in memory is counted as used`() async {
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

  @Test func `the highest is kept until it is reset`() async {
    await #expect(processExitsWith: .success) {
      let before = SQLiteLibrary.memoryUsed
      try Connection().execute(sql: "SELECT hex(zeroblob(1000000))")
      #expect(SQLiteLibrary.memoryHighwater() > before + 1_000_000)
      #expect(SQLiteLibrary.memoryHighwater(reset: true) > before + 1_000_000)
      #expect(SQLiteLibrary.memoryHighwater() < before + 1_000_000)
    }
  }

  @Test func `the highest of a counter is kept until it is reset`() async {
    await #expect(processExitsWith: .success) {
      try Connection().execute(sql: "SELECT hex(zeroblob(1000000))")
      #expect(SQLiteLibrary.status(.allocationSize).highwater > 1_000_000)
      #expect(SQLiteLibrary.status(.allocationSize, reset: true).highwater > 1_000_000)
      #expect(SQLiteLibrary.status(.allocationSize).highwater < 1_000_000)
    }
  }

  @Test func `a counter has the number that it has in C`() {
    let numbers: [SQLiteLibrary.Counter: Int32] = [
      .memoryUsed: SQLITE_STATUS_MEMORY_USED, .pageCacheUsed: SQLITE_STATUS_PAGECACHE_USED,
      .pageCacheOverflow: SQLITE_STATUS_PAGECACHE_OVERFLOW,
      .allocationSize: SQLITE_STATUS_MALLOC_SIZE, .parserStack: SQLITE_STATUS_PARSER_STACK,
      .pageCacheSize: SQLITE_STATUS_PAGECACHE_SIZE, .allocations: SQLITE_STATUS_MALLOC_COUNT,
    ]
    #expect(numbers.count == SQLiteLibrary.Counter.allCases.count)
    for (counter, number) in numbers { #expect(counter.rawValue == number) }
  }

  @Test(arguments: SQLiteLibrary.Counter.allCases) func `no counter is below nothing`(
    counter: SQLiteLibrary.Counter
  ) {
    #expect(SQLiteLibrary.status(counter).current >= 0)
    #expect(SQLiteLibrary.status(counter).highwater >= 0)
  }
}
