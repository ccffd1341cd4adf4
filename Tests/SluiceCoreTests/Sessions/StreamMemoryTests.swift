import Allocations
import Foundation
import SluiceCore
import TestSupport
import Testing

#if os(Linux)
  /// The memory that a stream needs does not grow with its length.
  ///
  /// Each size runs in its own process, so that nothing else raises the peak memory.
  @Suite(
    .tags(.sessions),
    .serialized, .enabled(if: SQLiteLibrary.has(.sessions)),
    .enabled(if: allocations_are_counted(), "A sanitizer keeps memory that was freed."),
    .timeLimit(.minutes(10)))
  struct `memory use of changeset streams` {
    @Test func `a changeset of 10 MB is applied in constant memory`() async {
      await #expect(processExitsWith: .success) { try expectFlatMemory(rows: 1_000) }
    }

    @Test func `a changeset of 100 MB is applied in constant memory`() async {
      await #expect(processExitsWith: .success) { try expectFlatMemory(rows: 10_000) }
    }
  }

  /// Applies changes of 10,000 bytes each to a file, reads them, and inverts them.
  ///
  /// The memory must grow by less than a tenth of the size of the larger changeset.
  private func expectFlatMemory(rows: Int) throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.execute(
      sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b); PRAGMA cache_size = -1000")
    let (table, change) = try sample()
    func stream() -> Changeset.Stream {
      var row = -1
      return Changeset.Stream {
        defer { row += 1 }
        guard row >= 0 else { return table }
        guard row < rows else { return nil }
        var bytes = change
        for place in 0..<4 { bytes[10 - place] = UInt8(truncatingIfNeeded: row >> (place * 8)) }
        return bytes
      }
    }
    let before = try peakMemory()
    try connection.apply(stream())
    var count = 0
    try stream().forEachChange { _ in count += 1 }
    #expect(count == rows)
    let growth = try peakMemory() - before
    var size = 0
    try stream().inverted(to: { size += $0.count })
    #expect(size > rows * 10_000)
    // SQLite 3.53 keeps the part of a stream that it has read until it has inverted the whole stream.
    if !SQLiteVersion.invertKeepsStream {
      let growth = try peakMemory() - before
      #expect(growth < 10_000_000, "\(growth) bytes for \(size) that are inverted")
    }
    #expect(try connection.first(.column(.int), sql: "SELECT count(*) FROM t") == rows)
    #expect(growth < 10_000_000, "\(growth) bytes for \(size)")
  }

  /// Returns the bytes of a table header and the bytes of one inserted row.
  private func sample() throws -> (table: [UInt8], change: [UInt8]) {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
    let session = try connection.session()
    try connection.execute(sql: "INSERT INTO t VALUES (0, zeroblob(10000))")
    let bytes = try session.changeset().bytes
    // The header is 'T', the number of columns, a flag for each column, and the name with its NUL.
    return (Array(bytes.prefix(6)), Array(bytes.dropFirst(6)))
  }
#endif
