import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.hooks), .enabled(if: SQLiteLibrary.has(.unlockNotify)))
struct `waiting for a shared-cache lock` {
  private let folder: TestFolder
  private let uri: String

  init() throws {
    folder = try TestFolder()
    uri = "file:\(folder.file())?cache=shared"
    try Connection(uri: uri).execute(
      sql: "PRAGMA journal_mode = delete; CREATE TABLE t(a); CREATE TABLE u(a)")
  }

  private func open() throws -> Connection { try Connection(uri: uri, configuration: .impatient) }

  @Test func `waitForUnlock returns after the other connection commits`() throws {
    let other = try ConnectionQueue(uri: uri)
    let isWriting = Gate()
    let isBlocked = Gate()
    let done = DispatchGroup()
    done.enter()
    other.async { db in
      try db.transaction { db, _ in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        isWriting.open()
        #expect(isBlocked.pass())
      }
    } completion: { _ in
      done.leave()
    }
    #expect(isWriting.pass())
    let db = try open()
    #expect(failure { try db.integers("SELECT a FROM t") }?.code == .lockedSharedCache)
    isBlocked.open()
    try db.waitForUnlock(timeout: .seconds(Int64(patience)))
    #expect(try db.integers("SELECT a FROM t") == [1])
    #expect(done.finishes())
  }

  @Test func `waitForUnlock returns at once if nothing is locked, and throws after its timeout`()
    throws
  {
    let db = try open()
    let other = try open()
    try db.waitForUnlock()
    try other.execute(sql: "BEGIN; INSERT INTO t VALUES (1)")
    #expect(failure { try db.integers("SELECT a FROM t") }?.code == .lockedSharedCache)
    #expect(failure { try db.waitForUnlock(timeout: .milliseconds(1)) }?.code == .busyTimeout)
    #expect(failure { try db.integers("SELECT a FROM t") }?.code == .lockedSharedCache)
    #expect(failure { try db.waitForUnlock(timeout: .seconds(-1)) }?.code == .busyTimeout)
    try other.commit()
    try db.waitForUnlock()
    #expect(try db.integers("SELECT a FROM t") == [1])
  }

  @Test func `waitForUnlock reports a deadlock to one of two connections`() throws {
    let first = try ConnectionQueue(uri: uri, configuration: .impatient)
    let db = try open()
    let isWaiting = Gate()
    let done = DispatchGroup()
    done.enter()
    try db.execute(sql: "BEGIN; SELECT a FROM u; SELECT a FROM t")
    let outcome = SharedLog<ResultCode?>()
    first.async { db in
      try db.execute(sql: "BEGIN; SELECT a FROM u; SELECT a FROM t")
      let blocked = failure { try db.execute(sql: "INSERT INTO t VALUES (1)") }
      #expect(blocked?.code == .lockedSharedCache)
      isWaiting.open()
      outcome.append(waited(db))
      try db.rollback()
    } completion: { _ in
      done.leave()
    }
    #expect(isWaiting.pass())
    // The second connection to wait receives the error; the order is not determined.
    let blocked = failure { try db.execute(sql: "INSERT INTO u VALUES (1)") }
    #expect(blocked?.code == .lockedSharedCache)
    outcome.append(waited(db))
    try db.rollback()
    #expect(done.finishes())
    #expect(outcome.entries.filter { $0 == .locked }.count == 1)
  }
}

private func waited(_ db: Connection) -> ResultCode? {
  failure { try db.waitForUnlock(timeout: .seconds(Int64(patience))) }?.code
}
