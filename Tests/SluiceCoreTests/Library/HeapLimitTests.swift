import SluiceCore
import TestSupport
import Testing

/// Heap limits apply to the whole process, so each test that sets one runs in its own process.
@Suite(.tags(.settings)) struct `heap limits` {
  @Test func `both heap limits are initially nil, and nil removes the soft limit`() async {
    await #expect(processExitsWith: .success) {
      #expect(SQLiteLibrary.softHeapLimit == nil)
      #expect(SQLiteLibrary.hardHeapLimit == nil)
      try SQLiteLibrary.setSoftHeapLimit(100_000_000)
      #expect(SQLiteLibrary.softHeapLimit == 100_000_000)
      try SQLiteLibrary.setSoftHeapLimit(nil)
      #expect(SQLiteLibrary.softHeapLimit == nil)
    }
  }

  @Test func `a query above the hard heap limit throws noMemory, and a smaller query succeeds`()
    async
  {
    await #expect(processExitsWith: .success) {
      let connection = try Connection()
      try SQLiteLibrary.setHardHeapLimit(SQLiteLibrary.memoryUsed + 2_000_000)
      let big = failure { try connection.execute(sql: "SELECT hex(zeroblob(10000000))") }
      #expect(big?.code == .noMemory)
      #expect(try connection.value("SELECT length(hex(zeroblob(1000)))") == 2000)
      try SQLiteLibrary.setHardHeapLimit(nil)
      try connection.execute(sql: "SELECT hex(zeroblob(10000000))")
    }
  }

  @Test func `the soft heap limit never exceeds the hard limit`() async {
    await #expect(processExitsWith: .success) {
      try SQLiteLibrary.setHardHeapLimit(50_000_000)
      #expect(SQLiteLibrary.hardHeapLimit == 50_000_000)
      #expect(SQLiteLibrary.softHeapLimit == 50_000_000)
      try SQLiteLibrary.setSoftHeapLimit(.max)
      #expect(SQLiteLibrary.softHeapLimit == 50_000_000)
    }
  }

  @Test(arguments: [0, -1, Int.min]) func `setting a heap limit of less than one byte throws range`(
    bytes: Int
  ) {
    #expect(failure { try SQLiteLibrary.setSoftHeapLimit(bytes) }?.code == .range)
    #expect(failure { try SQLiteLibrary.setHardHeapLimit(bytes) }?.code == .range)
    #expect(SQLiteLibrary.softHeapLimit == nil && SQLiteLibrary.hardHeapLimit == nil)
  }

  @Test func `releaseMemory frees memory only with ENABLE_MEMORY_MANAGEMENT`() throws {
    let connection = try Connection.temporary()
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000))")
    let canRelease = SQLiteLibrary.isBuilt(with: "ENABLE_MEMORY_MANAGEMENT")
    #expect(try (SQLiteLibrary.releaseMemory(bytes: 1000) > 0) == canRelease)
    #expect(failure { try SQLiteLibrary.releaseMemory(bytes: -1) }?.code == .range)
  }
}
