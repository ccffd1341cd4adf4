import SluiceCore
import TestSupport
import Testing

@Suite struct OpeningTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  @Test func `an in-memory database has no file name`() throws {
    let db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (7)")
    #expect(try db.value("SELECT a FROM t") == 7)
    #expect(try db.value("SELECT file FROM pragma_database_list WHERE name = 'main'") == "")
  }

  @Test func `two in-memory databases share no data`() throws {
    let first = try Connection()
    let second = try Connection(path: ":memory:")
    try first.execute(sql: "CREATE TABLE t(a)")
    #expect(failure { try second.execute(sql: "SELECT * FROM t") }?.code == .error)
  }

  @Test func `a temporary database stores data and has no file name`() throws {
    let db = try Connection.temporary()
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(3000000))")
    #expect(try db.value("SELECT length(a) FROM t") == 3_000_000)
    let isInMemory = SQLiteLibrary.compileOptions.contains {
      ["TEMP_STORE=2", "TEMP_STORE=3"].contains($0)
    }
    #expect(try db.value("PRAGMA journal_mode") == (isInMemory ? "memory" : "delete"))
    #expect(try db.value("SELECT file FROM pragma_database_list WHERE name = 'main'") == "")
  }

  @Test func `a created database file contains its data when it is reopened`() throws {
    do {
      let db = try Connection(path: folder.file())
      try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES ('kept')")
    }
    #expect(try folder.content == ["app.db"])
    #expect(try Connection(path: folder.file()).value("SELECT a FROM t") == "kept")
  }

  @Test func `opening a missing file throws and creates no file if creation is off`() throws {
    #expect(
      failure { try Connection(path: folder.file(), create: false) }?.code == .cantOpen)
    #expect(try folder.content == [])
  }

  @Test func `opening a missing file as read-only throws and creates no file`() throws {
    #expect(
      failure { try Connection(path: folder.file(), readOnly: true) }?.code == .cantOpen)
    #expect(try folder.content == [])
  }

  @Test func `an existing file can be opened and written even if creation is off`() throws {
    try Connection(path: folder.file()).execute(sql: "CREATE TABLE t(a)")
    let db = try Connection(path: folder.file(), create: false)
    try db.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(try db.value("SELECT count(*) FROM t") == 1)
  }

  @Test func `a read-only connection reads and rejects writes`() throws {
    try Connection(path: folder.file()).execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    let db = try Connection(path: folder.file(), readOnly: true)
    #expect(try db.value("SELECT a FROM t") == 1)
    let error = failure { try db.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(error?.code == .readOnly)
    #expect(error?.code.rawValue == 8)
    #expect(error?.sql == "INSERT INTO t VALUES (2)")
    #expect(try db.value("SELECT count(*) FROM t") == 1)
  }

  @Test func `opening a file in a missing folder throws an error with the path`() throws {
    let error = failure { try Connection(path: folder.file("no/such/app.db")) }
    #expect(error?.code.primary == .cantOpen)
    #expect(error?.message.contains("no/such/app.db") == true)
  }

  @Test func `opening an empty path throws`() {
    #expect(failure { try Connection(path: "") }?.code == .cantOpen)
  }

  @Test func `opening a path with a NUL throws and creates no file`() throws {
    #expect(failure { try Connection(path: folder.file("a\0b")) }?.code == .misuse)
    #expect(try folder.content == [])
  }

  @Test(arguments: ["a b.db", "a?mode=ro", "a#b", "a%20b", "ä→🙂.db", "it's \"it\".db"])
  func `special characters in a path have no special meaning`(name: String) throws {
    try Connection(path: folder.file(name)).execute(sql: "CREATE TABLE t(a)")
    #expect(try folder.content == [name])
  }

  @Test func `a relative path that looks like a URI names a file`() throws {
    let name = "file:\(folder.path.split(separator: "/").last!)?mode=memory"
    let scratch = ScratchFile("./" + name)
    try Connection(path: name).execute(sql: "CREATE TABLE t(a)")
    #expect(fileExists(scratch.path))
  }
}
