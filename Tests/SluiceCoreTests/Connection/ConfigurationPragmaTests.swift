import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite struct `configuration pragmas` {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func open(_ change: (inout Configuration) -> Void) throws -> Connection {
    var configuration = Configuration()
    change(&configuration)
    return try Connection(path: folder.file(), configuration: configuration)
  }

  @Test(arguments: SynchronousMode.allCases)
  func `a connection opens with the configured synchronous mode`(_ mode: SynchronousMode) throws {
    #expect(try open { $0.synchronous = mode }.pragma(.synchronous) == mode)
  }

  @Test(arguments: [nil, .wal, .delete] as [Configuration.JournalMode?], [512, 8192, 65_536])
  func `a new database has the configured page size`(_ mode: Configuration.JournalMode?, size: Int)
    throws
  {
    let db = try open {
      $0.pageSize = size
      $0.journalMode = mode
    }
    try db.execute(sql: "CREATE TABLE t(a)")
    try db.close()
    #expect(try open { _ in }.pragma(.pageSize) == size)
  }

  @Test func `an in-memory database has the configured page size`() throws {
    var configuration = Configuration()
    configuration.pageSize = 1024
    let db = try Connection(configuration: configuration)
    try db.execute(sql: "CREATE TABLE t(a)")
    #expect(try db.pragma(.pageSize) == 1024)
  }

  @Test func `an existing database does not change its page size, even after a vacuum`() throws {
    try open { _ in }.execute(sql: "CREATE TABLE t(a)")
    let db = try open { $0.pageSize = 8192 }
    #expect(try db.pragma(.pageSize) == 4096)
    #expect(try db.value("SELECT count(*) FROM t") == 0)
    try db.vacuum()
    #expect(try db.pragma(.pageSize) == 4096)
  }

  @Test(arguments: ["user_version", "application_id", "auto_vacuum", "journal_mode"])
  func `the configured page size applies even if another pragma writes the first page`(
    pragma: String
  ) throws {
    let db = try open {
      $0.pageSize = 1024
      $0.pragmas[pragma] = pragma == "journal_mode" ? "wal" : 1
    }
    try db.execute(sql: "CREATE TABLE t(a)")
    #expect(try db.pragma(.pageSize) == 1024)
  }

  @Test(arguments: [0, -1, 511, 1000, 4097, 131_072, .min, .max])
  func `opening with an invalid configured page size throws`(_ size: Int) throws {
    let error = failure { try open { $0.pageSize = size } }
    #expect(error?.code == .range)
    #expect(
      error?.message == "The page size must be a power of two from 512 to 65,536 (got \(size))")
  }

  @Test func `each connection of a pool runs the configured pragmas`() throws {
    var configuration = Configuration()
    configuration.pageSize = 8192
    configuration.synchronous = .normal
    configuration.pragmas = ["cache_size": -1234, "TEMP_STORE": "memory"]
    let pool = try ConnectionPool(path: folder.file(), configuration: configuration)
    let sql = "SELECT cache_size, temp_store FROM pragma_cache_size, pragma_temp_store"
    #expect(
      try pool.sync { try $0.query(.columns(.int, .int), sql: sql).map { [$0, $1] } } == [
        [-1234, 2]
      ])
    #expect(
      try pool.syncRead { try $0.query(.columns(.int, .int), sql: sql).map { [$0, $1] } }
        == [[-1234, 2]])
    #expect(try pool.sync { try $0.pragma(.synchronous) } == .normal)
    #expect(try pool.sync { try $0.pragma(.pageSize) } == 8192)
  }

  @Test func `configured pragmas run in the order of their list`() throws {
    // Setting the journal mode writes a page, which fixes the page size.
    let db = try open { $0.pragmas = ["page_size": 1024, "auto_vacuum": 1, "journal_mode": "wal"] }
    try db.execute(sql: "CREATE TABLE t(a)")
    #expect(try db.pragma(.pageSize) == 1024)
    #expect(try db.pragma(.autoVacuum) == .full)
    #expect(try db.pragma(.journalMode) == .wal)
  }

  @Test func `the list of configured pragmas contains each name once, ignoring case`() {
    var pragmas: Configuration.Pragmas = ["a": 1, "b": 2, "A": 3]
    #expect(pragmas == ["a": 3, "b": 2])
    #expect(pragmas["B"] == 2)
    pragmas["a"] = nil
    pragmas["c"] = nil
    #expect(pragmas == ["b": 2])
    #expect(pragmas["a"] == nil)
    #expect(["a": 1, "b": 2] as Configuration.Pragmas != ["b": 2, "a": 1])
  }

  @Test func `the error of a failing configured pragma names the pragma`() throws {
    try open { _ in }.execute(sql: "CREATE TABLE t(a)")
    var configuration = Configuration()
    configuration.readOnly = true
    configuration.pragmas = ["user_version": 3]
    let error = failure { try Connection(path: folder.file(), configuration: configuration) }
    #expect(error?.code == .readOnly)
    #expect(error?.message == "PRAGMA user_version: attempt to write a readonly database")
  }

  @Test(.enabled(if: !SQLiteLibrary.has(.encryption)))
  func `opening with an unknown configured pragma throws notFound`() throws {
    let error = failure { try open { $0.pragmas = ["cash_size": 1] } }
    #expect(error?.code == .notFound)
    #expect(
      error?.message == "PRAGMA cash_size: SQLite \(SQLiteLibrary.version) has no such pragma"
    )
  }

  @Test(arguments: ["", "a b", "main.cache_size", "x = 1; DROP TABLE t", "é", "a\0"])
  func `opening with an invalid configured pragma name throws`(_ name: String) throws {
    #expect(failure { try open { $0.pragmas[name] = 1 } }?.code == .misuse)
  }

  @Test(arguments: [.real(1.5), .blob([1]), .null] as [DatabaseValue])
  func `opening with a configured pragma value that is neither an integer nor text throws`(
    _ value: DatabaseValue
  )
    throws
  {
    let error = failure { try open { $0.pragmas = ["cache_size": value] } }
    #expect(error?.code == .mismatch)
    #expect(error?.message.hasPrefix("PRAGMA cache_size: ") == true)
  }

  @Test func `a text value cannot inject SQL into a pragma`() throws {
    let db = try open { $0.pragmas = ["temp_store": "x'; CREATE TABLE t(a); --"] }
    #expect(try db.value("SELECT count(*) FROM sqlite_schema") == 0)
    #expect(failure { try open { $0.pragmas = ["temp_store": "a\0"] } }?.code == .misuse)
  }
}
