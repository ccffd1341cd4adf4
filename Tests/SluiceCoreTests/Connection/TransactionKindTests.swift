import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.transactions)) struct `kinds and states of transactions` {
  let folder: TestFolder
  let one: Connection
  let other: Connection

  init() throws {
    folder = try TestFolder()
    one = try Connection(path: folder.file(), configuration: .impatient)
    other = try Connection(path: folder.file(), configuration: .impatient)
    try one.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
  }

  @Test func `a deferred transaction locks nothing at its begin`() throws {
    try one.begin(.deferred)
    #expect(try one.transactionState() == .none)
    try other.execute(sql: "INSERT INTO t VALUES (2)")
    #expect(try one.integers("SELECT a FROM t") == [1, 2])
    try one.rollback()
  }

  @Test func `an immediate transaction keeps writers out and lets readers in`() throws {
    try one.begin(.immediate)
    #expect(try one.transactionState() == .write)
    #expect(failure { try other.begin(.immediate) }?.code == .busy)
    #expect(try other.integers("SELECT a FROM t") == [1])
    try one.rollback()
    try other.begin(.immediate)
  }

  @Test func `an exclusive transaction keeps readers out without a WAL`() throws {
    try one.begin(.exclusive)
    #expect(failure { try other.integers("SELECT a FROM t") }?.code == .busy)
    try one.rollback()
    #expect(try other.integers("SELECT a FROM t") == [1])
  }

  @Test(arguments: TransactionKind.allCases)
  func `a scoped transaction is of the kind that was asked for`(_ kind: TransactionKind) throws {
    try one.transaction(kind) { one, _ throws in
      #expect(try one.transactionState() == (kind == .deferred ? .none : .write))
      let canWrite = failure { try other.execute(sql: "INSERT INTO t VALUES (2)") } == nil
      let canRead = failure { try other.integers("SELECT a FROM t") } == nil
      #expect(canWrite == (kind == .deferred))
      #expect(canRead == (kind != .exclusive))
    }
  }

  @Test func `a transaction on a bare connection is deferred by default`() throws {
    try one.transaction { one, _ throws in #expect(try one.transactionState() == .none) }
    try one.begin()
    #expect(try one.transactionState() == .none)
    try one.commit()
  }

  @Test func `the state goes from none to read to write`() throws {
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

  @Test func `the state is known for each schema`() throws {
    try one.execute(sql: "ATTACH ':memory:' AS side; CREATE TABLE side.u(a)")
    try one.begin()
    try one.execute(sql: "INSERT INTO side.u VALUES (1)")
    #expect(try one.transactionState(schema: "main") == .none)
    #expect(try one.transactionState(schema: "side") == .write)
    #expect(try one.transactionState() == .write)
    try one.rollback()
  }

  @Test func `an unknown schema throws`() {
    #expect(failure { try one.transactionState(schema: "nowhere") }?.code == .range)
    #expect(failure { try one.transactionState(schema: "") }?.code == .range)
    #expect(failure { try one.transactionState(schema: "main\0") }?.code == .misuse)
  }

  @Test func `the state of a closed connection throws`() throws {
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

  @Test func `a begin inside of a transaction throws and leaves it open`() throws {
    try one.begin()
    #expect(failure { try one.begin() }?.code == .error)
    #expect(!one.isInAutocommit)
    try one.rollback()
  }

  @Test func `a commit or rollback without a transaction throws`() {
    #expect(failure { try one.commit() }?.code == .error)
    #expect(failure { try one.rollback() }?.code == .error)
  }

  @Test func `an upgrade from reading after another commit is busySnapshot`() throws {
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
