import Allocations
import CSluice
import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite struct `linked extensions` {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private var configuration: Configuration {
    var configuration = Configuration()
    configuration.addExtension { unsafe sqlite3_half_init($0, $1, $2) }
    return configuration
  }

  @Test func `a connection can call the functions of a linked extension`() throws {
    let db = try Connection(configuration: configuration)
    #expect(try db.value("SELECT half(3)") == 1.5)
    #expect(failure { try Connection().value("SELECT half(3)") }?.code == .error)
  }

  @Test func `a queue and its read queue can call the functions of a linked extension`() throws {
    let queue = try ConnectionQueue(path: folder.file(), configuration: configuration)
    #expect(try queue.sync { try $0.value("SELECT half(3)") } == 1.5)
    let reader = try ConnectionReadQueue(writeQueue: queue)
    #expect(try reader.sync { try $0.value("SELECT half(3)") } == 1.5)
  }

  @Test func `the writer and the readers of a pool can call the functions of a linked extension`()
    throws
  {
    let pool = try ConnectionPool(path: folder.file(), configuration: configuration)
    #expect(try pool.sync { try $0.value("SELECT half(3)") } == 1.5)
    #expect(try pool.syncRead { try $0.value("SELECT half(3)") } == 1.5)
  }

  @Test func `the entry point of an extension can declare a typed pointer to the API routines`()
    throws
  {
    var configuration = Configuration()
    configuration.addExtension { unsafe sqlite3_typed_half_init($0, $1, $2) }
    #expect(try Connection(configuration: configuration).value("SELECT half(3)") == 1.5)
  }

  @Test func `an extension runs before preparation closures that are added after it`() throws {
    var configuration = configuration
    configuration.prepareConnection { connection in
      try connection.execute(sql: "CREATE TEMP TABLE t AS SELECT half(3) AS a")
    }
    #expect(try Connection(configuration: configuration).value("SELECT a FROM t") == 1.5)
  }

  @Test func `opening throws the code and message of an extension that fails`() throws {
    var configuration = Configuration()
    configuration.addExtension { connection, message, _ in
      unsafe sqlite3_broken_init(connection, message, SQLITE_CANTOPEN)
    }
    let error = failure { try Connection(configuration: configuration) }
    #expect(error?.code == .cantOpen)
    #expect(error?.message == "half of it is missing")
    #expect(
      failure { try ConnectionPool(path: folder.file(), configuration: configuration) } == error)
  }

  @Test func `opening throws the code of an extension that fails without a message`() throws {
    var configuration = Configuration()
    configuration.addExtension { connection, _, _ in
      unsafe sqlite3_broken_init(connection, nil, SQLITE_NOTFOUND)
    }
    let error = failure { try Connection(configuration: configuration) }
    #expect(error?.code == .notFound)
    #expect(error?.message.isEmpty == false)
  }

  @Test func `a connection opens if an extension returns SQLITE_OK_LOAD_PERMANENTLY`() throws {
    var configuration = Configuration()
    // SQLITE_OK_LOAD_PERMANENTLY
    configuration.addExtension { connection, message, _ in
      unsafe sqlite3_broken_init(connection, message, 256)
    }
    #expect(try Connection(configuration: configuration).isOpen)
  }
}
