import SluiceCore
import TestSupport
import Testing

@Suite struct URIOpeningTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  @Test func `a URI opens its file`() throws {
    try Connection(uri: "file:\(folder.file())").execute(sql: "CREATE TABLE t(a)")
    #expect(try folder.content == ["app.db"])
  }

  @Test func `the query of a URI counts`() throws {
    try Connection(path: folder.file()).execute(sql: "CREATE TABLE t(a)")
    let db = try Connection(uri: "file:\(folder.file())?mode=ro")
    #expect(failure { try db.execute(sql: "INSERT INTO t VALUES (1)") }?.code == .readOnly)
  }

  @Test func `a database in memory can be shared by its name`() throws {
    let uri = "file:\(folder.path)?mode=memory&cache=shared"
    let first = try Connection(uri: uri)
    try first.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (5)")
    #expect(try Connection(uri: uri).value("SELECT a FROM t") == 5)
    #expect(try folder.content == [])
  }

  @Test func `a URI cannot give more rights than were asked for`() throws {
    try Connection(path: folder.file()).execute(sql: "CREATE TABLE t(a)")
    let uri = "file:\(folder.file())?mode=rw"
    #expect(failure { try Connection(uri: uri, readOnly: true) }?.code == .permission)
  }

  @Test func `a missing file of a URI is not created when that is not asked for`() throws {
    let uri = "file:\(folder.file())"
    #expect(failure { try Connection(uri: uri, create: false) }?.code == .cantOpen)
    #expect(failure { try Connection(uri: uri, readOnly: true) }?.code == .cantOpen)
    #expect(try folder.content == [])
  }

  @Test(arguments: ["https://x/a.db", "/a.db", "", "FILE", "sqlite:a.db"])
  func `what is not a file URI is refused`(uri: String) {
    #expect(failure { try Connection(uri: uri) }?.code == .cantOpen)
    #expect(!fileExists("/a.db"))
  }

  @Test(arguments: ["%00", "%00b.db", "%00\u{301}b.db"])
  func `a NUL in a URI is refused, and what comes before it is not opened`(end: String) throws {
    #expect(failure { try Connection(uri: "file:\(folder.file("a"))\(end)") }?.code == .misuse)
    #expect(try folder.content == [])
  }

  @Test func `a NUL that is not encoded is refused as well`() throws {
    #expect(failure { try Connection(uri: "file:\(folder.file("a"))\0b") }?.code == .misuse)
    #expect(try folder.content == [])
  }

  @Test func `an unknown mode or file system throws`() {
    #expect(failure { try Connection(uri: "file:\(folder.file())?mode=odd") }?.code == .error)
    #expect(failure { try Connection(uri: "file:\(folder.file())?vfs=odd") }?.code == .error)
    #expect(failure { try Connection(uri: "file://elsewhere/a.db") }?.code == .error)
  }
}
