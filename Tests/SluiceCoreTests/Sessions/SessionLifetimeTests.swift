import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.connections, .reliability), .enabled(if: SQLiteLibrary.has(.sessions)))
struct `lifetimes of sessions` {
  let counter = ObjectCounter()

  private func insert(_ connection: Connection, _ id: Int) throws {
    try connection.execute(sql: "INSERT INTO person(id) VALUES (?)", parameters: .int(id))
  }

  @Test func `using a session of a closed connection throws`() throws {
    let connection = try Recording().connection
    let session = try connection.session()
    try connection.close()
    #expect(!connection.isOpen)
    let uses: [() throws -> Void] = [
      { _ = try session.changeset() }, { _ = try session.patchset() },
      { try session.changeset { _ in } }, { try session.patchset { _ in } },
      { try session.attach("person") }, { try session.diff(from: "temp", table: "person") },
      { _ = try session.isEnabled }, { try session.setEnabled(true) },
      { _ = try session.isIndirect }, { try session.setIndirect(true) },
      { _ = try session.isEmpty }, { _ = try session.memoryUsed },
      { _ = try session.changesetSize },
    ]
    for use in uses { #expect(failure(use)?.message == "The connection is closed") }
    try session.close()
  }

  @Test func `using a session of a detached database throws an error that names the database`()
    throws
  {
    let connection = try Recording().connection
    try connection.execute(
      sql: "ATTACH ':memory:' AS side; CREATE TABLE side.place(id INTEGER PRIMARY KEY, name)")
    let session = try connection.session(schema: "side")
    try connection.execute(sql: "INSERT INTO place VALUES (1, 'Rome')")
    #expect(try session.changeset().changes().count == 1)
    try connection.execute(sql: "DETACH side")
    let uses: [() throws -> Void] = [
      { _ = try session.changeset() }, { _ = try session.patchset() },
      { try session.changeset { _ in } }, { try session.patchset { _ in } },
      { try session.diff(from: "main", table: "person") },
    ]
    for use in uses {
      let error = failure(use)
      #expect(error?.code == .range)
      #expect(error?.message.contains("\"side\"") == true)
      #expect(error?.message.contains("detached") == true)
    }
    try session.close()
  }

  @Test func `using a closed session throws, and other sessions continue to record`() throws {
    let connection = try Recording().connection
    let sessions = try (1...3).map { _ in try connection.session() }
    try insert(connection, 1)
    try sessions[1].close()
    try sessions[1].close()
    #expect(failure { try sessions[1].changeset() }?.code == .misuse)
    try insert(connection, 2)
    #expect(try sessions[0].changeset().changes().count == 2)
    #expect(try sessions[2].changeset().changes().count == 2)
  }

  @Test func `a session retains its connection, which is released with the session`() throws {
    var session: Session? = try Recording().connection.session()
    weak let connection = session?.connection
    #expect(connection?.isOpen == true)
    #expect(try session?.isEmpty == true)
    session = nil
    #expect(connection == nil)
  }

  @Test
  func `a session releases its filter when it is released or closed, or its connection closes`()
    throws
  {
    let connection = try Recording().connection
    func session() throws -> Session {
      let held = counter.hold()
      return try connection.session { _ in withExtendedLifetime(held) { true } }
    }
    var dropped: Session? = try session()
    try insert(connection, 1)
    #expect(try dropped?.isEmpty == false)
    dropped = nil
    #expect(counter.released == 1)
    let closed = try session()
    try closed.close()
    #expect(counter.released == 2)
    let left = try session()
    try connection.close()
    #expect(counter.released == 3)
    withExtendedLifetime(left) {}
    #expect(failure { try session() }?.code == .misuse)
    #expect(counter.living == 0)
  }

  @Test func `a function can release a session but cannot close the connection`() throws {
    let connection = try Recording().connection
    var session: Session? = try connection.session()
    var closing: SQLiteError?
    try connection.addFunction("end_session", arity: 0) { _ in
      closing = failure { try connection.close() }
      session = nil
      return 1
    }
    let other = try connection.session()
    try connection.execute(
      sql: "INSERT INTO person(id) SELECT end_session() + value FROM array(?)",
      parameters: .array([1, 2]))
    #expect(session == nil)
    #expect(closing?.code == .misuse)
    #expect(try other.changeset().changes().count == 2)
    try connection.removeFunction("end_session", arity: 0)
  }

  @Test func `sessions and their connection can be released in any order`() throws {
    for order in 0..<24 {
      let connection = try Recording().connection
      var parts: [AnyObject] = try [
        connection.session(), connection.session { _ in true },
        connection.prepare(sql: "SELECT 1"), connection,
      ]
      var number = order
      for count in stride(from: 4, through: 1, by: -1) {
        parts.remove(at: number % count)
        number /= count
      }
    }
  }

  @Test func `a session can record on the connection of a queue`() throws {
    let queue = try ConnectionQueue()
    let changeset = try queue.sync { connection in
      try connection.execute(sql: Recording.schema)
      let session = try connection.session { $0 == "person" }
      try connection.execute(sql: "INSERT INTO person(id) VALUES (1)")
      return try session.changeset()
    }
    let count = try queue.sync { connection in
      try connection.apply(changeset) { _ in .replace }
      return try connection.first(.column(.int), sql: "SELECT count(*) FROM person")
    }
    #expect(count == 1)
  }
}
