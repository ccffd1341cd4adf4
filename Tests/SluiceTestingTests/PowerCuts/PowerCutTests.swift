import Foundation
import SluiceTesting
import TestSupport
import Testing

/// A power cut after each call: unsynced writes are present, lost or torn.
@Suite(.tags(.faults)) struct `power cuts` {
  private struct Result {
    var states = 0
    var damaged = 0
    var lost = 0
    var half = 0
    var done = 0
  }

  /// Simulates power cuts during a transfer, with a mark before and after the transfer.
  private func cut(
    _ mode: Configuration.JournalMode, synchronous: String, seed: UInt64 = 1,
    _ transfer: (Connection) throws -> Void = Bank.transfer
  ) throws -> Result {
    let recorder = try PowerCutRecorder()
    var configuration = Configuration()
    configuration.journalMode = mode
    let connection = try Bank.open("bank.db", recorder.configuration(configuration))
    recorder.mark()
    try connection.execute(sql: "PRAGMA synchronous = \(synchronous)")
    try transfer(connection)
    recorder.mark()
    try connection.close()
    var result = Result()
    result.states = try recorder.forEachState(seed: seed) { state in
      guard state.marks > 0 else { return }
      do {
        let connection = try state.connection("bank.db")
        if try !connection.integrityProblems().isEmpty {
          throw SQLiteError(.corrupt, "It is damaged")
        }
        if try Bank.problem(in: connection) != nil { result.half += 1 }
        let isDone = try Bank.isDone(in: connection)
        if isDone { result.done += 1 }
        if state.marks == 2 && !isDone { result.lost += 1 }
      } catch { result.damaged += 1 }
    }
    return result
  }

  @Test(
    arguments: [Configuration.JournalMode.delete, .truncate, .persist, .wal], ["FULL", "EXTRA"])
  func `a power cut with synchronous FULL or EXTRA causes neither damage nor loss`(
    _ mode: Configuration.JournalMode, _ synchronous: String
  ) throws {
    let result = try cut(mode, synchronous: synchronous)
    #expect(result.states > 100)
    #expect(result.done > 1)
    #expect(result.damaged + result.lost + result.half == 0, "\(result)")
  }

  @Test
  func `a power cut in WAL mode with synchronous NORMAL can lose commits but causes no damage`()
    throws
  {
    let result = try cut(.wal, synchronous: "NORMAL")
    #expect(result.damaged + result.half == 0, "\(result)")
    #expect(result.lost > 0)
  }

  @Test(arguments: [Configuration.JournalMode.delete, .wal])
  func `a power cut with synchronous OFF causes damage or loss`(_ mode: Configuration.JournalMode)
    throws
  {
    var found = 0
    for seed in 1...5 as ClosedRange<UInt64> {
      let result = try cut(mode, synchronous: "OFF", seed: seed)
      found += result.damaged + result.lost + result.half
    }
    #expect(found > 10)
  }

  @Test func `power cuts expose a money transfer that lacks a transaction`() throws {
    #expect(try cut(.delete, synchronous: "FULL", Bank.transferByHalf).half > 0)
  }

  @Test func `the same seed reproduces the same power-cut states`() throws {
    let recorder = try PowerCutRecorder()
    _ = try Bank.open("bank.db", recorder.configuration())
    func states(_ seed: UInt64) throws -> [[String: [UInt8]]] {
      var all: [[String: [UInt8]]] = []
      try recorder.forEachState(seed: seed) { all.append($0.files) }
      return all
    }
    #expect(try states(1) == states(1))
    #expect(try states(1) != states(2))
  }

  @Test func `power-cut states include a file that existed before the recording began`() throws {
    let memory = MemoryFileSystem()
    let system = try RegisteredFileSystem(memory)
    _ = try Bank.open("bank.db", system.configuration())
    let recorder = try PowerCutRecorder(over: memory)
    let connection = try recorder.connection("bank.db")
    #expect(recorder.count == 1)
    try connection.execute(sql: "DELETE FROM account")
    let count = recorder.count
    #expect(count > 5)
    try recorder.forEachState(randomStates: 0) { state in
      guard state.cut > 0 else { return #expect(state.files.isEmpty) }
      let rows = try state.connection("bank.db")
        .first(.column(.int), sql: "SELECT count(*) FROM account")
      #expect(rows == 2 || state.cut > 5 && rows == 0, "\(state)")
      #expect(state.fate != .random)
      #expect(state.marks == 0 && state.cut <= count)
    }
  }

  @Test func `a pool can open the current power-cut state, and using an earlier state throws`()
    throws
  {
    let recorder = try PowerCutRecorder()
    try Bank.open("bank.db", recorder.configuration()).close()
    recorder.mark()
    var states: [PowerCutState] = []
    try recorder.forEachState { state in
      if let last = states.last {
        #expect(failure { _ = try last.connection("bank.db") }?.code == .misuse)
      }
      states.append(state)
      guard state.marks > 0 else { return }
      let pool = try ConnectionPool(path: "bank.db", configuration: state.configuration())
      #expect(try pool.syncRead { try Bank.problem(in: $0) } == nil)
      try pool.syncClose()
    }
    #expect(
      states.allSatisfy { state in failure { _ = try state.configuration() }?.code == .misuse })
  }

  @Test func `a relative path names the same file in a power-cut state`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "power-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
    let path = String(repeating: "../", count: depth) + folder.dropFirst() + "/bank.db"
    let recorder = try PowerCutRecorder(over: SQLiteLibrary.standardFileSystem)
    let connection = try Bank.open(path, recorder.configuration())
    recorder.mark()
    var isFound = false
    try recorder.forEachState { state in
      guard state.marks > 0 else { return }
      let bank = try state.connection(path)
      #expect(try Bank.problem(in: bank) == nil)
      isFound = true
    }
    #expect(isFound)
    try connection.close()
  }
}
