import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite struct UnusualFileTests {
  let folder: TestFolder
  init() throws { folder = try TestFolder() }

  @Test func `the first statement on a file that is not a database throws`() throws {
    try folder.write([UInt8](repeating: 0x41, count: 4096))
    let db = try Connection(path: folder.file())
    let error = failure { try db.execute(sql: "SELECT * FROM sqlite_master") }
    #expect(error?.code == .notADatabase)
    #expect(error?.code.rawValue == 26)
    #expect(failure { try db.execute(sql: "CREATE TABLE t(a)") }?.code == .notADatabase)
    try db.close()
  }

  /// Opening a pipe read-only waits until another program opens it.
  @Test func `a pipe is not opened as a database`() throws {
    let pipe = folder.file("pipe")
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: pipe)
    let connection = try Connection()
    for path in [pipe, link] {
      let calls: [() throws -> Void] = [
        { _ = try Connection(path: path, readOnly: true) }, { _ = try Connection(path: path) },
        { _ = try ConnectionQueue(path: path) }, { _ = try ConnectionPool(path: path) },
        { try connection.attach(path: path, as: "pipe", readOnly: true) },
        { try connection.backup(to: path) }, { try connection.restore(from: path) },
        { _ = try Connection(uri: "file:\(path)?mode=ro") },
        { _ = try Connection(uri: "file://localhost\(path)#fragment", readOnly: true) },
        { _ = try ConnectionReadQueue(uri: "file://" + path.replacing("pipe", with: "%70ip%65")) },
        { try connection.attach(uri: "file:\(path)?mode=ro", as: "pipe") },
      ]
      for (index, call) in calls.enumerated() {
        let error = failure(call)
        #expect(error?.code == .cantOpen, "\(index)")
        let message = "A database must be a file (got the named pipe \(path))"
        #expect(error?.message == message, "\(index)")
      }
    }
  }

  @Test func `opening a file that is not a database throws if a journal mode is configured`()
    throws
  {
    try folder.write([UInt8](repeating: 0x41, count: 4096))
    var configuration = Configuration()
    configuration.journalMode = .wal
    #expect(
      failure { try Connection(path: folder.file(), configuration: configuration) }?.code
        == .notADatabase)
  }

  @Test func `an empty file opens as an empty database`() throws {
    try folder.write([])
    #expect(
      try Connection(path: folder.file(), readOnly: true).value(
        "SELECT count(*) FROM sqlite_master")
        == 0)
  }

  @Test(arguments: 1...24) func `reading a truncated file throws corrupt`(pages: Int) throws {
    try Connection(path: folder.file("whole")).execute(
      sql: """
        CREATE TABLE t(a);
        WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO t SELECT zeroblob(1000) FROM n;
        """)
    let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.file("whole"))))
    try folder.write(Array(whole.prefix(pages * 1000)))
    let db = try Connection(path: folder.file())
    let error = failure { try db.execute(sql: "SELECT sum(length(a)) FROM t") }
    #expect(try #require(error?.code.primary) == .corrupt)
    try db.close()
  }

  @Test(arguments: [false, true]) func `opening a folder as a database, or reading from it, throws`(
    readOnly: Bool
  ) {
    let error = failure {
      let db = try Connection(path: folder.path, readOnly: readOnly)
      try db.execute(sql: "SELECT * FROM sqlite_master")
    }
    #expect([ResultCode.cantOpen, .ioError].contains(error?.code.primary))
  }

  @Test func `a write-protected file in rollback mode can be read but not written`() throws {
    try Connection(path: folder.file()).execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    try setPermissions(0o444, of: folder.file())
    let db = try Connection(path: folder.file())
    #expect(try db.value("SELECT a FROM t") == 1)
    // File permissions do not restrict root.
    let expected: ResultCode? = geteuid() == 0 ? nil : .readOnly
    #expect(failure { try db.execute(sql: "INSERT INTO t VALUES (2)") }?.code.primary == expected)
    let readOnly = try Connection(path: folder.file(), readOnly: true)
    #expect(failure { try readOnly.execute(sql: "DELETE FROM t") }?.code == .readOnly)
  }

  @Test func `a read-only connection reads a file in WAL mode and rejects writes`() throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    let writer = try Connection(path: folder.file(), configuration: configuration)
    try writer.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    let reader = try Connection(path: folder.file(), readOnly: true)
    #expect(try reader.value("SELECT a FROM t") == 1)
    #expect(failure { try reader.execute(sql: "INSERT INTO t VALUES (2)") }?.code == .readOnly)
  }

  @Test func `opening a device as a database, or writing to it, throws`() {
    let error = failure {
      try Connection(path: "/dev/full").execute(sql: "CREATE TABLE t(a)")
    }
    #expect(error != nil)
  }
}
