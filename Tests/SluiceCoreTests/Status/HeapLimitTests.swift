import SluiceCore
import TestSupport
import Testing

/// Memory is limited for the whole process, so each of these has one of its own.
@Suite(.tags(.settings)) struct `limits of memory` {
  @Test func `at first there are none, and none can be set again`() async {
    await #expect(processExitsWith: .success) {
      #expect(SQLiteLibrary.softHeapLimit == nil)
      #expect(SQLiteLibrary.hardHeapLimit == nil)
      try SQLiteLibrary.setSoftHeapLimit(100_000_000)
      #expect(SQLiteLibrary.softHeapLimit == 100_000_000)
      try SQLiteLibrary.setSoftHeapLimit(nil)
      #expect(SQLiteLibrary.softHeapLimit == nil)
    }
  }

  @Test func `beyond the hard limit there is no memory, and work goes on below it`() async {
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

  @Test func `the soft limit is never above the hard one`() async {
    await #expect(processExitsWith: .success) {
      try SQLiteLibrary.setHardHeapLimit(50_000_000)
      #expect(SQLiteLibrary.hardHeapLimit == 50_000_000)
      #expect(SQLiteLibrary.softHeapLimit == 50_000_000)
      try SQLiteLibrary.setSoftHeapLimit(.max)
      #expect(SQLiteLibrary.softHeapLimit == 50_000_000)
    }
  }

  @Test(arguments: [0, -1, Int.min]) func `less than one byte is no limit`(bytes: Int) {
    #expect(failure { try SQLiteLibrary.setSoftHeapLimit(bytes) }?.code == .range)
    #expect(failure { try SQLiteLibrary.setHardHeapLimit(bytes) }?.code == .range)
    #expect(SQLiteLibrary.softHeapLimit == nil && SQLiteLibrary.hardHeapLimit == nil)
  }

  @Test func `memory is released by a library that can do it`() throws {
    let connection = try Connection.temporary()
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000))")
    let canRelease = SQLiteLibrary.isBuilt(with: "ENABLE_MEMORY_MANAGEMENT")
    #expect(try (SQLiteLibrary.releaseMemory(bytes: 1000) > 0) == canRelease)
    #expect(failure { try SQLiteLibrary.releaseMemory(bytes: -1) }?.code == .range)
  }
}
