import SluiceCore
import TestSupport
import Testing

/// The errors of virtual tables arrive.
@Suite(.tags(.virtualTables, .reliability), .inEachThreadingMode) struct `errors of virtual tables`
{
  let probe = Probe()

  private func connection() throws -> Connection {
    let connection = try Connection.inTestedMode()
    try ProbeTable.add(to: connection, probe)
    try connection.execute(sql: "CREATE VIRTUAL TABLE p USING probe")
    return connection
  }

  @Test(arguments: Callback.throwing)
  func `an error arrives with its text and its code`(_ callback: Callback) throws {
    let connection = try connection()
    try connection.begin()
    probe.at(callback) { throw SQLiteError(.ioErrorRead, "The disk is wet") }
    let error = failure { try connection.execute(sql: callback.sql) }
    #expect(probe.hasActed)
    #expect(error?.code == .ioErrorRead)
    #expect(error?.message == "The disk is wet")
    #expect(error?.sql != nil)
    if !connection.isInAutocommit { try connection.rollback() }
    #expect(try connection.column("SELECT a FROM p").count >= 3)
    try connection.close()
  }

  @Test(arguments: Callback.throwing)
  func `an error of another kind is thrown by the statement`(_ callback: Callback) throws {
    let connection = try connection()
    try connection.begin()
    probe.at(callback) { throw ForeignError("Wet") }
    #expect(throws: ForeignError("Wet")) { try connection.execute(sql: callback.sql) }
  }

  @Test(arguments: [ResultCode.ok, .row, .done, .schema, .constraint, .noMemory, .locked])
  func `a code that means something else to SQLite is an error all the same`(_ code: ResultCode)
    throws
  {
    for callback in Callback.throwing {
      let connection = try connection()
      try connection.begin()
      probe.at(callback) { throw SQLiteError(code, "Wet") }
      let error = failure { try connection.execute(sql: callback.sql) }
      #expect(error != nil, "\(callback)")
      try connection.close()
    }
  }

  @Test func `an error in a transaction of a closure arrives, too`() throws {
    let connection = try connection()
    for callback in [Callback.sync, .savepoint, .release] {
      probe.at(callback) { throw ForeignError("Wet") }
      let error = foreignFailure {
        try connection.transaction { connection, _ in
          try connection.execute(sql: "INSERT INTO p VALUES ('d')")
          try connection.transaction { connection, _ in
            try connection.execute(sql: "INSERT INTO p VALUES ('e')")
          }
        }
      }
      #expect(error?.description == "Wet", "\(callback)")
      #expect(connection.isInAutocommit)
    }
  }

  @Test func `a table that does not connect says why when its file is opened`() throws {
    let folder = try TestFolder()
    for use in [VirtualTableUse.created, .eponymous] {
      let first = try Connection(path: folder.file())
      try ProbeTable.add(to: first, probe, as: use)
      try first.execute(sql: "DROP TABLE IF EXISTS p; CREATE VIRTUAL TABLE p USING probe")
      try first.close()
      let second = try Connection(path: folder.file())
      try ProbeTable.add(to: second, probe, as: use)
      probe.at(.make) { throw SQLiteError(.permission, "Not you") }
      let error = failure { try second.integers("SELECT count(*) FROM p") }
      #expect(error?.code == .permission)
      #expect(error?.message == "Not you")
      #expect(try second.integers("SELECT count(*) FROM p") == [3])
    }
    let third = try Connection()
    try ProbeTable.add(to: third, probe, as: .eponymousOnly)
    probe.at(.make) { throw SQLiteError(.permission, "Not you") }
    #expect(failure { try third.column("SELECT a FROM probe") }?.code == .permission)
    #expect(try third.column("SELECT a FROM probe") == ["a", "b", "c"])
  }

  @Test func `a schema that SQLite does not understand is refused`() throws {
    let connection = try Connection.inTestedMode()
    for schema: VirtualTableSchema in [
      [], VirtualTableSchema(sql: "SELECT 1"), VirtualTableSchema(sql: "CREATE TABLE"),
      VirtualTableSchema(sql: "CREATE TABLE x(a)\0"), [.column("a", type: "INTEGER, b")],
      [.column("a\0")],
    ] {
      try connection.addModule("bad", as: .eponymousOnly) { _ in ListTable(schema, []) }
      #expect(failure { try connection.column("SELECT * FROM bad") } != nil)
    }
    // What stands in names of columns is quoted.
    try connection.addModule("good", as: .eponymousOnly) { _ in
      ListTable(["a\"b,c", .column("d", type: "TEXT")], [[1, 2]])
    }
    #expect(try connection.integers("SELECT \"a\"\"b,c\" FROM good") == [1])
  }
}
