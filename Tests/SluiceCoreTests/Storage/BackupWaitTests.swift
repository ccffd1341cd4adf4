import CSluice
import Foundation
import SluiceCore
import TestSupport
import Testing

/// A custom file system (VFS) records sleeps instead of performing them, so no test depends on a clock.
@Suite(.tags(.storage, .reliability)) struct `waiting for locks during a backup` {
  let folder: TestFolder
  let sleeper: Sleeper
  var db: Connection { sleeper.connection }

  init() throws {
    folder = try TestFolder()
    sleeper = try Sleeper(folder.file())
    try db.fill(rows: 100)
  }

  @Test func `a backup without a lock conflict never sleeps`() throws {
    try db.backup(to: folder.file("b.db"), pagesPerStep: 1, busyLimit: .seconds(60)) { _, _ in }
    #expect(sleeper.slept == [])
  }

  @Test func `a backup without a busy limit throws busy at the first lock conflict`() throws {
    let other = try Connection(path: folder.file("b.db"))
    try other.execute(sql: "BEGIN EXCLUSIVE")
    let target = try Connection(path: folder.file("b.db"), configuration: .impatient)
    #expect(failure { try db.backup(to: target) }?.code == .busy)
    #expect(sleeper.slept == [])
  }

  @Test(arguments: [
    (1, [1_000]), (10, [1_000, 2_000, 4_000, 3_000]), (-5, []),
    (300, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 100_000, 73_000]),
  ])
  func `a backup sleeps for as long as its busy limit and then throws busy`(
    limit: Int, sleeps: [Int32]
  ) throws {
    let other = try Connection(path: folder.file("b.db"))
    try other.execute(sql: "CREATE TABLE old(x); BEGIN EXCLUSIVE")
    let target = try Connection(path: folder.file("b.db"), configuration: .impatient)
    let error = failure { try db.backup(to: target, busyLimit: .milliseconds(limit)) }
    #expect(error?.code == .busy)
    #expect(sleeper.slept == sleeps)
    try other.execute(sql: "ROLLBACK")
    #expect(try target.column("SELECT name FROM sqlite_schema") == ["old"])
  }

  @Test func `a backup continues once the lock is released`() throws {
    let other = try Connection(path: folder.file())
    try other.execute(sql: "BEGIN EXCLUSIVE")
    sleeper.onSleep = { count in if count == 3 { try? other.rollback() } }
    let target = try Connection()
    try db.backup(to: target, busyLimit: .seconds(60))
    #expect(sleeper.slept == [1_000, 2_000, 4_000])
    #expect(try target.content == db.content)
  }

  @Test func `a backup with a busy limit throws busy even if the VFS cannot sleep`() throws {
    sleeper.forgetHowToSleep()
    let other = try Connection(path: folder.file())
    try other.execute(sql: "BEGIN EXCLUSIVE")
    #expect(failure { try db.backup(to: Connection(), busyLimit: .milliseconds(3)) }?.code == .busy)
    #expect(sleeper.slept == [])
  }

  @Test func `a backup waits up to the full busy limit at each lock conflict`() throws {
    let other = try Connection(path: folder.file())
    sleeper.onSleep = { _ in try? other.rollback() }
    var calls = 0
    try db.backup(to: Connection(), pagesPerStep: 3, busyLimit: .milliseconds(1)) { _, _ in
      calls += 1
      if calls < 3 { try other.execute(sql: "BEGIN EXCLUSIVE") }
    }
    #expect(sleeper.slept == [1_000, 1_000])
  }
}

/// A connection that uses a copy of the default VFS whose sleep function only records its calls.
@safe final class Sleeper {
  let connection: Connection
  private(set) var slept: [Int32] = []
  var onSleep: (Int) -> Void = { _ in }
  private let memory: UnsafeMutableRawPointer

  private static let size = unsafe MemoryLayout<sqlite3_vfs>.stride

  init(_ path: String) throws {
    let name = "sleeper-\(UInt64.random(in: 0 ... .max))"
    guard let original = unsafe sqlite3_vfs_find(nil) else {
      throw SQLiteError(.notFound, "SQLite has no file system")
    }
    // The allocation has space for a reference to this object after the VFS.
    unsafe memory = .allocate(byteCount: Self.size + 16, alignment: 16)
    let fileSystem = unsafe memory.bindMemory(to: sqlite3_vfs.self, capacity: 1)
    unsafe fileSystem.initialize(to: original.pointee)
    unsafe fileSystem.pointee.zName = unsafe UnsafePointer(strdup(name))
    unsafe fileSystem.pointee.pNext = nil
    unsafe fileSystem.pointee.xSleep = { fileSystem, microseconds in
      let place = unsafe UnsafeRawPointer(fileSystem!) + Sleeper.size
      let me = unsafe place.load(as: UnsafeMutableRawPointer.self)
      let sleeper = unsafe Unmanaged<Sleeper>.fromOpaque(me).takeUnretainedValue()
      sleeper.slept.append(microseconds)
      sleeper.onSleep(sleeper.slept.count)
      return microseconds
    }
    let code = unsafe sqlite3_vfs_register(fileSystem, 0)
    try #require(code == SQLITE_OK)
    connection = try Connection(uri: "file://\(path)?vfs=\(name)", configuration: .impatient)
    unsafe memory.storeBytes(
      of: Unmanaged.passUnretained(self).toOpaque(), toByteOffset: Self.size,
      as: UnsafeMutableRawPointer.self)
  }

  func forgetHowToSleep() {
    unsafe memory.assumingMemoryBound(to: sqlite3_vfs.self).pointee.xSleep = nil
  }

  deinit {
    #expect(throws: Never.self) { try connection.close() }
    let fileSystem = unsafe memory.assumingMemoryBound(to: sqlite3_vfs.self)
    unsafe sqlite3_vfs_unregister(fileSystem)
    unsafe free(UnsafeMutableRawPointer(mutating: fileSystem.pointee.zName))
    unsafe memory.deallocate()
  }
}
