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
