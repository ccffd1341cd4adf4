import CSluice
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.connections)) struct `deleting database files on close` {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  private func configuration(_ mode: Configuration.JournalMode? = nil) -> Configuration {
    var configuration = Configuration()
    configuration.deletesFileOnClose = true
    configuration.journalMode = mode
    return configuration
  }

  private func open(
    _ mode: Configuration.JournalMode? = nil, name: String = "app.db"
  ) throws -> Connection {
    let db = try Connection(path: folder.file(name), configuration: configuration(mode))
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    return db
  }

  @Test(arguments: Configuration.JournalMode.allCases)
  func `closing deletes the database and its journal, WAL and shared-memory files`(
    mode: Configuration.JournalMode
  ) throws {
    try folder.write([1, 2, 3], to: "other.db")
    let db = try open(mode)
    #expect(try folder.content.contains("app.db"))
    try db.close()
    #expect(try folder.content == ["other.db"])
    try db.close()
  }

  @Test func `releasing the last reference to a connection deletes its files`() throws {
    do {
      let db = try open(.wal)
      _ = try db.prepare(sql: "SELECT a FROM t").step() != nil
      #expect(try folder.content == ["app.db", "app.db-shm", "app.db-wal"])
    }
    #expect(try folder.content == [])
  }

  @Test func `closing deletes the database files even while another connection has them open`()
    throws
  {
    let db = try open(.wal)
    let other = try Connection(path: folder.file(), readOnly: true)
    #expect(try other.value("SELECT a FROM t") == 1)
    try db.close()
    #expect(try folder.content == [])
  }

  @Test(arguments: ["ä→🙂.db", "a b?c#d%20.db", "it's", "-"])
  func `closing deletes database files with special characters in their names`(
    name: String
  ) throws {
    let db = try open(.persist, name: name)
    #expect(try folder.content.sorted() == [name, name + "-journal"].sorted())
    try db.close()
    #expect(try folder.content == [])
  }

  @Test func `closing does not delete a file that is not a database`() throws {
    let text = Array(String(repeating: "precious ", count: 200).utf8)
    try folder.write(text, to: "precious.txt")
    let db = try Connection(path: folder.file("precious.txt"), configuration: configuration())
    #expect(failure { try db.execute(sql: "SELECT * FROM t") }?.code == .notADatabase)
    try db.close()
    #expect(try folder.content == ["precious.txt"])
  }

  @Test func `closing does not delete the database file by default`() throws {
    #expect(!Configuration().deletesFileOnClose && !Configuration.sqliteDefaults.deletesFileOnClose)
    try Connection(path: folder.file()).execute(sql: "CREATE TABLE t(a)")
    #expect(try folder.content == ["app.db"])
  }

  @Test func `a connection that is deallocated and deletes its file calls no observer of the WAL`()
    throws
  {
    var db: Connection? = try open(.wal)
    try db?.execute(sql: "UPDATE t SET a = zeroblob(9)")
    var calls = 0
    _ = try db?.onWALCommit { _, _ in calls += 1 }
    var blob = try db?.openBlob(table: "t", column: "a", rowid: 1, readOnly: false)
    try blob?.write([1])
    blob = nil
    db = nil
    #expect(calls == 0)
    #expect(try folder.content == [])
  }

  @Test func `a failed close deletes no file, and a later successful close deletes the database`()
    throws
  {
    let db = try open()
    try db.addFunction("close", arity: 0) { [unowned db] _ in
      try db.close()
      return .null
    }
    #expect(failure { try db.execute(sql: "SELECT close()") }?.code == .misuse)
    #expect(try folder.content == ["app.db"])
    try db.execute(sql: "SELECT CAST('text' AS TEXT)") { row in
      try row.withUTF8(at: 0) { _ in #expect(failure { try db.close() }?.code == .misuse) }
    }
    #expect(try folder.content == ["app.db"])
    try db.close()
    #expect(try folder.content == [])
  }

  @Test func `a failed open deletes no file`() throws {
    try folder.write([UInt8](repeating: 120, count: 5000))
    #expect(
      failure { try Connection(path: folder.file(), configuration: configuration(.wal)) }?.code
        == .notADatabase)
    #expect(try folder.content == ["app.db"])
  }

  @Test func `closing a read-only connection deletes no file`() throws {
    try Connection(path: folder.file()).execute(sql: "CREATE TABLE t(a)")
    for db in [
      try Connection(path: folder.file(), readOnly: true, configuration: configuration()),
      try Connection(uri: "file:\(folder.file())?mode=ro", configuration: configuration()),
      try Connection(uri: "file:\(folder.file())?immutable=1", configuration: configuration()),
    ] {
      #expect(try db.value("SELECT count(*) FROM t") == 0)
      try db.close()
      #expect(try folder.content == ["app.db"])
    }
  }

  @Test func `closing an in-memory database does not delete a file with the same name`() throws {
    try folder.write([1, 2, 3])
    let file = "file:\(folder.file())"
    let uris =
      ["\(file)?mode=memory", "\(file)?mode=memory&cache=shared"]
      + (SQLiteLibrary.has(.serialization) ? ["\(file)?vfs=memdb"] : [])
    for uri in uris {
      let db = try Connection(uri: uri, configuration: configuration())
      try db.execute(sql: "CREATE TABLE t(a)")
      try db.close()
      #expect(try folder.bytes() == [1, 2, 3])
    }
    try Connection(configuration: configuration()).close()
    try Connection.temporary(configuration: configuration()).close()
  }

  @Test func `closing succeeds if the file has already been deleted`() throws {
    let db = try open()
    try removeFile(folder.file())
    try db.close()
    #expect(try folder.content == [])
  }

  @Test func `closing does not delete the files of attached databases`() throws {
    let db = try open()
    try db.attach(path: folder.file("b.db"), as: "b")
    try db.execute(sql: "CREATE TABLE b.t(a)")
    try db.close()
    #expect(try folder.content == ["b.db"])
  }

  @Test(arguments: [true, false])
  func `closing or releasing a queue deletes its file, unlike closing a read queue`(
    isClosed: Bool
  ) throws {
    let configuration = configuration(.wal)
    do {
      let queue = try ConnectionQueue(path: folder.file(), configuration: configuration)
      try queue.sync { db in try db.execute(sql: "CREATE TABLE t(a)") }
      for reader in [
        try ConnectionReadQueue(writeQueue: queue),
        try ConnectionReadQueue(path: folder.file(), configuration: configuration),
      ] {
        #expect(try reader.sync { db in try db.value("SELECT count(*) FROM t") } == 0)
        try reader.syncClose()
      }
      #expect(try folder.content == ["app.db", "app.db-shm", "app.db-wal"])
      if isClosed { try queue.syncClose() }
    }
    #expect(try folder.content == [])
  }
}
