import SluiceCore
import SluiceTesting
import Synchronization
import TestSupport
import Testing

/// The calls that a shim can make to a file of the standard file system, and the calls that the file refuses.
@Suite(.tags(.fileSystems)) struct `the native file behind a shim` {
  /// Gives a test access to the file behind a shim, during a write and after the connection closes.
  private final class OpenedFile: @unchecked Sendable {
    var file: (any VirtualFile)?
    var write: ((any VirtualFile) -> Void)?
  }

  private struct ExposingFileSystem: VirtualFileSystemShim {
    let opened: OpenedFile
    func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
      let file = try base.open(request)
      if request.kind == .database { opened.file = file }
      return File(base: file, opened: opened)
    }

    struct File: VirtualFileShim {
      let base: any VirtualFile
      let opened: OpenedFile
      func write(_ bytes: Span<UInt8>, at offset: Int64) throws {
        let body = opened.write.take()
        body?(base)
        try base.write(bytes, at: offset)
      }
    }
  }

  private func staged(
    _ mode: Configuration.JournalMode, _ body: @escaping (any VirtualFile) -> Void
  ) throws -> (Connection, OpenedFile, TestFolder) {
    let folder = try TestFolder()
    let opened = OpenedFile()
    let system = try RegisteredFileSystem(ExposingFileSystem(opened: opened))
    let connection = try system.connection(folder.file(), mode)
    try connection.execute(sql: "CREATE TABLE t(a)")
    var ran = false
    opened.write = {
      ran = true
      body($0)
    }
    try connection.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(ran)
    #expect(try connection.value("SELECT count(*) FROM t") == 1)
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
    return (connection, opened, folder)
  }

  @Test(arguments: [Configuration.JournalMode.delete, .wal])
  func `a native file throws for invalid offsets, sizes and lock levels`(
    _ mode: Configuration.JournalMode
  ) throws {
    _ = try staged(mode) { file in
      for offset in [-1, Int64.min, Int64.max] {
        var bytes: ContiguousArray<UInt8> = [1, 2, 3]
        var span = bytes.mutableSpan
        let read = failure { try file.read(into: &span, at: offset) }
        #expect(read?.code == .range)
        let error = failure { try file.write(ContiguousArray([1, 2, 3]).span, at: offset) }
        #expect(error?.code == .range)
      }
      var none: ContiguousArray<UInt8> = []
      var span = none.mutableSpan
      let read = failure { try file.read(into: &span, at: 0) }
      #expect(read == nil)
      let empty: ContiguousArray<UInt8> = []
      let error = failure { try file.write(empty.span, at: 0) }
      #expect(error == nil)
      #expect(failure { try file.truncate(to: -1) }?.code == .range)
      #expect(failure { try file.lock(.pending) }?.code == .misuse)
      #expect(failure { try file.unlock(to: .reserved) }?.code == .misuse)
      #expect(failure { try file.lock(.none) } == nil)
    }
  }

  @Test(arguments: [Configuration.JournalMode.delete, .wal])
  func `a native file cannot be closed early or used after its shim is closed`(
    _ mode: Configuration.JournalMode
  ) throws {
    let (connection, opened, _) = try staged(mode) { file in
      #expect(failure { try file.close() }?.code == .misuse)
    }
    let file = try #require(opened.file)
    #expect(try file.size() > 0)
    try connection.close()
    var bytes: ContiguousArray<UInt8> = [0]
    var span = bytes.mutableSpan
    let read = failure { try file.read(into: &span, at: 0) }
    #expect(read?.code == .misuse)
    let error = failure { try file.write(ContiguousArray([1]).span, at: 0) }
    #expect(error?.code == .misuse)
    #expect(failure { try file.truncate(to: 0) }?.code == .misuse)
    #expect(failure { try file.sync(.full) }?.code == .misuse)
    #expect(failure { try file.size() }?.code == .misuse)
    #expect(failure { try file.lock(.shared) }?.code == .misuse)
    #expect(failure { try file.unlock(to: .none) }?.code == .misuse)
    #expect(failure { try file.hasReservedLock() }?.code == .misuse)
    #expect(failure { try file.close() } == nil)
    #expect(file.sectorSize == 4096 && file.traits == [] && !file.hasSharedMemory)
    #expect(file.mappedFile == nil)
  }

  @Test func `the standard file system can be called directly, and rejects paths with a NUL`()
    throws
  {
    let system = SQLiteLibrary.standardFileSystem
    let folder = try TestFolder()
    try folder.write([1])
    #expect(try system.access(folder.file(), .exists))
    #expect(try system.access(folder.file(), .readWrite))
    #expect(try !system.access(folder.file("b"), .exists))
    #expect(try system.fullPath(of: folder.file()) == folder.file())
    #expect(try system.fullPath(of: "a.db").hasSuffix("/a.db"))
    #expect(failure { try system.access("a\0b", .exists) }?.code == .misuse)
    #expect(failure { try system.fullPath(of: "a\0b") }?.code == .misuse)
    #expect(failure { try system.delete("a\0b", syncsFolder: true) }?.code == .misuse)
    #expect(
      failure { try system.delete(folder.file("b"), syncsFolder: true) }?.code
        == .ioErrorDeleteMissing)
    try system.delete(folder.file(), syncsFolder: true)
    #expect(try folder.content == [])
    #expect(try system.currentTime() > .seconds(1_600_000_000))
    system.sleep(for: .zero)
    system.sleep(for: .seconds(-1))
    var bytes = ContiguousArray<UInt8>(repeating: 0, count: 32)
    var span = bytes.mutableSpan
    system.fillWithRandomBytes(&span)
    #expect(bytes.contains { $0 != 0 })
    #expect(system.maximumPathLength >= 512)
    #expect(system.lastSystemErrno >= 0)
  }

  @Test func `in-process file locks enforce SQLite's lock levels`() throws {
    let locks = FileLocks()
    let first = FileLock(locks)
    do {
      let second = FileLock(locks)
      try first.take(.shared)
      try second.take(.shared)
      try second.take(.reserved)
      #expect(locks.isReserved)
      #expect(failure { try first.take(.reserved) }?.code == .busy)
      #expect(first.level == .shared)
      #expect(failure { try second.take(.exclusive) }?.code == .busy)
      #expect(second.level == .pending)
      first.release(to: .none)
      #expect(failure { try first.take(.shared) }?.code == .busy)
      try second.take(.exclusive)
      #expect(second.level == .exclusive)
    }
    #expect(!locks.isReserved)
    try first.take(.exclusive)
    first.release(to: .shared)
    first.release(to: .exclusive)
    #expect(first.level == .shared)
  }
}
