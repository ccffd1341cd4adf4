import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.hooks), .inEachThreadingMode) struct `progress handlers` {
  let db: Connection
  let notes = Notes()
  static let long = """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    SELECT count(*) FROM n
    """

  init() throws {
    db = try Connection.inTestedMode()
    try db.execute(sql: "CREATE TABLE t(a)")
  }

  @Test func `each progress handler is called at its own interval`() throws {
    var counts = [0, 0]
    try db.onProgress(every: 100) { counts[0] += 1 }
    let token = try db.onProgress(every: 1000) { counts[1] += 1 }
    #expect(try db.integers(Self.long) == [100_000])
    #expect(counts[1] > 100)
    #expect(counts[0] / counts[1] == 10)
    token.cancel()
    counts = [0, 0]
    #expect(try db.integers(Self.long) == [100_000])
    #expect(counts[0] > 1000 && counts[1] == 0)
  }

  @Test func `an error thrown by a progress handler is rethrown by the statement`() throws {
    let token = try db.onProgress(every: 100) { throw ForeignError("too late") }
    #expect(throws: ForeignError("too late")) { try db.integers(Self.long) }
    token.cancel()
    #expect(try db.integers(Self.long) == [100_000])
  }

  @Test func `a transaction that a progress handler interrupted runs no more statements`() throws {
    var isLate = false
    try db.onProgress(every: 10) { if isLate { throw ForeignError("too late") } }
    let error = foreignFailure {
      try db.transaction { db, _ in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        isLate = true
        let error = foreignFailure { try db.execute(sql: "INSERT INTO t \(Self.long)") }
        #expect(error?.description == "too late")
        isLate = false
        let next = foreignFailure { try db.execute(sql: "INSERT INTO t VALUES (2)") }
        #expect(next == error)
      }
    }
    #expect(error?.description == "too late")
    #expect(db.isInAutocommit)
    #expect(try db.integers("SELECT a FROM t") == [])
  }

  @Test(arguments: [false, true])
  func `a progress handler can interrupt a commit but not the rollback after it`(_ isOnQueue: Bool)
    throws
  {
    let queue = try ConnectionQueue()
    let isLate = Notes()
    func write(_ db: Connection) throws {
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS t(a)")
      try db.onProgress(every: 1) { [isLate] in
        if !isLate.lines.isEmpty { throw ForeignError("too late") }
      }
      let error = foreignFailure {
        try db.transaction { db, _ in
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          isLate.add("late")
        }
      }
      #expect(error?.description == "too late")
      #expect(db.isInAutocommit)
      isLate.lines = []
      let rows = try db.integers("SELECT a FROM t")
      #expect(rows.isEmpty || rows == [1] && SQLiteVersion.interruptsAfterCommit)
    }
    if !isOnQueue { return try write(db) }
    let error = foreignFailure {
      try queue.sync { db in
        try db.execute(sql: "CREATE TABLE t(a)")
        try db.begin()
        try db.onProgress(every: 1) { throw ForeignError("too late") }
        try db.execute(sql: "INSERT INTO t VALUES (1)")
      }
    }
    #expect(error?.description == "too late")
    // The queue rolls back the open transaction despite the progress handler.
    let isInAutocommit = try queue.sync { db in db.isInAutocommit }
    #expect(isInAutocommit)
  }

  @Test(arguments: [0, -1, .min]) func `a progress interval of less than one instruction throws`(
    _ count: Int
  ) throws {
    #expect(failure { try db.onProgress(every: count) {} }?.code == .range)
  }

  @Test func `a progress interval above the C range is clamped`() throws {
    try db.onProgress(every: .max) { [notes] in notes.add("called") }
    #expect(try db.integers(Self.long) == [100_000])
    #expect(notes.read() == [])
  }
}
