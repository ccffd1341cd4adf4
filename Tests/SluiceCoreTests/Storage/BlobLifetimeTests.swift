import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.storage, .connections)) struct `the lifetime of a blob` {
  let folder: TestFolder
  let db: Connection

  init() throws {
    folder = try TestFolder()
    db = try Connection(path: folder.file())
    try db.execute(
      sql: "CREATE TABLE t(a); INSERT INTO t VALUES (x'000000'), (x'000000')")
  }

  private func open(readOnly: Bool = false, _ rowid: Int64 = 1) throws -> Blob {
    try db.openBlob(table: "t", column: "a", rowid: rowid, readOnly: readOnly)
  }

  private var stored: DatabaseValue {
    get throws {
      try Connection(path: folder.file(), configuration: .impatient)
        .value("SELECT a FROM t WHERE rowid = 1")
    }
  }

  @Test func `closing a blob commits its writes`() throws {
    let blob = try open()
    try blob.write([1])
    #expect(!(try db.isInAutocommit && db.transactionState() == .none))
    try blob.close()
    #expect(try stored == .blob([1, 0, 0]))
    try blob.close()
    #expect(failure { try blob.read() }?.code == .misuse)
    #expect(failure { try blob.write([1]) }?.code == .misuse)
    #expect(failure { try blob.reopen(at: 2) }?.code == .misuse)
    #expect(failure { try blob.forEachChunk { _ in } }?.code == .misuse)
    #expect(failure { try blob.read(at: 77, count: 1) }?.code == .misuse)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.preUpdateHook)))
  func `an error thrown by a pre-update hook undoes a blob write and is rethrown`() throws {
    let blob = try open()
    try db.onPreUpdate { _ in throw ForeignError() }
    #expect(foreignFailure { try blob.write([1]) } == ForeignError())
    #expect(foreignFailure { try db.execute(sql: "DELETE FROM t") } == ForeignError())
    try blob.close()
    #expect(try stored == .blob([0, 0, 0]))
  }

  @Test func `releasing a blob commits its writes`() throws {
    do { try open().write([2]) }
    #expect(try stored == .blob([2, 0, 0]))
  }

  @Test func `closing a blob whose commit fails throws and undoes its writes`() throws {
    let reader = try Connection(path: folder.file())
    let db = try Connection(path: folder.file(), configuration: .impatient)
    let blob = try db.openBlob(table: "t", column: "a", rowid: 1, readOnly: false)
    try blob.write([3])
    let statement = try reader.prepare(sql: "SELECT a FROM t")
    let hasRow = try statement.step() != nil
    #expect(hasRow)
    #expect(failure { try blob.close() }?.code == .busy)
    try blob.close()
    try statement.reset()
    #expect(try stored == .blob([0, 0, 0]))
    try db.execute(sql: "INSERT INTO t VALUES (x'07')")
  }

  @Test func `closing the connection commits and closes its blobs`() throws {
    let writer = try open()
    let reader = try open(readOnly: true, 2)
    try writer.write([4])
    try db.close()
    for blob in [writer, reader] {
      #expect(failure { try blob.read() }?.message == "The connection is closed")
      #expect(failure { try blob.reopen(at: 1) }?.code == .misuse)
      try blob.close()
    }
    #expect(try stored == .blob([4, 0, 0]))
  }

  @Test func `a connection does not close if the commit of a blob fails`() throws {
    let reader = try Connection(path: folder.file())
    let db = try Connection(path: folder.file(), configuration: .impatient)
    let blob = try db.openBlob(table: "t", column: "a", rowid: 1, readOnly: false)
    try blob.write([3])
    let statement = try reader.prepare(sql: "SELECT a FROM t")
    let hasRow = try statement.step() != nil
    #expect(hasRow)
    #expect(failure { try db.close() }?.code == .busy)
    #expect(db.isOpen)
    try statement.reset()
    try db.close()
    #expect(try stored == .blob([0, 0, 0]))
  }

  @Test func `a blob retains its connection until the blob is released`() throws {
    weak var connection: Connection?
    do {
      let blob: Blob
      do {
        let db = try Connection(path: folder.file())
        connection = db
        blob = try db.openBlob(table: "t", column: "a", rowid: 1)
      }
      #expect(try blob.read() == [0, 0, 0])
    }
    #expect(connection == nil)
  }

  @Test func `rolling back a transaction preserves blob writes made before it`() throws {
    let blob = try open()
    try blob.write([5])
    try db.transaction { db, command in
      #expect(failure { try blob.write([6]) }?.code == .misuse)
      command = .rollback
    }
    #expect(try stored == .blob([5, 0, 0]))
  }

  @Test func `the end of a transaction closes a blob that its body left open`() throws {
    var blob: Blob?
    try db.transaction { db, _ in
      blob = try open()
      try blob?.write([6])
    }
    #expect(failure { try blob?.write([7]) }?.code == .misuse)
    #expect(try stored == .blob([6, 0, 0]))
    #expect(throws: ForeignError.self) {
      try db.transaction { db, _ in
        blob = try open()
        try blob?.write([7])
        throw ForeignError()
      }
    }
    #expect(db.isInAutocommit)
    #expect(failure { try blob?.write([7]) }?.code == .misuse)
    #expect(try stored == .blob([6, 0, 0]))
  }

  @Test func `rolling back to a savepoint undoes the writes of a blob and expires the blob`() throws
  {
    try db.transaction { db, _ in
      try db.execute(sql: "UPDATE t SET a = x'080000'; SAVEPOINT s")
      let blob = try open()
      try blob.write([9])
      #expect(failure { try db.savepoint { _, _ in } }?.code == .busy)
      try db.execute(sql: "ROLLBACK TO s")
      #expect(failure { try blob.read() }?.code.primary == .abort)
    }
    #expect(try stored == .blob([8, 0, 0]))
  }

  @Test func `blob writes of an SQL function are committed when the queue's call ends`() throws {
    let queue = try ConnectionQueue(path: folder.file())
    try queue.sync { connection in
      try connection.addFunction("keeper", arity: 1) { [weak connection] values in
        // The blob is released when the function returns.
        let blob = try connection?.openBlob(table: "t", column: "a", rowid: 1, readOnly: false)
        try blob?.write([UInt8(try values.get(Int.self, at: 0))])
        return .null
      }
      try connection.execute(sql: "SELECT keeper(1)")
    }
    #expect(try stored == .blob([1, 0, 0]))
  }

  @Test func `an SQL function can read and write a blob, but a collation cannot`() throws {
    let blob = try open()
    try db.addFunction("poke", arity: 1) { values in
      try blob.write([UInt8(try values.get(Int.self, at: 0))])
      return .integer(Int64(try blob.read()[0]))
    }
    #expect(try db.column("SELECT poke(7)") == [7])
    var codes: [ResultCode?] = []
    try db.addCollation("c") { [unowned db] first, second in
      codes.append(failure { try blob.read() }?.code)
      codes.append(failure { try blob.write([1]) }?.code)
      codes.append(failure { try blob.close() }?.code)
      codes.append(failure { try blob.reopen(at: 2) }?.code)
      codes.append(failure { try db.openBlob(table: "t", column: "a", rowid: 1) }?.code)
      return SQLOrder(first, second)
    }
    try db.execute(sql: "SELECT 'a' < 'b' COLLATE c")
    #expect(codes == Array(repeating: .misuse, count: 5))
    try blob.close()
    try db.removeCollation("c")
    try db.removeFunction("poke", arity: 1)
    #expect(try stored == .blob([7, 0, 0]))
  }

  @Test func `a blob that a collation releases is closed after the comparison`() throws {
    var blob: Blob? = try open()
    try blob?.write([3])
    try db.addCollation("c") { first, second in
      blob = nil
      return SQLOrder(first, second)
    }
    try db.execute(sql: "SELECT 'a' < 'b' COLLATE c")
    try db.execute(sql: "SELECT 1")
    #expect(try stored == .blob([3, 0, 0]))
    try db.close()
  }

  @Test func `a ROLLBACK statement expires a writable blob but not a read-only blob`() throws {
    let reader = try open(readOnly: true, 2)
    try db.begin()
    let writer = try open()
    try writer.write([1])
    try db.execute(sql: "ROLLBACK")
    #expect(failure { try writer.read() }?.code.primary == .abort)
    #expect(failure { try writer.write([1]) }?.code.primary == .abort)
    try writer.close()
    #expect(try reader.read() == [0, 0, 0])
  }
}
