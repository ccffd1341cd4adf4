import Allocations
import Foundation
import SluiceCore
import SluiceTesting
import Testing

/// Reading a file of a Swift file system does not allocate memory for each call.
@Suite(
  .enabled(
    if: allocations_are_counted(),
    "Allocations are counted with the C library of GNU, and not under a sanitizer."))
struct FileSystemAllocationTests {
  @Test func `reading through a file system shim makes no allocation per call`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // An error is ignored, because a leftover folder does no harm.
    defer { try? FileManager.default.removeItem(at: folder) }
    let system = try RegisteredFileSystem(WatchedFileSystem { _ in })
    let connection = try system.connection(folder.appending(path: "app.db").path)
    try connection.execute(
      sql: """
        PRAGMA journal_mode = off; PRAGMA synchronous = off; PRAGMA locking_mode = exclusive;
        PRAGMA cache_size = 1; CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(8000000))
        """)
    let blob = try connection.openBlob(table: "t", column: "a", rowid: 1, readOnly: false)
    var bytes = ContiguousArray<UInt8>(repeating: 0, count: 1)
    // Each query reads a page that is not in the cache.
    let reads = try allocationGrowth { count in
      for index in 0..<count {
        var span = bytes.mutableSpan
        try blob.read(into: &span, at: index % 1000 * 8000)
      }
    }
    #expect(reads < 50, "\(reads)")
  }

  @Test func `a closed pool leaves no memory behind until its upkeep would have been due`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // An error is ignored, because a leftover folder does no harm.
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "app.db").path
    func openAndClose(_ count: Int) async throws {
      for number in 0..<count {
        let pool = try ConnectionPool(path: path, readers: 1)
        try await pool.write { try $0.execute(sql: "PRAGMA user_version = \(number)") }
        try await pool.read { _ in }
        try await pool.close()
      }
    }
    try await openAndClose(50)
    let before = allocations_in_use()
    try await openAndClose(100)
    // Dispatch releases some objects only after the pool is closed. A cancelled sleep would leave eight for each pool.
    for _ in 0..<1_000 where allocations_in_use() - before >= 400 {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(allocations_in_use() - before < 400)
  }
}
