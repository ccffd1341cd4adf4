import CSluice
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.connections)) struct `attached databases` {
  let folder: TestFolder
  let db: Connection
  init() throws {
    folder = try TestFolder()
    db = try Connection(path: folder.file("main.db"))
  }

  /// Returns the path of a file as SQLite reports it, with symbolic links resolved.
  private func full(_ name: String) throws -> String? {
    try Connection(path: folder.file(name)).database(named: "main").path
  }

  @Test func `SQL selects an attached file by its schema name`() throws {
    try db.attach(path: folder.file("b.db"), as: "b")
    try db.execute(sql: "CREATE TABLE t(a); CREATE TABLE b.t(a); INSERT INTO b.t VALUES (7)")
    #expect(try db.column("SELECT a FROM b.t") == [7])
    #expect(try db.column("SELECT a FROM main.t") == [])
    #expect(try Connection(path: folder.file("b.db")).column("SELECT a FROM t") == [7])
  }

  @Test func `the database list contains each schema in order, with its path and access mode`()
    throws
  {
    _ = try Connection(path: folder.file("c.db")).execute(sql: "CREATE TABLE t(a)")
    try db.attach(path: folder.file("b.db"), as: "zz")
    try db.attach(path: folder.file("c.db"), as: "c", readOnly: true)
    try db.attach(path: ":memory:", as: "a")
    try db.execute(sql: "CREATE TEMP TABLE t(a)")
    let list = try db.databases()
    #expect(list.map(\.name) == ["main", "temp", "zz", "c", "a"])
    #expect(try list.map(\.path) == [full("main.db"), nil, full("b.db"), full("c.db"), nil])
    #expect(list.map(\.isReadOnly) == [false, false, false, true, false])
    #expect(try list == list.map { try db.database(named: $0.name) })
  }

  @Test func `a new connection lists only its main database`() throws {
    let list = try Connection().databases()
    #expect(list.map(\.name) == ["main"])
    #expect(list.map(\.path) == [nil])
    #expect(list.map(\.isReadOnly) == [false])
  }

  @Test func `the temporary database can be looked up before the database list contains it`() throws
  {
    #expect(try db.database(named: "temp").path == nil)
    #expect(try db.databases().count == 1)
  }

  @Test(arguments: ["nothing", "", "main\0", "mai", "\"main\"", "main;", "é"])
  func `attaching and detaching throw for an unknown database name`(name: String) throws {
    let expected: ResultCode = name.contains("\0") ? .misuse : .range
    #expect(failure { try db.database(named: name) }?.code == expected)
    #expect(failure { try db.detach(name) }?.code == expected)
  }

  @Test(
    arguments: [
      "b", "", "it's", "a\"b", "x]", "a b", "; DROP TABLE t", "é→🙂", "NULL", "?", "select", "'",
      "--",
    ])
  func `special characters in a schema name have no special meaning`(name: String) throws {
    try db.attach(path: folder.file("b.db"), as: name)
    #expect(try db.databases().map(\.name) == ["main", name])
    #expect(try db.database(named: name).path == full("b.db"))
    try db.detach(name)
    #expect(try db.databases().map(\.name) == ["main"])
  }

  @Test(arguments: ["a b.db", "a?mode=ro", "a#b", "a%20b", "ä→🙂.db", "it's \"it\".db", "%00"])
  func `special characters in an attached path have no special meaning`(name: String) throws {
    try db.attach(path: folder.file(name), as: "plain")
    try db.execute(sql: "CREATE TABLE plain.t(a)")
    #expect(try folder.content.contains(name))
    try db.attach(path: folder.file(name), as: "reader", readOnly: true)
    try db.attach(path: folder.file(name), as: "writer", create: false)
    #expect(try db.column("SELECT name FROM reader.sqlite_schema") == ["t"])
    #expect(try db.column("SELECT name FROM writer.sqlite_schema") == ["t"])
    #expect(try folder.content.sorted() == [name, "main.db"].sorted())
  }

  @Test func `an attached relative path that looks like a URI names a file`() throws {
    let name = "file:\(folder.path.split(separator: "/").last!)-b?mode=memory"
    let scratch = ScratchFile("./" + name)
    try db.attach(path: name, as: "b")
    try db.execute(sql: "CREATE TABLE b.t(a)")
    #expect(fileExists(scratch.path))
    try db.attach(path: name, as: "reader", readOnly: true)
    #expect(try db.column("SELECT name FROM reader.sqlite_schema") == ["t"])
  }

  @Test func `attaching creates a missing file, but not if creation is off or access is read-only`()
    throws
  {
    let path = folder.file("b.db")
    #expect(failure { try db.attach(path: path, as: "b", create: false) }?.code == .cantOpen)
    #expect(failure { try db.attach(path: path, as: "b", readOnly: true) }?.code == .cantOpen)
    #expect(try !folder.content.contains("b.db"))
    #expect(try db.databases().count == 1)
    try db.attach(path: path, as: "b")
    #expect(try folder.content.contains("b.db"))
  }

  @Test func `a database attached as read-only rejects writes`() throws {
    try Connection(path: folder.file("b.db")).execute(sql: "CREATE TABLE t(a)")
    try db.attach(path: folder.file("b.db"), as: "b", readOnly: true)
    #expect(failure { try db.execute(sql: "INSERT INTO b.t VALUES (1)") }?.code == .readOnly)
    try db.execute(sql: "CREATE TABLE main.t(a); INSERT INTO main.t VALUES (1)")
  }

  @Test(arguments: [true, false])
  func `a read-only connection attaches databases as read-only`(creates: Bool) throws {
    for name in ["main.db", "b.db"] {
      try Connection(path: folder.file(name)).execute(sql: "CREATE TABLE t(a)")
    }
    let reader = try Connection(path: folder.file("main.db"), readOnly: true)
    try reader.attach(path: folder.file("b.db"), as: "b", create: creates)
    #expect(try reader.database(named: "b").isReadOnly)
    #expect(failure { try reader.execute(sql: "INSERT INTO b.t VALUES (1)") }?.code == .readOnly)
    let missing = folder.file("c.db")
    #expect(
      failure { try reader.attach(path: missing, as: "c", create: creates) }?.code == .cantOpen)
    #expect(!fileExists(missing))
  }

  @Test func `a connection opened with a path can attach a URI`() throws {
    try Connection(path: folder.file("b.db")).execute(sql: "CREATE TABLE t(a)")
    try db.attach(uri: "file:\(folder.file("b.db"))?mode=ro", as: "b")
    #expect(try db.database(named: "b").isReadOnly)
    try db.attach(uri: "file:\(folder.file("c.db"))?mode=memory", as: "c")
    #expect(try db.database(named: "c").path == nil)
    #expect(try folder.content == ["b.db", "main.db"])
  }

  @Test(arguments: ["https://x/a.db", "/a.db", "", "FILE:a"])
  func `attaching rejects a string that is not a file URI`(
    uri: String
  ) throws {
    #expect(failure { try db.attach(uri: uri, as: "b") }?.code == .cantOpen)
    #expect(!fileExists("/a.db"))
  }

  @Test func `attaching throws for an empty path or a NUL, and opens no file`() throws {
    let path = folder.file("b")
    #expect(failure { try db.attach(path: path + "\0x", as: "b") }?.code == .misuse)
    #expect(failure { try db.attach(path: path, as: "b\0x") }?.code == .misuse)
    #expect(failure { try db.attach(uri: "file:\(path)%00x", as: "b") }?.code == .misuse)
    #expect(failure { try db.attach(uri: "file:\(path)\0x", as: "b") }?.code == .misuse)
    #expect(failure { try db.attach(path: path + "\0x", as: "b", readOnly: true) }?.code == .misuse)
    #expect(failure { try db.attach(path: "", as: "b") }?.code == .cantOpen)
    #expect(try folder.content == ["main.db"])
  }

  @Test func `a duplicate schema name throws, and an open error contains the path`() throws {
    for name in ["main", "MAIN", "temp"] {
      let error = failure { try db.attach(path: folder.file("b.db"), as: name) }
      #expect(error?.code == .error)
      #expect(error?.message == "database \(name) is already in use")
    }
    let error = failure { try db.attach(path: folder.file("no/b.db"), as: "b") }
    #expect(error?.code.primary == .cantOpen)
    #expect(error?.message.contains("no/b.db") == true)
  }

  @Test func `a file that is not a database cannot be attached`() throws {
    try folder.write([UInt8](repeating: 120, count: 5000), to: "b.db")
    #expect(failure { try db.attach(path: folder.file("b.db"), as: "b") }?.code == .notADatabase)
    #expect(try db.databases().count == 1)
  }

  @Test func `main, temp and a database in use cannot be detached`() throws {
    #expect(failure { try db.detach("main") }?.code == .error)
    #expect(failure { try db.detach("temp") }?.code == .error)
    try db.attach(path: ":memory:", as: "b")
    try db.execute(sql: "CREATE TABLE b.t(a); INSERT INTO b.t VALUES (1), (2)")
    let statement = try db.prepare(sql: "SELECT * FROM b.t")
    let isAtRow = try statement.step() != nil
    #expect(isAtRow)
    #expect(failure { try db.detach("b") }?.code == .error)
    try statement.reset()
    try db.detach("b")
    #expect(failure { try statement.execute() }?.code == .error)
  }

  @Test func `attaching more than ten databases throws`() throws {
    for number in 0..<10 { try db.attach(path: ":memory:", as: "m\(number)") }
    #expect(failure { try db.attach(path: ":memory:", as: "one") }?.code == .error)
    #expect(failure { try db.attach(uri: "file:x?mode=memory", as: "one") }?.code == .error)
    #expect(try db.databases().count == 11)
  }

  @Test func `an adopted connection attaches a URI or throws misuse`() throws {
    for flags in [SQLITE_OPEN_URI, 0] {
      var handle: OpaquePointer?
      unsafe sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | flags, nil)
      let adopted = try unsafe Connection(adopting: unsafe #require(unsafe handle))
      try adopted.attach(path: folder.file("main.db"), as: "b")
      let error = failure { try adopted.attach(uri: "file:x?mode=memory", as: "x") }
      #expect(error == nil || error?.code == .misuse)
      if flags != 0 || SQLiteLibrary.compileOptions.contains("USE_URI") { #expect(error == nil) }
      #expect(try adopted.databases().count == (error == nil ? 3 : 2))
      #expect(!fileExists("x") && !fileExists("file:x?mode=memory"))
    }
  }

  @Test func `attaching, detaching and listing databases throw misuse on a closed connection`()
    throws
  {
    try db.close()
    #expect(failure { try db.databases() }?.code == .misuse)
    #expect(failure { try db.database(named: "main") }?.code == .misuse)
    #expect(failure { try db.attach(path: folder.file("b.db"), as: "b") }?.code == .misuse)
    #expect(failure { try db.attach(uri: "file:b", as: "b") }?.code == .misuse)
    #expect(failure { try db.detach("b") }?.code == .misuse)
  }

  @Test func `a rollback undoes changes in both the main and an attached database`() throws {
    try db.attach(path: folder.file("b.db"), as: "b")
    try db.execute(sql: "CREATE TABLE t(a); CREATE TABLE b.t(a)")
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try db.transaction { db, _ in
        try db.execute(sql: "INSERT INTO main.t VALUES (1); INSERT INTO b.t VALUES (1)")
        throw Stop()
      }
    }
    #expect(try db.column("SELECT a FROM main.t UNION ALL SELECT a FROM b.t") == [])
  }

  @Test func `a collation callback cannot attach, detach or list databases`() throws {
    var codes: [ResultCode?] = []
    try db.addCollation("c") { [unowned db] first, second in
      codes.append(failure { try db.attach(path: ":memory:", as: "b") }?.code)
      codes.append(failure { try db.detach("main") }?.code)
      codes.append(failure { try db.databases() }?.code)
      return SQLOrder(first, second)
    }
    try db.execute(sql: "SELECT 'a' < 'b' COLLATE c")
    try db.removeCollation("c")
    #expect(codes == [.misuse, .misuse, .misuse])
  }
}
