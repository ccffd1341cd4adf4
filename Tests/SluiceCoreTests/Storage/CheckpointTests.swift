import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `checkpoints` {
  let folder: TestFolder
  let db: Connection

  init() throws {
    folder = try TestFolder()
    db = try Connection(path: folder.file(), configuration: .impatientWAL)
    try db.execute(sql: "PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(a)")
  }

  private func insert(_ count: Int = 1) throws {
    for value in 0..<count { try db.execute("INSERT INTO t VALUES (\(value))") }
  }

  /// Opens a connection with a read transaction on the current state.
  private func reader() throws -> Connection {
    let reader = try Connection(path: folder.file(), readOnly: true, configuration: .impatient)
    try reader.beginReadTransaction()
    return reader
  }

  @Test func `a checkpoint that copies nothing counts the frames`() throws {
    try insert(5)
    let before = try folder.bytes("app.db")
    guard SQLiteVersion.hasNoopCheckpoint else {
      #expect(failure { try db.checkpoint(.noop) }?.code == .notFound)
      return
    }
    let checkpoint = try db.checkpoint(.noop)
    #expect(!checkpoint.isBusy && !checkpoint.isComplete)
    #expect(try #require(checkpoint.frameCount) >= 6 && checkpoint.checkpointedFrameCount == 0)
    #expect(try folder.bytes("app.db") == before)
  }

  @Test(arguments: CheckpointMode.allCases.filter { $0 != .noop })
  func `each checkpoint mode copies every frame, and only truncate empties the WAL`(
    mode: CheckpointMode
  ) throws {
    try insert(5)
    let frames = try #require(try db.checkpoint().frameCount)
    #expect(frames >= 6)
    let checkpoint = try db.checkpoint(mode)
    let expected = mode == .truncate ? 0 : frames
    #expect(!checkpoint.isBusy && checkpoint.isComplete)
    #expect(checkpoint.frameCount == expected && checkpoint.checkpointedFrameCount == expected)
    #expect(try folder.bytes("app.db-wal").isEmpty == (mode == .truncate))
  }

  @Test func `the next writer restarts the WAL after a restart checkpoint`() throws {
    try insert(5)
    let before = try db.checkpoint(.restart)
    try insert()
    let after = try db.checkpoint()
    #expect(try #require(after.frameCount) < #require(before.frameCount))
  }

  @Test func `a checkpoint that a reader blocks is incomplete and does not throw`() throws {
    try insert(3)
    let reader = try reader()
    try insert(4)
    let passive = try db.checkpoint(.passive)
    #expect(!passive.isBusy && !passive.isComplete)
    #expect(try #require(passive.frameCount) - #require(passive.checkpointedFrameCount) == 4)
    for mode in [CheckpointMode.full, .restart, .truncate] {
      let checkpoint = try db.checkpoint(mode)
      #expect(checkpoint.isBusy && !checkpoint.isComplete)
      #expect(checkpoint.frameCount == passive.frameCount)
      #expect(checkpoint.checkpointedFrameCount == passive.checkpointedFrameCount)
    }
    try reader.endReadTransaction()
    #expect(try db.checkpoint(.truncate).isComplete)
  }

  @Test func `a writer blocks a full checkpoint, but not a passive checkpoint`() throws {
    let writer = try Connection(path: folder.file(), configuration: .impatient)
    try insert()
    try writer.begin(.immediate)
    #expect(try db.checkpoint(.passive).isComplete)
    #expect(try db.checkpoint(.full).isBusy)
    try writer.rollback()
    #expect(try !db.checkpoint(.full).isBusy)
  }

  @Test func `a checkpoint of a database without a WAL reports no frame count`() throws {
    for db in [try Connection(), try Connection(path: folder.file("b.db"))] {
      let checkpoint = try db.checkpoint(.truncate)
      #expect(checkpoint == (try db.checkpoint()))
      #expect(checkpoint.frameCount == nil && checkpoint.checkpointedFrameCount == nil)
      #expect(!checkpoint.isBusy && !checkpoint.isComplete)
    }
  }

  @Test func `a checkpoint applies only to the database with the given name`() throws {
    let other = try Connection(path: folder.file("b.db"), configuration: .impatientWAL)
    try other.execute(sql: "CREATE TABLE u(a)")
    try db.attach(path: folder.file("b.db"), as: "b")
    try insert()
    #expect(try db.checkpoint(.truncate, database: "b").isComplete)
    #expect(try !folder.bytes("app.db-wal").isEmpty)
    #expect(try folder.bytes("b.db-wal").isEmpty)
    #expect(failure { try db.checkpoint(database: "none") }?.code == .range)
    #expect(failure { try db.checkpoint(database: "") }?.code == .range)
    #expect(failure { try db.checkpoint(database: "main\0") }?.code == .misuse)
    try db.attach(path: ":memory:", as: "")
    #expect(failure { try db.checkpoint(database: "") }?.code == .range)
  }

  @Test func `a checkpoint throws locked during a transaction or while a statement is active`()
    throws
  {
    try insert(2)
    try db.transaction { db, _ in
      try insert()
      #expect(failure { try db.checkpoint() }?.code.primary == .locked)
    }
    let statement = try db.prepare(sql: "SELECT a FROM t")
    let hasRow = try statement.step() != nil
    #expect(hasRow)
    #expect(failure { try db.checkpoint() }?.code.primary == .locked)
    try statement.reset()
    #expect(try db.checkpoint().isComplete)
    try db.close()
    #expect(failure { try db.checkpoint() }?.code == .misuse)
  }
}
