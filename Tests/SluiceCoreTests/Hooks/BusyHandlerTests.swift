import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.hooks)) struct `busy handlers` {
  let folder: TestFolder
  let db: Connection
  let other: Connection
  let notes = Notes()

  init() throws {
    folder = try TestFolder()
    db = try Connection(path: folder.file(), configuration: .impatient)
    other = try Connection(path: folder.file(), configuration: .impatient)
    try db.execute(sql: "CREATE TABLE t(a)")
  }

  private func insert() throws { try db.execute(sql: "INSERT INTO t VALUES (1)") }

  @Test func `a busy handler is called until it returns false`() throws {
    try other.begin(.immediate)
    try db.setBusyHandler { [notes] count in
      notes.add(count)
      return count < 3
    }
    #expect(failure { try insert() }?.code == .busy)
    #expect(notes.read() == ["0", "1", "2", "3"])
    try db.setBusyHandler(nil)
    #expect(failure { try insert() }?.code == .busy)
    #expect(notes.read() == [])
  }

  @Test func `a statement succeeds if the lock is released while the busy handler waits`() throws {
    try other.begin(.immediate)
    try db.setBusyHandler { [other] count in
      if count == 2 { try other.rollback() }
      return true
    }
    try insert()
    #expect(try db.integers("SELECT a FROM t") == [1])
  }

  @Test func `an error thrown by a busy handler is rethrown by the statement`() throws {
    try other.begin(.immediate)
    try db.setBusyHandler { _ in throw ForeignError("no patience") }
    #expect(throws: ForeignError("no patience")) { try insert() }
    try other.rollback()
    try insert()
  }

  @Test func `a busy timeout and a busy handler replace each other`() throws {
    try other.begin(.immediate)
    try db.setBusyHandler { [notes] _ in
      notes.add("asked")
      return false
    }
    try db.setBusyTimeout(.milliseconds(1))
    #expect(db.configuration.busyTimeout == .milliseconds(1))
    #expect(try db.value("PRAGMA busy_timeout") == 1)
    #expect(failure { try insert() }?.code == .busy)
    #expect(notes.read() == [])
    try db.setBusyHandler { [notes] _ in
      notes.add("asked again")
      return false
    }
    #expect(try db.value("PRAGMA busy_timeout") == 0)
    #expect(failure { try insert() }?.code == .busy)
    #expect(notes.read() == ["asked again"])
    try db.setBusyHandler(nil)
    #expect(try db.value("PRAGMA busy_timeout") == 1)
  }

  private final class Witness: Sendable {}

  @Test(arguments: [
    "PRAGMA busy_timeout = 7", "PRAGMA main.busy_timeout(7)", "/* a */ pragma BUSY_TIMEOUT=7",
    "EXPLAIN PRAGMA busy_timeout = 7", "PRAGMA \"busy_timeout\" = 7",
    "SELECT 1; PRAGMA busy_timeout=7",
  ])
  func `a busy timeout in SQL replaces and releases the busy handler`(sql: String) throws {
    weak var witness: Witness?
    do {
      let kept = Witness()
      witness = kept
      try db.setBusyHandler { [notes] _ in
        notes.add("asked \(kept)")
        return false
      }
    }
    #expect(witness != nil)
    _ = try db.value("PRAGMA busy_timeout")
    _ = try db.value("SELECT 'PRAGMA busy_timeout = 1'")
    #expect(witness != nil)
    try db.execute(sql: sql)
    #expect(witness == nil)
    #expect(db.configuration.busyTimeout == .milliseconds(7))
    try other.begin(.immediate)
    #expect(failure { try insert() }?.code == .busy)
    // A rejected close restores the waiting.
    try db.addFunction("f", arity: 0) { [unowned db] _ in
      #expect(failure { try db.close() }?.code == .misuse)
      return 1
    }
    try db.execute(sql: "SELECT f()")
    #expect(try db.value("PRAGMA busy_timeout") == 7)
    try db.setBusyHandler(nil)
    #expect(try db.value("PRAGMA busy_timeout") == 7)
    #expect(notes.read() == [])
    try db.execute(sql: "PRAGMA busy_timeout = 0")
    #expect(db.configuration.busyTimeout == .zero)
  }

  @Test func `a queue waits for the busy timeout that SQL has set`() throws {
    let queue = try ConnectionQueue(path: folder.file())
    try queue.sync { try $0.execute(sql: "PRAGMA busy_timeout = 20") }
    try other.begin(.immediate)
    #expect(failure { try queue.syncWrite { try $0.execute(sql: "DELETE FROM t") } }?.code == .busy)
    #expect(try queue.sync { $0.configuration.busyTimeout } == .milliseconds(20))
    try other.rollback()
    try queue.syncWrite { try $0.execute(sql: "DELETE FROM t") }
  }

  @Test func `a busy timeout out of the C range is clamped`() throws {
    for seconds in [Int64.min, -1, 0, .max] {
      try db.setBusyTimeout(.seconds(seconds))
      #expect(try db.value("PRAGMA busy_timeout") == (seconds == .max ? 2_147_483_647 : 0))
    }
  }

  @Test func `a busy handler remains set after a rejected close`() throws {
    var configuration = Configuration.impatient
    configuration.optimizesOnClose = true
    let db = try unsafe Connection(adopting: openedByC(folder.file()))
    try db.setBusyHandler { [notes] _ in
      notes.add("asked")
      return false
    }
    try db.addFunction("f", arity: 0) { [unowned db] _ in
      #expect(failure { try db.close() }?.code == .misuse)
      return 1
    }
    try db.execute(sql: "SELECT f()")
    try other.begin(.immediate)
    #expect(failure { try db.execute(sql: "INSERT INTO t VALUES (1)") }?.code == .busy)
    #expect(notes.read() == ["asked"])
  }
}
