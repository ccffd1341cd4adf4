import SluiceCore
import Synchronization
import Testing

/// L7: whichever call of a file system fails, the error arrives, and the database stays whole.
@Suite struct `L7 calls of a file system that fail` {
  /// Fails one call, or all from that one on, once it is armed.
  final class Fuse: Sendable {
    private struct State {
      var calls = 0
      var number = Int.max
      var failed: WatchedCall?
    }
    private let state = Mutex(State())
    private let code: ResultCode?
    private let isForEver: Bool

    init(_ code: ResultCode?, isForEver: Bool) {
      self.code = code
      self.isForEver = isForEver
    }

    func arm(_ number: Int) {
      state.withLock { $0 = State(number: number) }
    }

    /// The call that has failed first, or nil.
    func disarm() -> WatchedCall? {
      state.withLock { state in
        state.number = Int.max
        return state.failed
      }
    }

    func pass(_ call: WatchedCall) throws {
      let fails = state.withLock { state in
        state.calls += 1
        guard state.number != Int.max,
          isForEver ? state.calls >= state.number : state.calls == state.number
        else { return false }
        state.failed = state.failed ?? call
        return true
      }
      guard fails else { return }
      throw code.map { SQLiteError($0, "The fuse has blown") } ?? Unrelated() as any Error
    }
  }

  private static let modes: [Configuration.JournalMode] = [.delete, .wal]
  private static let codes: [ResultCode?] = [.full, nil]

  @Test(arguments: modes, codes)
  func `one after the other`(_ mode: Configuration.JournalMode, _ code: ResultCode?) throws {
    for isForEver in [false, true] {
      let fuse = Fuse(code, isForEver: isForEver)
      let memory = MemoryFileSystem()
      let plain = try RegisteredFileSystem(memory)
      let system = try RegisteredFileSystem(
        WatchedFileSystem(base: memory, sleeps: false) { try fuse.pass($0) })
      var number = 1
      var failures: [WatchedCall: Int] = [:]
      var texts = 0
      while true {
        let path = "\(number).db"
        let connection = try plain.connection(path)
        try connection.execute(
          sql: "PRAGMA page_size = 512; CREATE TABLE t(a); PRAGMA journal_mode = \(mode.rawValue)")
        try connection.close()
        fuse.arm(number)
        let error = failure { try session(system, path) }
        let failed = fuse.disarm()
        guard let failed else {
          #expect(error == nil)
          break
        }
        failures[failed, default: 0] += 1
        if let error {
          if error.message.contains("The fuse has blown") || error.message.contains("Unrelated") {
            texts += 1
          }
          #expect(
            [.ioError, .full, .cantOpen, .busy, .protocol]
              .contains(error.code.primary), "\(error.code) \(error) after \(failed)")
        }
        try expectWhole(plain.connection(path), "call \(number), \(failed), \(isForEver)")
        number += 1
      }
      #expect(number > 60)
      #expect(texts > number / 3, "\(texts) of \(number)")
      #expect(failures.keys.contains(.write) && failures.keys.contains(.open))
      #expect(failures.keys.contains(.share) == (mode == .wal))
    }
  }

  /// Two transactions of two rows each, on a database that has none.
  private func session(_ system: RegisteredFileSystem, _ path: String) throws {
    let connection = try system.connection(path)
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
