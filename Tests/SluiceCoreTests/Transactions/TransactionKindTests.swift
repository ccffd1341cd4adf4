import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.transactions)) struct `transaction kinds and states` {
  let folder: TestFolder
  let one: Connection
  let other: Connection

  init() throws {
    folder = try TestFolder()
    one = try Connection(path: folder.file(), configuration: .impatient)
    other = try Connection(path: folder.file(), configuration: .impatient)
    try one.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
  }

  @Test func `beginning a deferred transaction acquires no lock`() throws {
    try one.begin(.deferred)
    #expect(try one.transactionState() == .none)
    try other.execute(sql: "INSERT INTO t VALUES (2)")
    #expect(try one.integers("SELECT a FROM t") == [1, 2])
    try one.rollback()
  }

  @Test func `an immediate transaction blocks writers but not readers`() throws {
    try one.begin(.immediate)
    #expect(try one.transactionState() == .write)
    #expect(failure { try other.begin(.immediate) }?.code == .busy)
    #expect(try other.integers("SELECT a FROM t") == [1])
    try one.rollback()
    try other.begin(.immediate)
  }

  @Test func `an exclusive transaction blocks readers if the database is not in WAL mode`() throws {
    try one.begin(.exclusive)
    #expect(failure { try other.integers("SELECT a FROM t") }?.code == .busy)
    try one.rollback()
    #expect(try other.integers("SELECT a FROM t") == [1])
  }

  @Test(arguments: TransactionKind.allCases)
  func `a scoped transaction has the requested kind`(_ kind: TransactionKind) throws {
    try one.transaction(kind) { one, _ throws in
      #expect(try one.transactionState() == (kind == .deferred ? .none : .write))
      let canWrite = failure { try other.execute(sql: "INSERT INTO t VALUES (2)") } == nil
      let canRead = failure { try other.integers("SELECT a FROM t") } == nil
      #expect(canWrite == (kind == .deferred))
      #expect(canRead == (kind != .exclusive))
    }
  }

  @Test func `a transaction on a connection is deferred by default`() throws {
    try one.transaction { one, _ throws in #expect(try one.transactionState() == .none) }
    try one.begin()
    #expect(try one.transactionState() == .none)
    try one.commit()
  }

  @Test func `the transaction state changes from none to read to write`() throws {
    #expect(try one.transactionState() == .none)
    try one.begin()
    #expect(try one.transactionState() == .none)
    _ = try one.integers("SELECT a FROM t")
    #expect(try one.transactionState() == .read)
    try one.execute(sql: "INSERT INTO t VALUES (2)")
    #expect(try one.transactionState() == .write)
    try one.commit()
    #expect(try one.transactionState() == .none)
  }

  @Test func `each schema has its own transaction state`() throws {
    try one.execute(sql: "ATTACH ':memory:' AS side; CREATE TABLE side.u(a)")
    try one.begin()
    try one.execute(sql: "INSERT INTO side.u VALUES (1)")
    #expect(try one.transactionState(schema: "main") == .none)
    #expect(try one.transactionState(schema: "side") == .write)
    #expect(try one.transactionState() == .write)
    try one.rollback()
  }

  @Test func `the transaction state of an unknown schema throws`() {
    #expect(failure { try one.transactionState(schema: "nowhere") }?.code == .range)
    #expect(failure { try one.transactionState(schema: "") }?.code == .range)
    #expect(failure { try one.transactionState(schema: "main\0") }?.code == .misuse)
  }

  @Test func `the transaction state of a closed connection throws`() throws {
    try one.close()
    #expect(failure { try one.transactionState() }?.code == .misuse)
    #expect(one.isInAutocommit)
  }

  @Test func `autocommit is off between begin and commit`() throws {
    #expect(one.isInAutocommit)
    try one.begin()
    #expect(!one.isInAutocommit)
    try one.commit()
    #expect(one.isInAutocommit)
  }

  @Test func `autocommit is off between begin and rollback`() throws {
    try one.begin()
    try one.execute(sql: "DELETE FROM t")
    #expect(!one.isInAutocommit)
    try one.rollback()
    #expect(one.isInAutocommit)
    #expect(try one.integers("SELECT a FROM t") == [1])
  }

  @Test
  func `beginning an explicit transaction inside another throws and leaves the outer one open`()
    throws
  {
    try one.begin()
    #expect(failure { try one.begin() }?.code == .error)
    #expect(!one.isInAutocommit)
    try one.rollback()
  }

  @Test func `committing or rolling back without a transaction throws`() {
    #expect(failure { try one.commit() }?.code == .error)
    #expect(failure { try one.rollback() }?.code == .error)
  }

  @Test func `writing in a WAL read transaction after another commit throws busySnapshot`() throws {
    try one.execute(sql: "PRAGMA journal_mode = wal")
    try one.begin()
    _ = try one.integers("SELECT a FROM t")
    try other.execute(sql: "INSERT INTO t VALUES (2)")
    let error = failure { try one.execute(sql: "INSERT INTO t VALUES (3)") }
    #expect(error?.code == .busySnapshot)
    #expect(error?.code.primary == .busy)
    #expect(!one.isInAutocommit)
    try one.rollback()
    #expect(try one.integers("SELECT a FROM t") == [1, 2])
  }
}
