import CSluice
import SluiceCore
import TestSupport
import Testing

@Suite(
  .tags(.observation), .timeLimit(.minutes(10)), .enabled(if: SQLiteLibrary.has(.preUpdateHook)))
final class `the end of row changes`: RowChangesFixture {
  @Test func `an in-place blob write or invalid UTF-8 ends the row changes with an error`()
    throws
  {
    listen("other")
    let texts = Recorder<RowChanges>(.unlimited)
    queue.rowChanges(in: "player").subscribe(texts)
    queue.settle()
    #expect(try commits(after: "INSERT INTO other VALUES (1, zeroblob(4))").count == 1)
    try queue.sync { connection in
      let blob = try connection.openBlob(table: "other", column: "b", rowid: 1, readOnly: false)
      try blob.write([1], at: 0)
      try blob.close()
      try connection.execute(sql: "INSERT INTO player(name) VALUES (CAST(x'ff' AS TEXT))")
    }
    queue.settle()
    #expect((recorder.error as? SQLiteError)?.code == .misuse)
    #expect((texts.error as? SQLiteError)?.code == .mismatch)
  }

  @Test(arguments: [
    // The function has written, and SQLite keeps no statement journal for a statement of one row.
    ("", "INSERT INTO seen VALUES (note(1))", "INSERT INTO other(a) VALUES (note(1))"),
    (
      "CREATE VIEW v AS SELECT 1 AS a; CREATE TRIGGER r INSTEAD OF INSERT ON v "
        + "BEGIN INSERT INTO player(id) VALUES (new.a); INSERT INTO other(a) VALUES (new.a); END",
      "INSERT INTO v VALUES (8)", "INSERT OR FAIL INTO v VALUES (9), (1)"
    ),
    (
      "CREATE TRIGGER r BEFORE INSERT ON other "
        + "BEGIN INSERT INTO player(id) VALUES (new.a); SELECT RAISE(FAIL, 'no'); END",
      "INSERT INTO player(id) VALUES (8)", "INSERT INTO other(a) VALUES (9)"
    ),
    ("", "INSERT INTO seen VALUES (note(1))", "CREATE TABLE copy AS SELECT note(9), boom()"),
  ])
  func `a failed statement that may have kept some rows ends the row changes`(
    _ setup: String, _ good: String, _ bad: String
  ) throws {
    try queue.sync { connection in
      try connection.execute(sql: "CREATE TABLE seen(a); INSERT INTO other(a) VALUES (1);" + setup)
      try connection.addFunction("boom") { () throws -> Int in throw SQLiteError(.error, "boom") }
      let handle = connection
      try connection.addFunction("note") { [unowned handle] (id: Int) throws -> Int in
        try handle.execute("INSERT INTO player(id) VALUES (\(id + 100 * handle.totalChanges))")
        return id
      }
    }
    listen("player")
    #expect(try commits(after: "BEGIN; \(good); COMMIT").map(\.count) == [1])
    try queue.sync { connection in
      try connection.transaction { connection in
        #expect(failure { try connection.execute(sql: bad) } != nil)
      }
    }
    queue.settle()
    #expect((recorder.error as? SQLiteError)?.code == .misuse)
    #expect(recorder.values.count == 1)
  }

  @Test func `a write to an observed table through the C handle ends the row changes`() throws {
    listen("player")
    try queue.sync { connection in
      try unsafe connection.withUnsafeHandle { handle in
        _ = unsafe sqlite3_exec(handle, "INSERT INTO other(a) VALUES (1)", nil, nil, nil)
      }
    }
    #expect(recorder.error == nil)
    try queue.sync { connection in
      try unsafe connection.withUnsafeHandle { handle in
        let sql = "SAVEPOINT s; INSERT INTO player(id) VALUES (1); ROLLBACK TO s; RELEASE s;"
        _ = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
      }
    }
    queue.settle()
    #expect((recorder.error as? SQLiteError)?.code == .misuse)
    #expect(recorder.values.isEmpty)
  }

  @Test(arguments: [false, true]) func `replacing the content of the database ends the row changes`(
    isSerialized: Bool
  ) throws {
    listen("player")
    try queue.sync { connection in
      let other = try Connection()
      try other.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY)")
      if isSerialized, SQLiteLibrary.has(.serialization) {
        try connection.deserialize(try other.serialize())
      } else {
        try other.backup(to: connection)
      }
    }
    queue.settle()
    #expect((recorder.error as? SQLiteError)?.code == .misuse)
  }

  @Test func `a slow subscriber receives the queued row changes and then an error`() throws {
    let slow = Recorder<RowChanges>(.max(1))
    queue.rowChanges(in: "other", limit: 3).subscribe(slow)
    queue.settle()
    for number in 1...6 {
      try queue.sync { try $0.execute("INSERT INTO other VALUES (\(number), 0)") }
      queue.settle()
    }
    #expect(slow.values.count == 1 && slow.error == nil)
    slow.subscription?.request(.unlimited)
    queue.settle()
    #expect(slow.values.count == 4)
    #expect((slow.error as? SQLiteError)?.code == .tooBig)
  }

  @Test func `a commit of too many rows ends the row changes, but a rollback does not`() throws {
    listen("other", limit: 3)
    let rows = "INSERT INTO other SELECT value, 0 FROM json_each('[1,2,3,4]')"
    #expect(try commits(after: "BEGIN; \(rows); ROLLBACK") == [])
    #expect(try commits(after: "INSERT INTO other VALUES (9, 0)") == [["+ other(a: 9, b: 0)"]])
    #expect(try commits(after: rows) == [])
    #expect((recorder.error as? SQLiteError)?.code == .tooBig)
  }

  @Test func `closing the queue or replacing its connection ends the row changes`() throws {
    listen("player")
    try queue.syncClose()
    queue.settle()
    #expect((recorder.error as? SQLiteError)?.message == "The queue is closed")
    let other = try ConnectionQueue()
    try other.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
    let replaced = Recorder<RowChanges>(.unlimited)
    other.rowChanges(in: "t").subscribe(replaced)
    other.settle()
    #expect(failure { try other.sync { $0 = try Connection() } } != nil)
    other.settle()
    #expect((replaced.error as? SQLiteError)?.code == .misuseClosed)
  }
}
