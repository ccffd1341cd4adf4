import SluiceCore
import TestSupport
import Testing

@Suite struct URIOpeningTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  @Test func `a connection opens the file that a URI names`() throws {
    try Connection(uri: "file:\(folder.file())").execute(sql: "CREATE TABLE t(a)")
    #expect(try folder.content == ["app.db"])
  }

  @Test func `the URI parameter mode=ro makes the connection read-only`() throws {
    try Connection(path: folder.file()).execute(sql: "CREATE TABLE t(a)")
    let db = try Connection(uri: "file:\(folder.file())?mode=ro")
    #expect(failure { try db.execute(sql: "INSERT INTO t VALUES (1)") }?.code == .readOnly)
  }

  @Test func `connections with the same in-memory URI share a database`() throws {
    let uri = "file:\(folder.path)?mode=memory&cache=shared"
    let first = try Connection(uri: uri)
    try first.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (5)")
    #expect(try Connection(uri: uri).value("SELECT a FROM t") == 5)
    #expect(try folder.content == [])
  }

  @Test func `a URI cannot grant more access than requested`() throws {
    try Connection(path: folder.file()).execute(sql: "CREATE TABLE t(a)")
    let uri = "file:\(folder.file())?mode=rw"
    #expect(failure { try Connection(uri: uri, readOnly: true) }?.code == .permission)
  }

  @Test func `opening a URI creates no missing file if creation is off or access is read-only`()
    throws
  {
    let uri = "file:\(folder.file())"
    #expect(failure { try Connection(uri: uri, create: false) }?.code == .cantOpen)
    #expect(failure { try Connection(uri: uri, readOnly: true) }?.code == .cantOpen)
    #expect(try folder.content == [])
  }

  @Test(arguments: ["https://x/a.db", "/a.db", "", "FILE", "sqlite:a.db"])
  func `opening a string that is not a file URI throws`(uri: String) {
    #expect(failure { try Connection(uri: uri) }?.code == .cantOpen)
    #expect(!fileExists("/a.db"))
  }

  @Test(arguments: ["%00", "%00b.db", "%00\u{301}b.db"])
  func `opening a URI with an encoded NUL throws and creates no file`(end: String) throws {
    #expect(failure { try Connection(uri: "file:\(folder.file("a"))\(end)") }?.code == .misuse)
    #expect(try folder.content == [])
  }

  @Test func `opening a URI with a literal NUL throws and creates no file`() throws {
    #expect(failure { try Connection(uri: "file:\(folder.file("a"))\0b") }?.code == .misuse)
    #expect(try folder.content == [])
  }

  @Test func `opening a URI with an unknown mode, VFS or authority throws`() {
    #expect(failure { try Connection(uri: "file:\(folder.file())?mode=odd") }?.code == .error)
    #expect(failure { try Connection(uri: "file:\(folder.file())?vfs=odd") }?.code == .error)
    #expect(failure { try Connection(uri: "file://elsewhere/a.db") }?.code == .error)
  }
}
