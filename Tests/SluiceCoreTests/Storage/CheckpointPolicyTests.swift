import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `checkpoint policies` {
  let folder: TestFolder
  let db: Connection
  let start = ContinuousClock.now

  init() throws {
    folder = try TestFolder()
    db = try Connection(path: folder.file(), configuration: .impatientWAL)
    try db.execute(sql: "PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(a)")
  }

  @Test func `a checkpoint is due after the interval or at the number of frames`() throws {
    let policy = CheckpointPolicy(frames: 10, interval: .seconds(60))
    func apply(_ seconds: Int, _ frames: Int? = nil) throws -> Bool {
      try policy.apply(to: db, frames: frames, at: start + .seconds(seconds)) != nil
    }
    #expect(try apply(0))
    #expect(try !apply(59))
    #expect(try apply(60))
    #expect(try !apply(61, 9))
    #expect(try apply(62, 10))
    #expect(try !apply(121))
    #expect(try apply(122, 0))
  }

  @Test func `a checkpoint policy uses the current time by default`() throws {
    #expect(try CheckpointPolicy(interval: .zero).apply(to: db) != nil)
    let policy = CheckpointPolicy(interval: .seconds(3600))
    #expect(try policy.apply(to: db)?.isComplete == true)
    #expect(try policy.apply(to: db) == nil)
  }

  @Test func `a checkpoint policy exposes its settings, and throws range for an unknown database`()
    throws
  {
    let policy = CheckpointPolicy(
      database: "b", frames: 7, interval: .seconds(8), patience: .seconds(9))
    #expect(policy.database == "b" && policy.frames == 7)
    #expect(policy.interval == .seconds(8) && policy.patience == .seconds(9))
    #expect(failure { try policy.apply(to: db) }?.code == .range)
  }

  @Test
  func `a policy reports a reader that blocks checkpoints, with the time since its detection`()
    throws
  {
    let log = SharedLog<WALStarvation>()
    let policy = CheckpointPolicy(interval: .zero, patience: .seconds(30)) { log.append($0) }
    let first = try Connection(path: folder.file(), readOnly: true)
    let second = try Connection(path: folder.file(), readOnly: true)
    func apply(_ seconds: Int) throws {
      try policy.apply(to: db, at: start + .seconds(seconds))
    }
    try first.beginReadTransaction()
    try db.execute(sql: "INSERT INTO t VALUES (1)")
    try apply(0)
    try apply(29)
    #expect(log.entries.isEmpty)
    try db.execute(sql: "INSERT INTO t VALUES (2)")
    try apply(30)
    #expect(log.entries.map(\.duration) == [.seconds(30)])
    #expect(log.entries[0].frameCount - log.entries[0].checkpointedFrameCount == 2)

    // The second reader holds a later snapshot, so its duration starts at zero.
    try second.beginReadTransaction()
    try first.endReadTransaction()
    try db.execute(sql: "INSERT INTO t VALUES (3)")
    try apply(100)
    try apply(129)
    #expect(log.entries.count == 1)
    try apply(131)
    #expect(log.entries.map(\.duration) == [.seconds(30), .seconds(31)])

    try second.endReadTransaction()
    try apply(200)
    #expect(log.entries.count == 2)
  }

  @Test func `concurrent tasks can apply one checkpoint policy on a queue`() async throws {
    let queue = try ConnectionQueue(path: folder.file(), configuration: .impatientWAL)
    let policy = CheckpointPolicy(interval: .zero)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for value in 0..<20 {
        group.addTask {
          try await queue.perform { connection in
            try connection.execute("INSERT INTO t VALUES (\(value))")
            return try policy.apply(to: connection)?.isComplete ?? false
          }
        }
      }
      for try await isComplete in group { #expect(isComplete) }
    }
  }
}
