import SluiceCore
import SluiceTesting
import Synchronization
import TestSupport
import Testing

/// A file system that throws or returns invalid results.
///
/// Each call on the connection must throw or return a value.
@Suite(.tags(.fileSystems)) struct `errors and invalid results from a file system` {
  /// The ways in which a file of this test differs from a file in memory.
  struct Odd: Sendable {
    var read: (@Sendable (Int) throws -> Int)?
    var size: (@Sendable () throws -> Int64)?
    var control: (@Sendable (VirtualFileControl.Kind) throws -> VirtualFileAnswer)?
    var sectorSize = 4096
    var traits: VirtualFileTraits = []
    var isReadOnly = false
    var sharedMemory: SharedMemory?
    var share: (@Sendable () -> Void)?
  }

  struct OddFileSystem: VirtualFileSystem {
    let memory: MemoryFileSystem
    let odd: Mutexed
    var path: @Sendable (String) -> String = { $0 }
    var time: Duration = .zero
    var maximumPathLength: Int { -1 }

    final class Mutexed: Sendable {
      let value = Mutex(Odd())
    }

    func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
      OddFile(base: try memory.open(request), odd: odd)
    }
    func delete(_ path: String, syncsFolder: Bool) throws {
      try memory.delete(path, syncsFolder: syncsFolder)
    }
    func access(_ path: String, _ access: VirtualFileAccess) -> Bool { memory.access(path, access) }
    func fullPath(of path: String) -> String { self.path(path) }
    func currentTime() -> Duration { time }
    var lastSystemErrno: Int { 1 << 40 }
  }

  struct OddFile: VirtualFileShim {
    let base: any VirtualFile
    let odd: OddFileSystem.Mutexed
    private var now: Odd { odd.value.withLock { $0 } }

    func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int {
      let count = try base.read(into: &bytes, at: offset)
      return try now.read?(count) ?? count
    }
    func size() throws -> Int64 { try now.size?() ?? base.size() }
    func control(_ control: borrowing VirtualFileControl) throws -> VirtualFileAnswer {
      try now.control?(control.kind) ?? .unknown
    }
    var sectorSize: Int { now.sectorSize }
    var traits: VirtualFileTraits { now.traits }
    var isReadOnly: Bool { now.isReadOnly }
    var sharedMemory: SharedMemory? { now.sharedMemory ?? base.sharedMemory }
    func share(_ operation: borrowing SharedMemoryOperation) throws {
      if let share = now.share { return share() }
      try base.share(operation)
    }
  }

  /// Opens a connection to a file whose behavior `change` alters before opening or, if `later`, after it.
  private func opened(
    later: Bool = false, _ change: (inout Odd) -> Void
  ) throws -> Connection {
    let memory = MemoryFileSystem()
    let first = try RegisteredFileSystem(memory).connection("a")
    try first.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    let odd = OddFileSystem.Mutexed()
    if !later { odd.value.withLock { change(&$0) } }
    let system = try RegisteredFileSystem(OddFileSystem(memory: memory, odd: odd))
    let connection = try system.connection("a")
    if later { odd.value.withLock { change(&$0) } }
    return connection
  }

  @Test func `the caller receives an error thrown by a file with its code and message`() throws {
    let read = try opened(later: true) {
      $0.read = { _ in throw SQLiteError(.ioErrorData, "A sum is wrong") }
    }
    let error = failure { try read.value("SELECT * FROM t") }
    #expect(error?.code == .ioErrorData)
    #expect(error?.message == "A sum is wrong")
    #expect(error?.systemErrno == Int(Int32.max))
    let other = try opened(later: true) { $0.size = { throw ForeignError() } }
    let unrelated = failure { try other.value("SELECT * FROM t") }
    #expect(unrelated?.code == .ioErrorStatus)
    #expect(unrelated?.message == "\(ForeignError())")
    // An unrelated error does not repeat the earlier message.
    #expect(
      failure { try other.execute(sql: "nonsense") }?.message.contains("another kind") == false)
  }

  @Test(arguments: [ResultCode.ok, .row, .done, .busy, .constraint, .misuse, .interrupt])
  func `an error code that is invalid for a read becomes ioErrorRead`(_ code: ResultCode) throws {
    let connection = try opened(later: true) { $0.read = { _ in throw SQLiteError(code, "No") } }
    let error = failure { try connection.value("SELECT * FROM t") }
    #expect(error?.code == .ioErrorRead)
    #expect(error?.message == (code == .busy ? "disk I/O error" : "No"))
  }

  @Test(arguments: [-1, Int.min, Int.max, 1_000_000])
  func `a query throws ioErrorRead if a read returns an impossible byte count`(_ count: Int) throws
  {
    let connection = try opened(later: true) { $0.read = { _ in count } }
    #expect(failure { try connection.value("SELECT * FROM t") }?.code == .ioErrorRead)
  }

  @Test func `a query throws if a file returns only part of a page`() throws {
    let connection = try opened(later: true) { $0.read = { min($0, 100) } }
    // A truncated page is corrupt, rather than filled with previous contents of memory.
    #expect(failure { try connection.value("SELECT * FROM t") }?.code.primary == .corrupt)
    let short = try opened(later: true) {
      $0.read = { _ in throw SQLiteError(.ioErrorShortRead, "") }
    }
    #expect(failure { try short.value("SELECT * FROM t") } != nil)
  }

  @Test(arguments: [-1, 0, 1, 511, 1000, 1 << 20, Int.max, Int.min])
  func `an invalid sector size does not prevent writing`(_ size: Int) throws {
    let connection = try opened { $0.sectorSize = size }
    try connection.execute(sql: "PRAGMA journal_mode = persist; INSERT INTO t VALUES (2)")
    #expect(try connection.value("SELECT sum(a) FROM t") == 3)
  }

  @Test(arguments: [Int64(-1), .min, .max])
  func `a query throws if a file returns an impossible size`(_ size: Int64) throws {
    let connection = try opened(later: true) { $0.size = { size } }
    #expect(failure { try connection.value("SELECT * FROM t") } != nil)
  }

  @Test func `a read-only file allows queries and rejects writes`() throws {
    let connection = try opened { $0.isReadOnly = true }
    #expect(try connection.value("SELECT * FROM t") == 1)
    #expect(failure { try connection.execute(sql: "DELETE FROM t") }?.code.primary == .readOnly)
  }

  @Test func `a query throws if a file ignores shared-memory operations`() throws {
    let connection = try opened { $0.share = {} }
    _ = failure { try connection.execute(sql: "PRAGMA journal_mode = wal") }
    #expect(failure { try connection.value("SELECT * FROM t") } != nil)
  }

  @Test func `a connection whose file returns unrelated shared memory can be closed`() throws {
    let connection = try opened { $0.sharedMemory = SharedMemory() }
    _ = failure { try connection.execute(sql: "PRAGMA journal_mode = wal; DELETE FROM t") }
    try connection.close()
  }

  @Test func `a file can handle pragmas and other file controls`() throws {
    let connection = try opened { odd in
      odd.control = { kind in
        guard case .pragma(let name, let argument) = kind else { return .number(1 << 40) }
        switch name {
        case "echo": return .text(argument ?? "nothing")
        case "silent": return .done
        case "refused": throw SQLiteError(.constraint, "Not today")
        case "broken": throw ForeignError()
        default: return .unknown
        }
      }
    }
    #expect(try connection.value("PRAGMA echo = 'x'") == "x")
    #expect(try connection.value("PRAGMA echo") == "nothing")
    try connection.execute(sql: "PRAGMA silent")
    let error = failure { try connection.execute(sql: "PRAGMA refused") }
    #expect(error?.code == .constraint)
    #expect(error?.message == "Not today")
    #expect(
      failure { try connection.execute(sql: "PRAGMA broken") }?.message == "\(ForeignError())")
    #expect(try connection.value("PRAGMA page_size") == 4096)
    #expect(try connection.hasFileMoved())
    #expect(try connection.setLockTimeout(.zero) == .milliseconds(Int32.max))
  }

  @Test
  func `opening throws for an impossible full path, and SQL reads an impossible time as NULL`()
    throws
  {
    for path in ["a\0b", String(repeating: "a", count: 100_000)] {
      let odd = OddFileSystem(memory: MemoryFileSystem(), odd: .init(), path: { _ in path })
      let system = try RegisteredFileSystem(odd)
      #expect(failure { try system.connection("a") }?.code == .cantOpenFullPath)
    }
    let times: [(Duration, DatabaseValue)] = [
      (.seconds(86_400), "1970-01-02 00:00:00"), (.seconds(-86_400), "1969-12-31 00:00:00"),
      (.seconds(Int64.max), .null), (.seconds(Int64.min), .null),
    ]
    for (time, expected) in times {
      let odd = OddFileSystem(memory: MemoryFileSystem(), odd: .init(), time: time)
      let system = try RegisteredFileSystem(odd)
      let connection = try system.connection(":memory:")
      #expect(try connection.value("SELECT datetime('now')") == expected)
      withExtendedLifetime(system) {}
    }
  }
}
