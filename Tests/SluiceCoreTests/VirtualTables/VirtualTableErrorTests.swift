import SluiceCore
import TestSupport
import Testing

/// The caller receives errors that the methods of virtual tables throw.
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
  func `the statement rethrows a callback's SQLite error with its message, code and SQL`(
    _ callback: Callback
  ) throws {
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
  func `the statement rethrows a callback's error of another type`(_ callback: Callback)
    throws
  {
    let connection = try connection()
    try connection.begin()
    probe.at(callback) { throw ForeignError("Wet") }
    #expect(throws: ForeignError("Wet")) { try connection.execute(sql: callback.sql) }
  }

  @Test(arguments: [ResultCode.ok, .row, .done, .schema, .constraint, .noMemory, .locked])
  func `an error of a callback is thrown even if its code has a special meaning for SQLite`(
    _ code: ResultCode
  )
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

  @Test func `a callback error inside nested transactions is rethrown`() throws {
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

  @Test func `a virtual table that fails to connect throws its error, and can connect later`()
    throws
  {
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

  @Test func `a virtual table whose schema SQLite cannot parse throws`() throws {
    let connection = try Connection.inTestedMode()
    for schema: VirtualTableSchema in [
      [], VirtualTableSchema(sql: "SELECT 1"), VirtualTableSchema(sql: "CREATE TABLE"),
      VirtualTableSchema(sql: "CREATE TABLE x(a)\0"), [.column("a", type: "INTEGER, b")],
      [.column("a\0")],
    ] {
      try connection.addModule("bad", as: .eponymousOnly) { _ in ListTable(schema, []) }
      #expect(failure { try connection.column("SELECT * FROM bad") } != nil)
    }
    // Column names are quoted.
    try connection.addModule("good", as: .eponymousOnly) { _ in
      ListTable(["a\"b,c", .column("d", type: "TEXT")], [[1, 2]])
    }
    #expect(try connection.integers("SELECT \"a\"\"b,c\" FROM good") == [1])
  }
}
