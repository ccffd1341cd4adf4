import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `the user version and application ID` {
  @Test(arguments: [0, 1, -1, .min, .max] as [Int32])
  func `the user version and application ID are read back as they were written`(_ number: Int32)
    throws
  {
    let connection = try Connection()
    try connection.setUserVersion(number)
    try connection.setApplicationID(number &+ 1)
    #expect(try connection.userVersion == number)
    #expect(try connection.applicationID == number &+ 1)
    #expect(try connection.value("PRAGMA user_version") == .integer(Int64(number)))
    #expect(try connection.value("PRAGMA application_id") == .integer(Int64(number &+ 1)))
  }

  @Test func `the user version and application ID of a new database are zero`() throws {
    let connection = try Connection()
    #expect(try connection.userVersion == 0)
    #expect(try connection.applicationID == 0)
  }

  @Test func `reading or setting the user version affects only the main database`() throws {
    let connection = try Connection()
    try connection.attach(path: ":memory:", as: "other")
    try connection.execute(
      sql: "PRAGMA other.user_version = 7; PRAGMA temp.user_version = 8; CREATE TEMP TABLE t(a)")
    #expect(try connection.userVersion == 0)
    try connection.setUserVersion(3)
    #expect(try connection.value("PRAGMA other.user_version") == 7)
    #expect(try connection.value("PRAGMA main.user_version") == 3)
  }

  @Test func `a rollback restores the user version and application ID`() throws {
    let connection = try Connection()
    try connection.setUserVersion(1)
    try connection.transaction { connection, command in
      try connection.setUserVersion(2)
      try connection.setApplicationID(2)
      #expect(try connection.userVersion == 2)
      command = .rollback
    }
    #expect(try connection.userVersion == 1)
    #expect(try connection.applicationID == 0)
  }

  @Test func `writing the header numbers throws if read-only, and reading them throws if closed`()
    throws
  {
    let folder = try TestFolder()
    let path = folder.file()
    try Connection(path: path).execute(sql: "CREATE TABLE t(a)")
    let reader = try Connection(path: path, readOnly: true)
    #expect(failure { try reader.setUserVersion(1) }?.code == .readOnly)
    #expect(failure { try reader.setApplicationID(1) }?.code == .readOnly)
    try reader.close()
    #expect(failure { try reader.userVersion }?.code == .misuse)
    #expect(failure { try reader.applicationID }?.code == .misuse)
  }

  @Test func `isInCallback is true in an SQL function but not in a row closure`() throws {
    let connection = try Connection()
    var seen: [Bool] = []
    try connection.addFunction("called", arity: 0) { [unowned connection] _ in
      seen.append(connection.isInCallback)
      return 1
    }
    seen.append(connection.isInCallback)
    try connection.execute(sql: "SELECT called()") { _ in seen.append(connection.isInCallback) }
    #expect(seen == [false, true, false])
  }
}
