import CSluice
import SluiceCore
import TestSupport
import Testing

/// Sluice deletes the files of a connection through the same custom file system (VFS) as SQLite does.
@Suite(.tags(.connections)) struct `deleting files through a custom VFS` {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  private func close(fileSystem: String) throws -> SQLiteError? {
    var configuration = Configuration()
    configuration.deletesFileOnClose = true
    let db = try Connection(
      uri: "file:\(folder.file())?vfs=\(fileSystem)", configuration: configuration)
    try db.execute(sql: "CREATE TABLE t(a)")
    let error = failure { try db.close() }
    #expect(!db.isOpen)
    return error
  }

  @Test func `closing deletes the database files through the connection's VFS`() throws {
    unsafe register("recording") { fileSystem, name, sync in
      let path = unsafe String(cString: name!)
      deletions.append(path)
      let system = unsafe sqlite3_vfs_find(nil)!
      return unsafe system.pointee.xDelete(system, name, sync)
    }
    #expect(try close(fileSystem: "recording") == nil)
    #expect(try folder.content == [])
    let path = try #require(deletions.entries.first { $0.hasSuffix("/app.db") })
    // SQLite deleted a journal earlier, which caused the other entries.
    let files = ["", "-wal", "-shm", "-journal"].map { path + $0 }
    #expect(deletions.entries.suffix(4) == files[...])
  }

  @Test func `closing throws if a database file cannot be deleted, but closes the connection`()
    throws
  {
    unsafe register("refusing") { fileSystem, name, sync in
      let system = unsafe sqlite3_vfs_find(nil)!
      guard unsafe !String(cString: name!).hasSuffix(".db") else {
        return ResultCode.ioErrorDelete.rawValue
      }
      return unsafe system.pointee.xDelete(system, name, sync)
    }
    #expect(try close(fileSystem: "refusing")?.code == .ioErrorDelete)
    #expect(try folder.content == ["app.db"])
  }
}

private let deletions = SharedLog<String>()

/// Permanently registers a copy of the default VFS with a custom delete function.
private func register(
  _ name: StaticString,
  _ delete:
    @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, Int32) -> Int32
) {
  let fileSystem = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
  unsafe fileSystem.initialize(to: sqlite3_vfs_find(nil).pointee)
  unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
    unsafe fileSystem.pointee.zName = $0
  }
  unsafe fileSystem.pointee.pNext = nil
  unsafe fileSystem.pointee.xDelete = delete
  unsafe sqlite3_vfs_register(fileSystem, 0)
}
