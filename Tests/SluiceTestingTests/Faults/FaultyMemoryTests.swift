import SluiceTesting
import TestSupport
import Testing

/// Each allocation fails in turn; tests that install the faulty allocator run in their own process.
@Suite(.tags(.faults)) struct `faulty memory` {
  @Test func `a transaction is atomic if any allocation fails`() async {
    await #expect(processExitsWith: .success) {
      try FaultyMemory.install()
      var errors: Set<ResultCode> = []
      let count = try FaultyMemory.failEachAllocation { attempt in
        let connection = try Bank.open(":memory:", Configuration())
        let error = try attempt.failing { try Bank.transfer(in: connection) } as? SQLiteError
        if let error { errors.insert(error.code) }
        try #require(Bank.problem(in: connection) == nil)
        try #require(Bank.isDone(in: connection) || error != nil)
      }
      try #require(count > 20)
      try #require(errors.contains(.noMemory))
    }
  }

  @Test func `failing allocations expose a money transfer that lacks a transaction`() async {
    await #expect(processExitsWith: .success) {
      try FaultyMemory.install()
      var problems = 0
      _ = try FaultyMemory.failEachAllocation { attempt in
        let connection = try Bank.open(":memory:", Configuration())
        _ = try attempt.failing { try Bank.transferByHalf(in: connection) }
        if try Bank.problem(in: connection) != nil { problems += 1 }
      }
      try #require(problems > 5)
    }
  }

  @Test
  func
    `allocations are counted, and a fault affects one allocation, or that one and all later ones`()
    async
  {
    await #expect(processExitsWith: .success) {
      try FaultyMemory.install()
      let connection = try Connection()
      var number = 0
      func fails() -> Bool {
        number += 1
        // Use new SQL each time, because a cached statement would not be prepared again.
        return failure { try connection.execute(sql: "SELECT 1, \(number)") }?.code == .noMemory
      }
      FaultyMemory.disarm()
      try connection.execute(sql: "CREATE TABLE t(a)")
      try #require(FaultyMemory.allocationCount > 5)
      FaultyMemory.arm()
      try #require(fails() && !fails())
      try #require(FaultyMemory.disarm() == 1)
      FaultyMemory.arm(atAllocation: -1, isForEver: true)
      try #require(fails() && fails())
      try #require(FaultyMemory.disarm() > 1)
      try #require(!fails())
    }
  }

  @Test func `installing faulty memory after SQLite has started throws`() throws {
    try Connection().close()
    #expect(failure { try FaultyMemory.install() }?.code == .misuse)
    FaultyMemory.arm()
    try Connection().close()
    #expect(FaultyMemory.disarm() == 0)
  }
}
