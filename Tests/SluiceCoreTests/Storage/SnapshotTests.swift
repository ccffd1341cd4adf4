import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `builds without snapshots` {
  @Test(.enabled(if: !SQLiteLibrary.has(.snapshots)))
  func `snapshot functions throw notFound and name the missing compile option`() throws {
    let db = try Connection()
    let errors = [
      failure { try db.snapshot() }, failure { try db.recoverSnapshots() },
    ]
    for error in errors {
      #expect(error?.code == .notFound)
      #expect(error?.message.contains("SQLITE_ENABLE_SNAPSHOT") == true)
    }
  }
}

/// Runs only with a library that has snapshots: see Tests/OtherSQLite.
@Suite(.tags(.storage), .enabled(if: SQLiteLibrary.has(.snapshots)))
struct `snapshots` {
  let folder: TestFolder
  let writer: Connection
  let reader: Connection

  init() throws {
    folder = try TestFolder()
    writer = try Connection(path: folder.file(), configuration: .impatientWAL)
    try writer.execute(
      sql: "PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    reader = try Connection(path: folder.file(), readOnly: true)
  }

  private func snapshot() throws -> Snapshot {
    try writer.beginReadTransaction()
    defer { #expect(throws: Never.self) { try writer.endReadTransaction() } }
    return try writer.snapshot()
  }

  @Test func `a reader opens an older snapshot and then a newer snapshot`() throws {
    let old = try snapshot()
    try writer.execute(sql: "INSERT INTO t VALUES (2)")
    let new = try snapshot()
    try reader.beginReadTransaction(at: old)
    #expect(try reader.integers("SELECT a FROM t") == [1])
    #expect(failure { try reader.beginReadTransaction(at: new) }?.code == .misuse)
    try reader.endReadTransaction()
    try reader.beginReadTransaction(at: new)
    #expect(try reader.integers("SELECT a FROM t") == [1, 2])
    try reader.endReadTransaction()
    #expect(try reader.integers("SELECT a FROM t") == [1, 2])
  }

  @Test func `isOlder orders snapshots of one file and throws for another file`() throws {
    let old = try snapshot()
    try writer.execute(sql: "INSERT INTO t VALUES (2)")
    let new = try snapshot()
    #expect(try old.isOlder(than: new))
    #expect(try !new.isOlder(than: old))
    #expect(try !old.isOlder(than: old))
    let db = try Connection(path: folder.file("b.db"), configuration: .impatientWAL)
    try db.execute(sql: "CREATE TABLE t(a)")
    try db.beginReadTransaction()
    let other = try db.snapshot()
    #expect(failure { try other.isOlder(than: old) }?.code == .misuse)
    #expect(failure { try reader.beginReadTransaction(at: other) }?.code == .misuse)
    #expect(reader.isInAutocommit)
  }

  @Test func `a checkpoint invalidates a snapshot unless a reader holds the snapshot`() throws {
    let old = try snapshot()
    try reader.beginReadTransaction(at: old)
    try writer.execute(sql: "INSERT INTO t VALUES (2)")
    try writer.checkpoint()
    let other = try Connection(path: folder.file(), readOnly: true)
    try other.beginReadTransaction(at: old)
    #expect(try other.integers("SELECT a FROM t") == [1])
    try other.endReadTransaction()
    try reader.endReadTransaction()
    try writer.checkpoint(.truncate)
    try writer.execute(sql: "INSERT INTO t VALUES (3)")
    #expect(failure { try other.beginReadTransaction(at: old) }?.code == .errorSnapshot)
    #expect(other.isInAutocommit)
    #expect(try other.integers("SELECT a FROM t") == [1, 2, 3])
  }

  @Test func `taking a snapshot throws outside of a read transaction on a WAL database`() throws {
    #expect(failure { try writer.snapshot() }?.code == .error)
    #expect(failure { try writer.snapshot(database: "none") }?.code == .range)
    try writer.transaction { writer, _ in
      try writer.execute(sql: "INSERT INTO t VALUES (2)")
      #expect(failure { try writer.snapshot() }?.code == .error)
    }
    let memory = try Connection()
    try memory.transaction { memory, _ in
      #expect(failure { try memory.snapshot() }?.code == .error)
    }
    try writer.close()
    #expect(failure { try writer.snapshot() }?.code == .misuse)
  }

  @Test func `recoverSnapshots restores the snapshots of a WAL that outlived its connections`()
    throws
  {
    let old = try snapshot()
    try writer.execute(sql: "INSERT INTO t VALUES (2)")
    try writer.setOption(.noCheckpointOnClose, true)
    try reader.close()
    try writer.close()
    let again = try Connection(path: folder.file())
    try again.setOption(.noCheckpointOnClose, true)
    #expect(failure { try again.beginReadTransaction(at: old) }?.code == .errorSnapshot)
    try again.recoverSnapshots()
    try again.beginReadTransaction(at: old)
    #expect(try again.integers("SELECT a FROM t") == [1])
    #expect(failure { try again.recoverSnapshots() }?.code == .error)
  }
}
