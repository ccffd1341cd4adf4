import SluiceTesting
import TestSupport
import Testing

/// Each call of a file system fails in turn.
@Suite(.tags(.faults)) struct `the faulty file system` {
  private struct Result {
    var count = 0
    var problems = 0
    var errors: [ResultCode: Int] = [:]
    var faults: Set<String> = []
  }

  /// Runs `body` on the accounts repeatedly, with a different call failing each time.
  private func failEachCall(
    _ fault: FileFault, _ body: (Connection) throws -> Void
  ) throws -> Result {
    let files = try FaultyFileSystem()
    var result = Result()
    result.count = try files.failEachCall(with: fault) { attempt in
      let path = "\(attempt.number).db"
      let connection = try Bank.open(path, files.configuration())
      let error = try attempt.failing { try body(connection) }
      try connection.close()
      if let error { result.errors[(error as? SQLiteError)?.code ?? .ok, default: 0] += 1 }
      if let fault = attempt.fault { result.faults.insert(fault) }
      if try Bank.problem(in: files.connection(path)) != nil { result.problems += 1 }
    }
    return result
  }

  @Test(
    arguments: [
      .error(), .error(.full), .full, .cantOpen, .tornWrite, .error().forEver, .full.forEver,
      .tornWrite.forEver,
    ] as [FileFault])
  func `a transaction is atomic if any file system call fails`(_ fault: FileFault) throws {
    let result = try failEachCall(fault, Bank.transfer)
    #expect(result.count > 0)
    #expect(!result.errors.isEmpty)
    #expect(result.problems == 0)
    #expect(result.faults.isSubset(of: fault.calls.map(\.rawValue)))
  }

  @Test func `failing file system calls expose a money transfer that lacks a transaction`() throws {
    #expect(try failEachCall(.error(), Bank.transferByHalf).problems > 5)
    #expect(try failEachCall(.full.forEver, Bank.transferByHalf).problems > 0)
  }

  @Test
  func `a file system fault throws the requested code, or else the failing call's default code`()
    throws
  {
    let plain = try failEachCall(.error(), Bank.transfer).errors
    #expect(plain[.ioErrorWrite] != nil && plain[.ioErrorSync] != nil && plain[.full] == nil)
    #expect(try failEachCall(.full, Bank.transfer).errors.keys.map(\.self) == [.full])
    let sync = try failEachCall(.error(.ioErrorDirectorySync, in: [.sync]), Bank.transfer)
    #expect(sync.errors.keys.map(\.self) == [.ioErrorDirectorySync])
    #expect(sync.faults == ["sync"])
  }

  @Test func `a torn write changes only part of the data and does not grow the file`() throws {
    let memory = MemoryFileSystem()
    let files = try FaultyFileSystem(over: memory)
    let connection = try files.connection("a.db")
    try connection.execute(sql: "PRAGMA journal_mode = off; CREATE TABLE t(a)")
    let before = try #require(memory["a.db"])
    files.arm(.tornWrite)
    #expect(
      failure { try connection.execute(sql: "INSERT INTO t VALUES (1)") }?.code == .ioErrorWrite)
    #expect(files.disarm() == .write)
    let after = try #require(memory["a.db"])
    #expect(after != before)
    #expect(after.count == before.count)
    #expect(after[2048..<4096] == before[2048..<4096])
  }

  @Test func `a short read makes a database appear corrupt until the fault is disarmed`() throws {
    let memory = MemoryFileSystem()
    let files = try FaultyFileSystem(over: memory)
    try files.connection("a.db").execute(sql: "CREATE TABLE t(a)")
    files.arm(.shortRead.forEver)
    let connection = try Connection(
      path: "a.db", configuration: files.configuration(.sqliteDefaults))
    #expect(failure { try connection.execute(sql: "SELECT * FROM t") }?.code == .corrupt)
    #expect(files.disarm() == .read)
    let again = try files.connection("a.db")
    #expect(try again.first(.column(.int), sql: "SELECT count(*) FROM t") == 0)
  }

  @Test func `calls are counted, and a fault affects one call, or that call and all later ones`()
    throws
  {
    let files = try FaultyFileSystem()
    let connection = try files.connection("a.db")
    files.resetCallCounts()
    try connection.execute(sql: "CREATE TABLE t(a)")
    #expect(files.callCounts[.sync] == 3)
    #expect(files.callCounts[.share] == nil)
    files.arm(.error(in: [.sync]), atCall: 2)
    #expect(
      failure { try connection.execute(sql: "INSERT INTO t VALUES (1)") }?.code == .ioErrorSync)
    try connection.execute(sql: "INSERT INTO t VALUES (2)")
    files.arm(.error(in: [.sync]).forEver, atCall: 2)
    for number in 3...4 {
      #expect(
        failure { try connection.execute(sql: "INSERT INTO t VALUES (\(number))") }?.code != nil)
    }
    #expect(files.disarm() == .sync)
    #expect(files.disarm() == .sync)
    try connection.execute(sql: "INSERT INTO t VALUES (5)")
    #expect(try connection.query(.column(.int), sql: "SELECT a FROM t") == [2, 5])
  }

  @Test func `failEachCall throws if a round does not call the method failing exactly once`() throws
  {
    let files = try FaultyFileSystem()
    #expect(failure { _ = try files.failEachCall { _ in } }?.code == .misuse)
    let twice = failure {
      _ = try files.failEachCall { attempt in
        for _ in 0..<2 { _ = try attempt.failing {} }
      }
    }
    #expect(twice?.code == .misuse)
    let count = try files.failEachCall { attempt in
      let error = try attempt.failing {}
      #expect(error == nil && attempt.fault == nil)
    }
    #expect(count == 0)
    #expect(failure { _ = try files.failEachCall(step: 0) { _ in } }?.code == .range)
  }

  @Test func `a nested failEachCall throws, and a fault at call 0 affects the first call`() throws {
    let files = try FaultyFileSystem()
    let inner = failure {
      _ = try files.failEachCall { attempt in
        _ = try attempt.failing { _ = try files.failEachCall { _ = try $0.failing {} } }
      }
    }
    #expect(inner?.code == .misuse)
    #expect(try files.failEachCall { _ = try $0.failing {} } == 0)
    files.arm(.cantOpen, atCall: 0)
    #expect(failure { _ = try files.connection("a.db") }?.code == .cantOpen)
  }

  /// A failing unlock call still releases its lock, because SQLite does not retry the call and a real disk would not
  /// keep the lock.
  @Test(arguments: [.wal, .delete] as [Configuration.JournalMode], [false, true])
  func `a pool remains usable after any file system call fails`(
    _ mode: Configuration.JournalMode, _ isForEver: Bool
  ) async throws {
    let files = try FaultyFileSystem()
    var configuration = files.configuration()
    configuration.journalMode = mode
    let fault = FileFault.error()
    let count = try await files.failEachCall(with: isForEver ? fault.forEver : fault) { attempt in
      let path = "\(attempt.number).db"
      try Bank.open(path, configuration).close()
      let pool = try ConnectionPool(path: path, configuration: configuration)
      try await pool.read { _ = try Bank.isDone(in: $0) }
      let error = try await attempt.failing {
        try await pool.write { try Bank.transferByHalf(in: $0) }
      }
      let isDone = try await pool.read { connection in
        #expect(try Bank.problem(in: connection) == nil)
        return try Bank.isDone(in: connection)
      }
      #expect(isDone || error != nil, "\(attempt.number), \(attempt.fault ?? "nothing")")
      try await pool.close()
    }
    #expect(count > 5)
  }

  @Test func `a pool retains the faulty file system of its configuration`() throws {
    func makePool() throws -> ConnectionPool {
      let files = try FaultyFileSystem()
      return try ConnectionPool(path: "a.db", configuration: files.configuration())
    }
    let pool = try makePool()
    try pool.syncWrite { try $0.execute(sql: "CREATE TABLE t(a)") }
    #expect(try pool.syncRead { try $0.first(.column(.int), sql: "SELECT count(*) FROM t") } == 0)
  }

  @Test func `failEachCall rethrows an error that no fault caused`() throws {
    let files = try FaultyFileSystem()
    let error = failure {
      _ = try files.failEachCall { attempt in
        _ = try attempt.failing { throw SQLiteError(.authorization, "It is the body's own") }
      }
    }
    #expect(error?.code == .authorization)
  }
}
