import Dispatch
import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(
  .tags(.observation), .timeLimit(.minutes(10)), .enabled(if: SQLiteLibrary.has(.preUpdateHook)))
final class `row changes`: RowChangesFixture {
  private final class Deaf: TransactionObserver {}

  @Test func `each commit reports its changed rows before and after, by column name`() throws {
    listen("Player")
    #expect(
      try commits(after: "INSERT INTO player VALUES (1, 'Ada', 2), (2, NULL, 1.5)") == [
        ["+ player(id: 1, name: 'Ada', score: 2.0)", "+ player(id: 2, name: NULL, score: 1.5)"]
      ])
    #expect(
      try commits(
        after: "BEGIN; UPDATE player SET id = 7, score = 3 WHERE id = 1; DELETE FROM player; COMMIT"
      )
        == [
          [
            "player(id: 1, name: 'Ada', score: 2.0) > player(id: 7, name: 'Ada', score: 3.0)",
            "- player(id: 2, name: NULL, score: 1.5)", "- player(id: 7, name: 'Ada', score: 3.0)",
          ]
        ])
    #expect(try commits(after: "INSERT INTO other VALUES (1, 2); SELECT 1") == [])
    guard case .inserted(let row)? = recorder.values.first?.changes.first else {
      Issue.record("no row")
      return
    }
    #expect(row.table == "player" && row.rowid == 1 && row["score"] == 2.0 && row["x"] == nil)
  }

  @Test func `an asynchronous sequence of row changes yields one element per commit`() async throws
  {
    var iterator = queue.rowChanges(in: "player", "other").makeAsyncIterator()
    for id in 1...3 {
      try await queue.transaction { connection, _ in
        try connection.execute("INSERT INTO player(id) VALUES (\(id))")
        try connection.execute("INSERT INTO other(a) VALUES (\(id))")
      }
    }
    for id in 1...3 {
      let commit = try #require(try await iterator.next())
      #expect(
        commit.changes.map(Self.words)
          == ["+ player(id: \(id), name: NULL, score: NULL)", "+ other(a: \(id), b: NULL)"])
    }
  }

  @Test func `row changes that are rolled back, entirely or in part, are not reported`() throws {
    listen("other")
    #expect(try commits(after: "BEGIN; INSERT INTO other VALUES (1, 1); ROLLBACK") == [])
    #expect(
      try commits(
        after: """
          BEGIN; SAVEPOINT a; INSERT INTO other VALUES (1, 1); SAVEPOINT b;
          INSERT INTO other VALUES (2, 2); ROLLBACK TO b; INSERT INTO other VALUES (3, 3);
          RELEASE a; COMMIT
          """) == [["+ other(a: 1, b: 1)", "+ other(a: 3, b: 3)"]])
    _ = try queue.sync { connection in
      try connection.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO other VALUES (4, 4)")
        let error = failure {
          try connection.execute(sql: "INSERT INTO other VALUES (5, 5), (4, 4)")
        }
        #expect(error?.code == .constraintUnique)
        try connection.transaction { connection, command in
          try connection.execute(sql: "DELETE FROM other")
          command = .rollback
        }
      }
    }
    queue.settle()
    #expect(recorder.values.last?.changes.map(Self.words) == ["+ other(a: 4, b: 4)"])
  }

  @Test func `row changes by REPLACE, triggers and cascades are reported`() throws {
    try queue.sync {
      try $0.execute(
        sql: """
          CREATE TABLE child(p REFERENCES player ON DELETE CASCADE ON UPDATE SET NULL);
          CREATE TRIGGER r AFTER INSERT ON player BEGIN INSERT INTO child VALUES (new.id); END;
          INSERT INTO other VALUES (1, 'old')
          """)
    }
    queue.rowChanges(in: "child", "other").subscribe(recorder)
    queue.settle()
    #expect(
      try commits(after: "REPLACE INTO other VALUES (1, 'new')")
        == [["- other(a: 1, b: 'old')", "+ other(a: 1, b: 'new')"]])
    #expect(
      try commits(after: "INSERT INTO player(id) VALUES (1), (2)") == [
        ["+ child(p: 1)", "+ child(p: 2)"]
      ])
    #expect(try commits(after: "DELETE FROM player WHERE id = 1") == [["- child(p: 1)"]])
    #expect(try commits(after: "UPDATE player SET id = 5") == [["child(p: 2) > child(p: NULL)"]])
  }

  @Test func `row changes of a WITHOUT ROWID table are reported`() throws {
    listen("w")
    #expect(
      try commits(after: "INSERT INTO w VALUES ('a', 1), ('b', 2)")
        == [["+ w(k: 'a', v: 1)", "+ w(k: 'b', v: 2)"]])
    #expect(
      try commits(after: "UPDATE w SET v = 3 WHERE k = 'a'") == [
        ["w(k: 'a', v: 1) > w(k: 'a', v: 3)"]
      ])
    #expect(
      try commits(after: "UPDATE w SET k = 'c' WHERE k = 'a'")
        == [["w(k: 'a', v: 3) > w(k: 'c', v: 3)"]])
    #expect(try commits(after: "DELETE FROM w") == [["- w(k: 'b', v: 2)", "- w(k: 'c', v: 3)"]])
    guard case .deleted(let row)? = recorder.values.last?.changes.last else {
      Issue.record("no row")
      return
    }
    #expect(row.rowid == nil)
  }

  @Test func `a row change uses the column names at the time of the change`() throws {
    listen("player")
    #expect(
      try commits(
        after: """
          BEGIN; INSERT INTO player VALUES (1, 'Ada', 1);
          ALTER TABLE player RENAME COLUMN name TO title; INSERT INTO player VALUES (2, 'Ben', 2);
          SAVEPOINT s; ALTER TABLE player DROP COLUMN score; INSERT INTO player VALUES (3, 'Cid');
          ROLLBACK TO s; INSERT INTO player VALUES (4, 'Dan', 4);
          ALTER TABLE player ADD COLUMN more DEFAULT 9; INSERT INTO player(id) VALUES (5); COMMIT
          """) == [
          [
            "+ player(id: 1, name: 'Ada', score: 1.0)", "+ player(id: 2, title: 'Ben', score: 2.0)",
            "+ player(id: 4, title: 'Dan', score: 4.0)",
            "+ player(id: 5, title: NULL, score: NULL, more: 9)",
          ]
        ])
    #expect(
      try commits(after: "DROP TABLE player; CREATE TABLE player(x); INSERT INTO player VALUES (1)")
        == [["+ player(x: 1)"]])
  }

  @Test(
    .disabled(
      if: SQLiteLibrary.compileOptions.contains("DEBUG"),
      "An assertion of SQLite's own takes a table with a virtual column for a damaged one"))
  func `a row change includes stored generated columns and omits virtual columns`() throws {
    try queue.sync {
      try $0.execute(sql: "CREATE TABLE g(a, s AS (a + 1) STORED, v AS (a + 2))")
    }
    listen("g")
    #expect(try commits(after: "INSERT INTO g(a) VALUES (1)") == [["+ g(a: 1, s: 2)"]])
    #expect(try commits(after: "UPDATE g SET a = 2") == [["g(a: 1, s: 2) > g(a: 2, s: 3)"]])
  }

  @Test(arguments: [
    ("missing", ResultCode.error), ("seen", .misuse), ("words", .misuse),
    ("sqlite_schema", .misuse),
  ])
  func `observing the row changes of a table throws if SQLite does not report them`(
    _ table: String, _ code: ResultCode
  )
    throws
  {
    try queue.sync {
      try $0.execute(sql: "CREATE VIEW seen AS SELECT 1; CREATE VIRTUAL TABLE words USING fts5(a)")
    }
    listen(table)
    #expect((recorder.error as? SQLiteError)?.code == code)
  }

  @Test func `a failed statement that is undone reports no rows, not even rows of its triggers`()
    throws
  {
    try queue.sync {
      try $0.execute(
        sql: """
          CREATE TRIGGER r BEFORE INSERT ON other BEGIN INSERT INTO player(id) VALUES (new.a); END;
          INSERT INTO other(a) VALUES (1)
          """)
    }
    listen("player")
    try queue.sync { connection in
      try connection.transaction { connection in
        for sql in ["(2), (1)", "(1)", "(3), (NULL), (3)"] {
          #expect(
            failure { try connection.execute(sql: "INSERT INTO other(a) VALUES " + sql) } != nil)
        }
        try connection.execute(sql: "INSERT INTO other(a) VALUES (4)")
      }
    }
    queue.settle()
    #expect(
      recorder.values.map { $0.changes.map(Self.words) } == [
        ["+ player(id: 4, name: NULL, score: NULL)"]
      ])
  }

  @Test func `row changes contain the defaults of columns that were added after the rows`() throws {
    try queue.sync {
      try $0.execute(
        sql: """
          INSERT INTO player VALUES (1, 'a', 1); INSERT INTO player VALUES (2, 'b', 2);
          ALTER TABLE player ADD COLUMN level NOT NULL DEFAULT 7
          """)
    }
    listen("player")
    #expect(
      try commits(after: "UPDATE player SET score = 3 WHERE id = 1") == [
        [
          """
          player(id: 1, name: 'a', score: 1.0, level: 7) > \
          player(id: 1, name: 'a', score: 3.0, level: 7)
          """
        ]
      ])
    #expect(
      try commits(after: "DELETE FROM player WHERE id = 2") == [
        ["- player(id: 2, name: 'b', score: 2.0, level: 7)"]
      ])
  }

  @Test func `observing the row changes of a read queue throws`() async throws {
    let folder = try TestFolder()
    try Connection(path: folder.file()).execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY)")
    let queue = try ConnectionReadQueue(path: folder.file())
    let error = await awaitedFailure {
      for try await _ in queue.rowChanges(in: "player") {}
    }
    #expect(error?.code == .misuse)
  }

  @Test func `row changes of an FTS5 shadow table are reported`() throws {
    try queue.sync { try $0.execute(sql: "CREATE VIRTUAL TABLE words USING fts5(a)") }
    listen("words_content")
    #expect(
      try commits(after: "INSERT INTO words VALUES ('x')") == [["+ words_content(id: 1, c0: 'x')"]])
  }

  @Test func `rows of an applied changeset are reported`() throws {
    let recorded = try queue.sync { connection in
      let session = try connection.session()
      try connection.execute(sql: "INSERT INTO player VALUES (1, 'Ada', 1), (2, 'Ben', 2)")
      let changes = try session.changeset()
      try session.close()
      try connection.execute(sql: "DELETE FROM player")
      return changes
    }
    listen("player")
    _ = try queue.sync { try $0.apply(recorded) }
    queue.settle()
    #expect(
      recorder.values.map { $0.changes.map(Self.words) } == [
        ["+ player(id: 1, name: 'Ada', score: 1.0)", "+ player(id: 2, name: 'Ben', score: 2.0)"]
      ])
  }

  @Test func `each subscriber receives the row changes of commits after its subscription`() throws {
    listen("player")
    #expect(try commits(after: "INSERT INTO player(id) VALUES (1)").count == 1)
    let late = Recorder<RowChanges>(.unlimited)
    queue.rowChanges(in: "player").subscribe(late)
    queue.settle()
    #expect(try commits(after: "DELETE FROM player").count == 1)
    #expect(late.values == Array(recorder.values.suffix(1)))
  }

  @Test func `the schema name of rowChanges selects a table of an attached database`() throws {
    try queue.sync {
      try $0.execute(
        sql: "ATTACH ':memory:' AS more; CREATE TABLE more.t(a); CREATE TEMP TABLE t(a)")
    }
    queue.rowChanges(in: "t", schema: "More").subscribe(recorder)
    queue.settle()
    let sql = "INSERT INTO more.t VALUES (1); INSERT INTO temp.t VALUES (2)"
    #expect(try commits(after: sql) == [["+ t(a: 1)"]])
  }

  @Test func `a row limit of zero throws, and a session prevents adding transaction observers`()
    throws
  {
    listen("player", limit: 0)
    #expect((recorder.error as? SQLiteError)?.code == .range)
    try queue.sync { connection in
      let session = try connection.session()
      let error = failure { try connection.add(transactionObserver: Deaf()) }
      #expect(error?.code == .misuse)
      try session.close()
    }
  }

  @Test func `cancelling the row changes releases the pre-update hook`() async throws {
    let task = Task { [queue] in
      for try await _ in queue.rowChanges(in: "player") {}
    }
    // A session claims the hook, so creating a session throws while the hook is in use.
    let isTaken = { [queue] () async throws -> Bool in
      try await queue.perform { connection in
        try connection.execute(sql: "SELECT 1")
        do { try connection.session().close() } catch SQLiteError.misuse { return true }
        return false
      }
    }
    while try await !isTaken() { await Task.yield() }
    task.cancel()
    #expect(await failure(of: task) is CancellationError)
    #expect(try await !isTaken())
  }

  @Test func `a pool reports the row changes of its writer`() async throws {
    let folder = try TestFolder()
    let pool = try ConnectionPool(path: folder.file(), configuration: .impatientWAL)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    var iterator = pool.rowChanges(in: "t").makeAsyncIterator()
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    let commit = try await iterator.next()
    #expect(commit?.changes.map(Self.words) == ["+ t(a: 1)"])
  }

  @Test func `a subscription to row changes that a suspension interrupted restarts on resume`()
    async throws
  {
    let group = DispatchGroup()
    let suspensions = Counter()
    group.enter()
    try await queue.perform { [queue] connection in
      try connection.trace(.statement) { event in
        guard event.sql?.contains("table_list") == true, suspensions.count == 0 else { return }
        suspensions.add()
        // The statement keeps running until the suspension interrupts it.
        DispatchQueue(label: "suspends").async {
          #expect(failure { try queue.syncSuspend() } == nil)
          group.leave()
        }
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
    queue.rowChanges(in: "player").subscribe(recorder)
    #expect(await apart { group.finishes() })
    #expect(suspensions.count == 1)
    queue.resume()
    queue.settle()
    #expect(try commits(after: "INSERT INTO player VALUES (1, 'Ada', 1)").count == 1)
  }
}
