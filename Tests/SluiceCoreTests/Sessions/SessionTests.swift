import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.sessions), .enabled(if: SQLiteLibrary.has(.sessions))) struct `sessions` {
  let connection: Connection

  init() throws { connection = try Recording().connection }

  private func insert(_ id: Int) throws {
    try connection.execute(sql: "INSERT INTO person(id) VALUES (?)", parameters: .int(id))
  }

  private func tables(_ session: Session) throws -> Set<String> {
    Set(try session.changeset().changes().map(\.table))
  }

  @Test func `a session records all tables with a primary key, including later ones`() throws {
    let session = try connection.session()
    try insert(1)
    try connection.execute(
      sql: """
        INSERT INTO tag VALUES (1, 'x', 2);
        INSERT INTO log VALUES ('not recorded');
        CREATE TABLE later(a PRIMARY KEY);
        INSERT INTO later VALUES (1)
        """)
    #expect(try tables(session) == ["person", "tag", "later"])
    #expect(session.connection === connection)
    #expect(session.schema == "main")
  }

  @Test func `a session with a list of tables records only those tables`() throws {
    let session = try connection.session(tables: ["tag", "missing"])
    try insert(1)
    #expect(try session.isEmpty)
    try connection.execute(sql: "INSERT INTO tag VALUES (1, 'x', 2)")
    #expect(try tables(session) == ["tag"])
    try session.attach("person")
    try insert(2)
    #expect(try tables(session) == ["tag", "person"])
  }

  @Test func `a session filter selects the tables to record and is called once per table`() throws {
    var asked: [String] = []
    let session = try connection.session { table in
      asked.append(table)
      return table != "tag"
    }
    for id in 1...3 {
      try insert(id)
      try connection.execute(sql: "INSERT INTO tag VALUES (?, 'x', 2)", parameters: .int(id))
    }
    #expect(try tables(session) == ["person"])
    #expect(asked.filter { $0 == "person" } == ["person"])
    #expect(asked.contains("tag"))
  }

  @Test func `a session filter cannot use the connection`() throws {
    var refused: [SQLiteError?] = []
    var spare: Session? = try connection.session()
    let session = try connection.session { [connection] table in
      refused = [
        failure { try connection.execute(sql: "SELECT 1") },
        failure { try connection.session() },
        failure { try spare?.changeset() },
        failure { try spare?.close() },
        failure { try connection.close() },
      ]
      // SQLite is iterating over the sessions, so this session is deleted when the statement has ended.
      spare = nil
      return true
    }
    try insert(1)
    #expect(refused.map(\.?.code) == Array(repeating: .misuse, count: 5))
    #expect(try session.changeset().changes().count == 1)
    try insert(2)
    #expect(try session.changeset().changes().count == 2)
  }

  @Test func `a disabled session records no changes`() throws {
    let session = try connection.session()
    #expect(try session.isEnabled)
    try session.setEnabled(false)
    #expect(try !session.isEnabled)
    try insert(1)
    try session.setEnabled(true)
    try insert(2)
    #expect(try session.changeset().changes().map(\.new[0]) == [2])
  }

  @Test func `changes are indirect if a trigger makes them or the session is indirect`() throws {
    try connection.execute(
      sql: """
        CREATE TRIGGER tr AFTER INSERT ON person BEGIN
          INSERT INTO tag VALUES (new.id, 'x', 0);
        END
        """)
    let session = try connection.session()
    try insert(1)
    try session.setIndirect(true)
    #expect(try session.isIndirect)
    try connection.execute(sql: "INSERT INTO tag VALUES (7, 'y', 0)")
    let changes = try session.changeset().changes()
    #expect(changes.filter { !$0.isIndirect }.map(\.table) == ["person"])
    #expect(changes.count == 3)
  }

  @Test func `a session reports its memory use and an upper bound of its changeset size`() throws {
    let session = try connection.session(options: .changesetSize)
    #expect(try session.isEmpty)
    #expect(try session.changesetSize == 0)
    try insert(1)
    #expect(try !session.isEmpty)
    #expect(try session.memoryUsed > 0)
    let size = try #require(try session.changesetSize)
    #expect(try session.changeset().bytes.count <= size)
    #expect(try connection.session().changesetSize == nil)
  }

  @Test func `a changeset omits changes that were reverted or rolled back`() throws {
    let session = try connection.session()
    try insert(1)
    try connection.execute(sql: "DELETE FROM person")
    #expect(try !session.isEmpty)
    #expect(try session.changeset().isEmpty)
    try connection.transaction { _, command in
      try insert(2)
      command = .rollback
    }
    #expect(try session.changeset().isEmpty)
  }

  @Test func `a session records a DELETE of all rows that was prepared earlier`() throws {
    try insert(1)
    try insert(2)
    let delete = try connection.prepare(sql: "DELETE FROM person")
    let session = try connection.session()
    try delete.execute()
    #expect(try session.changeset().changes().map(\.operation) == [.delete, .delete])
  }

  @Test func `a session can record an attached database or the temp database`() throws {
    try connection.execute(
      sql: """
        ATTACH ':memory:' AS other;
        CREATE TABLE other.t(a PRIMARY KEY);
        CREATE TEMP TABLE u(a PRIMARY KEY)
        """)
    let other = try connection.session(schema: "other")
    let temporary = try connection.session(schema: "temp")
    try connection.execute(sql: "INSERT INTO other.t VALUES (1); INSERT INTO u VALUES (2)")
    #expect(try tables(other) == ["t"])
    #expect(try tables(temporary) == ["u"])
    #expect(failure { try connection.session(schema: "missing") }?.code == .range)
    #expect(failure { try connection.session(schema: "main\0") }?.code == .misuse)
    #expect(failure { try connection.session(tables: ["a\0b"]) }?.code == .misuse)
  }

  @Test func `a session can record a table without a primary key by rowid if SQLite supports it`()
    throws
  {
    do {
      let session = try connection.session(options: .rowidTables)
      try connection.execute(sql: "INSERT INTO log VALUES ('x')")
      #expect(try session.changeset().changes().first?.new == [1, "x"])
    } catch SQLiteError.notFound {
      #expect(!SQLiteVersion.recordsRowidTables)
    }
  }

  @Test func `reading a changeset throws after a recorded table is renamed`() throws {
    let session = try connection.session()
    try insert(1)
    try connection.execute(sql: "ALTER TABLE person RENAME TO moved")
    let code = failure { try session.changeset() }?.code
    #expect(code == .schema || code == .error)
    #expect(try connection.first(.column(.int), sql: "SELECT 1") == 1)
  }

  @Test
  func `diff records the difference between two tables and throws if their keys do not match`()
    throws
  {
    try connection.execute(
      sql: """
        ATTACH ':memory:' AS old;
        CREATE TABLE old.person(id INTEGER PRIMARY KEY, name TEXT, age);
        CREATE TABLE old.tag(a PRIMARY KEY);
        INSERT INTO old.person VALUES (1, 'a', 1), (2, 'b', 2);
        INSERT INTO main.person VALUES (2, 'B', 2), (3, 'c', 3);
        CREATE TABLE main.only(a PRIMARY KEY)
        """)
    let session = try connection.session(tables: [])
    try session.diff(from: "old", table: "person")
    let operations = try session.changeset().changes().map(\.operation)
    #expect(Set(operations) == [.insert, .update, .delete])
    #expect(failure { try session.diff(from: "old", table: "tag") }?.code == .schema)
    #expect(failure { try session.diff(from: "missing", table: "person") }?.code == .range)
    #expect(failure { try session.diff(from: "old", table: "only") }?.code == .schema)
    try session.diff(from: "old", table: "log")
    try session.diff(from: "old", table: "missing")
    #expect(failure { try session.diff(from: "o\0", table: "person") }?.code == .misuse)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.preUpdateHook)))
  func `a session can be created only after the pre-update hook is cancelled`() throws {
    let connection = try Connection()
    let token = try connection.onPreUpdate { _ in }
    #expect(failure { try connection.session() }?.code == .misuse)
    token.cancel()
    #expect(try connection.session().isEmpty)
  }
}
