import CSluice
import Foundation
import SluiceCore
import SluiceTesting
import Synchronization
import TestSupport
import Testing

/// A shim receives each call that SQLite makes to the standard file system, and by default forwards it unchanged.
@Suite(.tags(.fileSystems)) struct `file-system shims` {
  /// Counts the calls by kind.
  final class Counts: Sendable {
    private let counts = Mutex<[FileSystemCall: Int]>([:])
    func add(_ call: FileSystemCall) { counts.withLock { $0[call, default: 0] += 1 } }
    subscript(_ call: FileSystemCall) -> Int { counts.withLock { $0[call] ?? 0 } }
    var kinds: Set<FileSystemCall> { counts.withLock { Set($0.keys) } }
  }

  private func counted() throws -> (RegisteredFileSystem, Counts) {
    let counts = Counts()
    return (try RegisteredFileSystem(WatchedFileSystem { counts.add($0) }), counts)
  }

  @Test func `a rollback journal is written, synced and deleted through a shim`() throws {
    let folder = try TestFolder()
    let (system, counts) = try counted()
    let connection = try system.connection(folder.file(), .delete)
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    #expect(try connection.value("SELECT sum(a) FROM t") == 3)
    #expect(counts[.open] == 3)
    #expect(counts[.delete] == 2)
    #expect(counts[.sync] >= 6)
    // A persistent journal may be hot, so SQLite checks for a reserved lock.
    try connection.execute(sql: "PRAGMA journal_mode = persist; INSERT INTO t VALUES (0)")
    #expect(try connection.value("SELECT sum(a) FROM t") == 3)
    try connection.close()
    #expect(counts[.close] == counts[.open])
    #expect(
      counts.kinds.isSuperset(of: [
        .open, .delete, .access, .fullPath, .read, .write, .sync, .size, .lock, .unlock,
        .hasReservedLock, .control, .close,
      ]))
    #expect(try Connection(path: folder.file()).value("SELECT sum(a) FROM t") == 3)
  }

  /// A file that claims traits.
  private struct Claiming: VirtualFileShim {
    let base: any VirtualFile
    var traits: VirtualFileTraits { [.subpageRead, .sequential] }
  }

  private struct Plain: VirtualFileShim { let base: any VirtualFile }

  private final class ClaimingSystem: VirtualFileSystemShim {
    let traits = Mutex<[VirtualFileTraits]>([])

    func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
      let file = Plain(base: Claiming(base: try base.open(request)))
      traits.withLock { $0.append(file.traits) }
      return file
    }
  }

  @Test func `a shim does not claim that parts of its pages can be read`() throws {
    let folder = try TestFolder()
    let claiming = ClaimingSystem()
    let system = try RegisteredFileSystem(claiming)
    let connection = try system.connection(folder.file())
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000))")
    #expect(try connection.value("SELECT length(a) FROM t") == 100_000)
    #expect(claiming.traits.withLock { Set($0) } == [.sequential])
  }

  @Test func `connections with and without a shim share a WAL database`() throws {
    let folder = try TestFolder()
    let (system, counts) = try counted()
    let writer = try system.connection(folder.file(), .wal)
    // A connection that bypasses the shim sees the same shared memory.
    for reader in [try system.connection(folder.file()), try Connection(path: folder.file())] {
      try writer.execute(sql: "DROP TABLE IF EXISTS t; CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      try reader.execute(sql: "BEGIN")
      #expect(try reader.value("SELECT count(*) FROM t") == 1)
      try writer.execute(sql: "INSERT INTO t VALUES (2)")
      #expect(try reader.value("SELECT count(*) FROM t") == 1)
      try writer.checkpoint(.passive)
      try reader.execute(sql: "COMMIT")
      #expect(try reader.value("SELECT count(*) FROM t") == 2)
    }
    #expect(counts[.share] > 20)
    try writer.close()
  }

  @Test func `the file-system name lists the outer shim before the standard file system`() throws {
    let folder = try TestFolder()
    let inner = try RegisteredFileSystem(WatchedFileSystem { _ in })
    let base = try SQLiteLibrary.fileSystem(named: inner.name)
    let outer = try RegisteredFileSystem(WatchedFileSystem(over: base) { _ in })
    let connection = try outer.connection(folder.file())
    let standard = try #require(try Connection(path: folder.file()).fileSystemName())
    #expect(try connection.fileSystemName() == "\(outer.name)/\(standard)")
    #expect(try inner.connection(folder.file()).fileSystemName() == "\(inner.name)/\(standard)")
    #expect(try Connection().fileSystemName() != "\(outer.name)/\(standard)")
  }

  @Test func `an open request contains the file's kind, paths and URI parameters`() throws {
    let folder = try TestFolder()
    let requests = Requests()
    let system = try RegisteredFileSystem(requests)
    let uri = "file:\(folder.file())?vfs=\(system.name)&tenant=7&fast=yes"
    let connection = try Connection(uri: uri)
    try connection.execute(sql: "CREATE TABLE t(a); CREATE TEMP TABLE u(a)")
    try connection.execute(sql: "PRAGMA journal_mode = wal; INSERT INTO t VALUES (1)")
    try connection.close()
    let seen = requests.list.seen.withLock { $0 }
    let path = folder.file()
    let names = ["\(path)-journal", "\(path)-wal"]
    let database = try #require(seen.first)
    #expect(database == Requests.Seen(.database, path, path, names, "7", 7, true, false))
    let journal = try #require(seen.first { $0.kind == .journal })
    #expect(journal == Requests.Seen(.journal, names[0], path, names, "7", 7, true, true))
    let wal = try #require(seen.first { $0.kind == .wal })
    #expect(wal == Requests.Seen(.wal, names[1], path, names, "7", 7, true, true))
  }

  /// Records its open requests.
  private struct Requests: VirtualFileSystemShim {
    struct Seen: Equatable, Sendable {
      let kind: VirtualFileRequest.Kind
      let path: String?
      let database: String?
      let names: [String?]
      let tenant: String?
      let number: Int64
      let isFast: Bool
      let hasDatabase: Bool

      init(
        _ kind: VirtualFileRequest.Kind, _ path: String?, _ database: String?, _ names: [String?],
        _ tenant: String?, _ number: Int64, _ isFast: Bool, _ hasDatabase: Bool
      ) {
        self.kind = kind
        self.path = path
        self.database = database
        self.names = names
        self.tenant = tenant
        self.number = number
        self.isFast = isFast
        self.hasDatabase = hasDatabase
      }
    }
    final class List: Sendable { let seen = Mutex<[Seen]>([]) }
    let list = List()

    func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
      let seen = Seen(
        request.kind, request.path, request.databasePath, [request.journalPath, request.walPath],
        request.uriParameter("tenant"), request.uriInteger("tenant"), request.uriBoolean("fast"),
        request.databaseFile != nil)
      #expect(request.uriParameterNames.contains("tenant") == (request.databasePath != nil))
      #expect(request.uriParameter("ten\0ant") == nil)
      list.seen.withLock { $0.append(seen) }
      return try base.open(request)
    }
  }

  @Test func `opening a symbolic link through a shim throws only with the no-follow flag`() throws {
    let folder = try TestFolder()
    try Connection(path: folder.file()).execute(sql: "CREATE TABLE t(a)")
    #expect(unsafe symlink(folder.file(), folder.file("link")) == 0)
    let inner = try RegisteredFileSystem(WatchedFileSystem { _ in })
    let base = try SQLiteLibrary.fileSystem(named: inner.name)
    let outer = try RegisteredFileSystem(WatchedFileSystem(over: base) { _ in })
    for system in [inner.name, outer.name] {
      for (file, isFollowing, code) in [
        ("link", false, ResultCode.cantOpenSymbolicLink.rawValue), ("link", true, SQLITE_OK),
        (nil, false, SQLITE_OK),
      ] {
        let flags = SQLITE_OPEN_READWRITE | (isFollowing ? 0 : SQLITE_OPEN_NOFOLLOW)
        let path = file.map { folder.file($0) } ?? folder.file()
        var handle: OpaquePointer?
        _ = unsafe sqlite3_open_v2(path, &handle, flags, system)
        #expect(unsafe sqlite3_extended_errcode(handle) == code)
        unsafe sqlite3_close(handle)
      }
    }
  }

  @Test func `a shim can redirect files to another path`() throws {
    struct Elsewhere: VirtualFileSystemShim {
      let folder: String
      private func path(_ path: String) -> String { folder + "/" + path }
      func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
        guard let path = request.path else { return try base.open(request) }
        #expect(throws: SQLiteError.self) { _ = try request.redirected(to: "a\0b").path }
        let elsewhere = try request.redirected(to: self.path(path))
        #expect(elsewhere.kind == request.kind)
        return try base.open(elsewhere)
      }
      func delete(_ path: String, syncsFolder: Bool) throws {
        try base.delete(self.path(path), syncsFolder: syncsFolder)
      }
      func access(_ path: String, _ access: VirtualFileAccess) throws -> Bool {
        try base.access(self.path(path), access)
      }
      func fullPath(of path: String) -> String { path }
    }
    let folder = try TestFolder()
    let system = try RegisteredFileSystem(Elsewhere(folder: folder.path))
    let connection = try system.connection("a", .wal)
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    #expect(try folder.content == ["a", "a-shm", "a-wal"])
    try connection.close()
    #expect(try folder.content == ["a"])
    #expect(try Connection(path: folder.file("a")).value("SELECT a FROM t") == 1)
  }

  @Test func `a database that a shim encrypts is unreadable without the shim`() throws {
    let folder = try TestFolder()
    for mode in [Configuration.JournalMode.delete, .wal] {
      let path = folder.file(mode.rawValue)
      let system = try RegisteredFileSystem(Cipher(key: 0x5a))
      let connection = try system.connection(path, mode)
      try connection.execute(
        sql: "CREATE TABLE t(a); INSERT INTO t VALUES ('in the clear'); PRAGMA mmap_size = 1000000")
      try connection.transaction { connection, _ in
        for _ in 0..<60 { try connection.execute(sql: "INSERT INTO t VALUES (randomblob(1000))") }
      }
      try connection.close()
      #expect(
        failure { try Connection(path: path).value("SELECT * FROM t") }?.code == .notADatabase)
      let bytes = try folder.bytes(mode.rawValue)
      #expect(!String(decoding: bytes, as: UTF8.self).contains("in the clear"))
      let again = try system.connection(path)
      #expect(try again.value("SELECT a FROM t") == "in the clear")
      #expect(try again.value("PRAGMA integrity_check") == "ok")
    }
  }

  private struct Cipher: VirtualFileSystemShim {
    let key: UInt8

    func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
      CipherFile(base: try base.open(request), key: key)
    }
  }

  private struct CipherFile: VirtualFileShim {
    let base: any VirtualFile
    let key: UInt8

    func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int {
      let count = try base.read(into: &bytes, at: offset)
      for index in 0..<count { bytes[index] ^= key }
      return count
    }

    func write(_ bytes: Span<UInt8>, at offset: Int64) throws {
      var hidden = ContiguousArray<UInt8>(repeating: 0, count: bytes.count)
      for index in bytes.indices { hidden[index] = bytes[index] ^ key }
      try base.write(hidden.span, at: offset)
    }
  }

  @Test func `a shim with a mapped file lets SQLite read through the memory map`() throws {
    struct Mapped: VirtualFileSystemShim {
      let reads: Counts
      func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
        File(base: try base.open(request), reads: reads)
      }
      struct File: VirtualFileShim {
        let base: any VirtualFile
        let reads: Counts
        var mappedFile: (any VirtualFile)? { base }
        func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int {
          reads.add(.read)
          return try base.read(into: &bytes, at: offset)
        }
      }
    }
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    // Newer SQLite versions do not read overflow pages through the map, so each row must fit into a page.
    try connection.execute(
      sql: """
        CREATE TABLE t(a);
        WITH c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 2000)
        INSERT INTO t SELECT zeroblob(500) FROM c
        """)
    try connection.close()
    func reads(_ size: Int64) throws -> Int {
      let counts = Counts()
      let system = try RegisteredFileSystem(Mapped(reads: counts))
      let connection = try system.connection(folder.file())
      try connection.execute(sql: "PRAGMA mmap_size = \(size)")
      #expect(try connection.value("SELECT sum(length(hex(a))) FROM t") == 2_000_000)
      try connection.execute(
        sql: "INSERT INTO t VALUES (zeroblob(100)); DELETE FROM t WHERE rowid > 2000")
      return counts[.read]
    }
    #expect(try reads(0) > 200)
    #expect(try reads(10_000_000) < 20)
  }
}
