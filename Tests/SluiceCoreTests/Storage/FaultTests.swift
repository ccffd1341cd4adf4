import SluiceCore
import SluiceTesting
import TestSupport
import Testing

/// Each file-system call fails, either alone or with all later calls, and the database remains intact.
@Suite(.tags(.fileSystems)) struct `failing file-system calls` {
  private static let modes: [Configuration.JournalMode] = [.delete, .wal]
  private static let codes: [ResultCode?] = [.full, nil]

  @Test(arguments: modes, codes)
  func `the failure of any file-system call leaves the database intact`(
    _ mode: Configuration.JournalMode, _ code: ResultCode?
  ) throws {
    let fault = FileFault.error(code)
    for fault in [fault, fault.forEver] {
      let memory = MemoryFileSystem()
      let plain = try RegisteredFileSystem(memory)
      let files = try FaultyFileSystem(over: memory)
      var failures: [String: Int] = [:]
      var texts = 0
      let count = try files.failEachCall(with: fault) { attempt in
        let path = "\(attempt.number).db"
        let connection = try plain.connection(path)
        try connection.execute(
          sql: "PRAGMA page_size = 512; CREATE TABLE t(a); PRAGMA journal_mode = \(mode.rawValue)")
        try connection.close()
        let error = try attempt.failing { try session(files, path) }
        guard let failed = attempt.fault else { return }
        failures[failed, default: 0] += 1
        if let error {
          let error = try #require(error as? SQLiteError)
          if error.message.contains("fails on request") { texts += 1 }
          #expect(
            [.ioError, .full, .cantOpen, .busy, .protocol]
              .contains(error.code.primary), "\(error.code) \(error) after \(failed)")
        }
        try expectWhole(plain.connection(path), "call \(attempt.number), \(failed), \(fault)")
      }
      #expect(count > 60)
      #expect(texts > count / 3, "\(texts) of \(count)")
      #expect(failures.keys.contains("write") && failures.keys.contains("open"))
      #expect(failures.keys.contains("share") == (mode == .wal))
    }
  }

  /// Runs two transactions that each insert two rows into an empty table.
  private func session(_ files: FaultyFileSystem, _ path: String) throws {
    let connection = try files.connection(path)
    for _ in 0..<2 {
      try connection.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (randomblob(3000))")
        try connection.execute(sql: "INSERT INTO t VALUES (randomblob(3000))")
      }
    }
    guard try connection.value("SELECT count(*) FROM t") == 4 else {
      throw SQLiteError(.internal, "Rows are missing")
    }
    try connection.close()
  }

  private func expectWhole(_ connection: Connection, _ comment: String) throws {
    #expect(try connection.value("PRAGMA integrity_check") == "ok", "\(comment)")
    let count = try connection.value("SELECT count(*) FROM t")
    #expect([0, 2, 4].contains(count), "\(comment)")
  }
}
