import SluiceCore
import TestSupport
import Testing

/// Closures that throw or use the connection while changes are applied.
@Suite(.tags(.connections, .reliability), .enabled(if: SQLiteLibrary.has(.sessions)))
struct `closures that run while changes are applied` {
  let target: Recording
  let changeset: Changeset

  init() throws {
    let rows = "INSERT INTO person VALUES (1, 'a', 10), (2, 'b', 20)"
    changeset = try Recording(rows).changeset(
      "INSERT INTO person VALUES (0, 'z', 1); UPDATE person SET age = 0 WHERE id = 1")
    target = try Recording(rows + "; UPDATE person SET age = 5 WHERE id = 1")
  }

  private var connection: Connection { target.connection }

  /// Checks that no change has been applied and that the connection is still usable.
  private func expectUntouched() throws {
    #expect(connection.isInAutocommit)
    #expect(try target.rows() == [[1, "a", 5], [2, "b", 20]])
    try connection.apply(changeset) { _ in .replace }
    #expect(try target.rows() == [[0, "z", 1], [1, "a", 0], [2, "b", 20]])
  }

  @Test func `apply rethrows an error thrown by a filter and undoes all changes`() throws {
    #expect(throws: ForeignError()) {
      try connection.apply(changeset) { _ in
        .omit
      } filter: { _ in
        throw ForeignError()
      }
    }
    try expectUntouched()
  }

  @Test(arguments: [true, false])
  func `apply rethrows an error thrown by a row hook and undoes all changes`(
    isBefore: Bool
  ) throws {
    let token =
      isBefore
      ? try connection.onPreUpdate { if $0.table == "person" { throw ForeignError() } }
      : try connection.onUpdate { if $0.table == "person" { throw ForeignError() } }
    #expect(throws: ForeignError()) { try connection.apply(changeset) { _ in .replace } }
    for options in [[], .keepsPart] as [Changeset.ApplyOptions] {
      #expect(throws: ForeignError()) {
        try connection.transaction { connection, _ in
          try connection.execute(sql: "INSERT INTO log VALUES ('before')")
          // The body ignores the error, so the transaction must throw it.
          _ = try? connection.apply(changeset, options: options) { _ in .replace }
          try connection.execute(sql: "INSERT INTO log VALUES ('behind')")
        }
      }
    }
    token.cancel()
    #expect(try connection.first(.column(.int), sql: "SELECT count(*) FROM log") == 0)
    try expectUntouched()
  }

  @Test func `apply rethrows an error thrown by a conflict handler and undoes all changes`() throws
  {
    #expect(throws: ForeignError()) {
      try connection.apply(changeset) { _ -> Changeset.Conflict.Resolution in throw ForeignError() }
    }
    try expectUntouched()
  }

  @Test func `apply rethrows an error thrown by the stream of a changeset and undoes all changes`()
    throws
  {
    var pieces = chunks(changeset.bytes, of: 10)
    let stream = Changeset.Stream {
      guard pieces.count > 1 else { throw ForeignError() }
      return pieces.removeFirst()
    }
    #expect(throws: ForeignError()) { try connection.apply(stream) { _ in .omit } }
    try expectUntouched()
  }

  @Test func `a conflict handler can write with the connection`() throws {
    try connection.apply(changeset) { conflict in
      try connection.execute(sql: "INSERT INTO log VALUES ('conflict')")
      try connection.transaction { connection, command in
        try connection.execute(sql: "DELETE FROM person")
        command = .rollback
      }
      try connection.apply(Changeset(bytes: []))
      #expect(connection.isInCallback)
      return .replace
    }
    #expect(try target.rows("log") == [["conflict"]])
    #expect(try target.rows().count == 3)
  }

  @Test func `a conflict handler or filter cannot close the connection`() throws {
    var refused: [SQLiteError?] = []
    try connection.apply(changeset) { _ in
      refused.append(failure { try connection.close() })
      return .replace
    } filter: { _ in
      refused.append(failure { try connection.close() })
      return true
    }
    #expect(refused.map(\.?.code) == [.misuse, .misuse])
  }

  @Test(arguments: ["ROLLBACK", "COMMIT"])
  func `ROLLBACK and COMMIT in a closure of apply throw, and all changes are still applied`(
    _ sql: String
  )
    throws
  {
    for place in 0..<3 {
      var refused: [ResultCode?] = []
      func end(_ connection: Connection) {
        refused.append(failure { try connection.execute(sql: sql) }?.code)
      }
      let target = try Recording(
        "INSERT INTO person VALUES (1, 'a', 5), (2, 'b', 20)")
      let connection = target.connection
      var pieces = chunks(changeset.bytes, of: 10)
      let stream = Changeset.Stream {
        if place == 0, pieces.count == 2 { end(connection) }
        return pieces.isEmpty ? nil : pieces.removeFirst()
      }
      try connection.apply(stream) { _ in
        if place == 2 { end(connection) }
        return .replace
      } filter: { _ in
        if place == 1 { end(connection) }
        return true
      }
      #expect(!refused.isEmpty && refused.allSatisfy { $0 == .misuse }, "\(place)")
      #expect(connection.isInAutocommit)
      #expect(try connection.value("SELECT age FROM person WHERE id = 1") == 0)
    }
  }

  @Test func `rolling back the surrounding transaction undoes applied changes`() throws {
    try connection.transaction { connection, command in
      try connection.apply(changeset) { _ in .replace }
      command = .rollback
    }
    try connection.transaction { connection, _ in
      try connection.execute(sql: "INSERT INTO log VALUES ('kept')")
      #expect(failure { try connection.apply(changeset) }?.code == .abort)
    }
    #expect(try target.rows("log") == [["kept"]])
    try expectUntouched()
  }

  @Test func `keepsPart requires a transaction, which can still commit after the apply aborts`()
    throws
  {
    #expect(
      failure { try connection.apply(changeset, options: .keepsPart) }?.code == .misuse)
    var applied = 0
    try connection.transaction { connection, _ in
      #expect(failure { try connection.apply(changeset, options: .keepsPart) }?.code == .abort)
      applied = try target.rows().count
    }
    #expect(try target.rows().count == applied)
    #expect(connection.isInAutocommit)
  }

  @Test func `ROLLBACK in a function called by a trigger fails the whole apply`() throws {
    try connection.execute(
      sql: """
        CREATE TRIGGER tr AFTER INSERT ON person BEGIN SELECT undo(); END
        """)
    try connection.addFunction("undo", arity: 0, options: .innocuous) { [connection] _ in
      try connection.execute(sql: "ROLLBACK")
      return 1
    }
    #expect(failure { try connection.apply(changeset) { _ in .replace } } != nil)
    #expect(connection.isInAutocommit)
    #expect(try target.rows().count == 2)
    try connection.removeFunction("undo", arity: 0)
  }

  @Test func `applying changes inside a function called by an INSERT throws`() throws {
    var error: SQLiteError?
    try connection.addFunction("f", arity: 0) { [connection, changeset] _ in
      error = failure { try connection.apply(changeset) { _ in .replace } }
      return 1
    }
    try connection.execute(sql: "INSERT INTO log SELECT f()")
    #expect(error?.code == .misuse)
    try connection.removeFunction("f", arity: 0)
    try expectUntouched()
  }

  @Test func `a partly read statement can continue after changes are applied`() throws {
    let select = try connection.prepare(sql: "SELECT id FROM tag, person ORDER BY 1")
    try connection.execute(sql: "INSERT INTO tag VALUES (1, 'x', 1)")
    let hasRow = try select.step() != nil
    #expect(hasRow)
    try connection.apply(changeset) { _ in .replace }
    #expect(try select.rows().count == 3)
  }

  @Test func `apply releases its closures before it returns`() throws {
    let counter = ObjectCounter()
    let held = { counter.hold() }
    func apply() throws {
      let (first, second, third) = (held(), held(), held())
      var pieces = [changeset.bytes]
      let stream = Changeset.Stream {
        withExtendedLifetime(third) { pieces.popLast() }
      }
      try connection.apply(stream) { _ in
        withExtendedLifetime(second) { .abort }
      } filter: { _ in
        withExtendedLifetime(first) { true }
      }
    }
    #expect(failure(apply)?.code == .abort)
    #expect(counter.living == 0)
  }

  @Test func `a session records applied changes`() throws {
    let session = try connection.session()
    try connection.apply(changeset) { _ in .replace }
    let recorded = try session.changeset()
    #expect(try recorded.changes().count == 2)
    try connection.apply(recorded, inverted: true)
    try expectUntouched()
  }

  @Test(arguments: ["COMMIT", "/* */ END", ";ROLLBACK TRANSACTION"])
  func `a closure of apply can use savepoints but cannot end the transaction`(_ sql: String) throws
  {
    for isFilter in [false, true] {
      #expect(throws: ForeignError()) {
        try connection.apply(changeset) { _ in
          if !isFilter {
            #expect(failure { try connection.execute(sql: sql) }?.code == .misuse)
            throw ForeignError()
          }
          return .replace
        } filter: { _ in
          if isFilter {
            #expect(failure { try connection.execute(sql: sql) }?.code == .misuse)
            throw ForeignError()
          }
          return true
        }
      }
      #expect(try target.rows() == [[1, "a", 5], [2, "b", 20]])
    }
    try connection.apply(changeset) { _ in
      try connection.execute(
        sql: "SAVEPOINT s; INSERT INTO log VALUES ('x'); ROLLBACK TO s; RELEASE s")
      return .replace
    }
    #expect(try target.rows() == [[0, "z", 1], [1, "a", 0], [2, "b", 20]])
  }
}
