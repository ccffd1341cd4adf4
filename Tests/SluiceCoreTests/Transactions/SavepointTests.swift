import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.transactions)) struct `nested scopes and savepoints` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
  }

  private func insert(_ value: Int) throws {
    try connection.execute(sql: "INSERT INTO t VALUES (?)", parameters: .int(value))
  }

  private var rows: [Int] { get throws { try connection.integers("SELECT a FROM t") } }

  @Test func `rolling back an inner transaction preserves the rows of the outer transaction`()
    throws
  {
    try connection.transaction { _, _ in
      try insert(1)
      let inner = try connection.transaction { _, command in
        try insert(2)
        command = .rollback
        return 2
      }
      #expect(inner.command == .rollback)
      #expect(inner.value == 2)
      #expect(!connection.isInAutocommit)
      try insert(3)
    }
    #expect(try rows == [1, 3])
    #expect(connection.isInAutocommit)
  }

  @Test func `an inner transaction that throws preserves the rows of the outer transaction`() throws
  {
    try connection.transaction { _, _ in
      try insert(1)
      #expect(throws: ForeignError()) {
        try connection.transaction { _, _ in
          try insert(2)
          throw ForeignError()
        }
      }
      try insert(3)
    }
    #expect(try rows == [1, 3])
  }

  @Test func `rolling back an outer transaction undoes its inner scopes`() throws {
    try connection.transaction { _, command in
      try connection.transaction { _, _ in try insert(1) }
      try connection.savepoint { _, _ in try insert(2) }
      #expect(try rows == [1, 2])
      command = .rollback
    }
    #expect(try rows == [])
  }

  @Test func `a nested scoped transaction of any kind opens a savepoint`() throws {
    for kind in TransactionKind.allCases {
      try connection.transaction { _, _ in
        try connection.transaction(kind) { _, _ throws in
          #expect(try connection.transactionState() == .none)
        }
      }
    }
  }

  @Test func `a scoped transaction inside an explicit one opens a savepoint`() throws {
    try connection.begin()
    try connection.transaction { _, _ in try insert(1) }
    #expect(!connection.isInAutocommit)
    try connection.rollback()
    #expect(try rows == [])
  }

  @Test(arguments: [TransactionCommand.commit, .rollback])
  func `a savepoint outside a transaction leaves no transaction open`(_ command: TransactionCommand)
    throws
  {
    try connection.savepoint("s") { _, chosen in
      #expect(!connection.isInAutocommit)
      try insert(1)
      chosen = command
    }
    #expect(connection.isInAutocommit)
    #expect(try connection.transactionState() == .none)
    #expect(try rows == (command == .commit ? [1] : []))
  }

  @Test func `a failed savepoint leaves nothing open`() throws {
    #expect(throws: ForeignError()) {
      try connection.savepoint("s") { _, _ in
        try insert(1)
        throw ForeignError()
      }
    }
    #expect(connection.isInAutocommit)
    #expect(try rows == [])
    #expect(failure { try connection.execute(sql: "RELEASE s") }?.code == .error)
  }

  @Test func `rolling back a savepoint inside a transaction removes the savepoint`() throws {
    try connection.transaction { _, _ in
      try connection.savepoint("s") { _, command in command = .rollback }
      #expect(
        failure { try connection.execute(sql: "RELEASE s") }?.message == "no such savepoint: s")
      try insert(1)
    }
    #expect(try rows == [1])
  }

  @Test(arguments: ["it's", "a\"b", "\"", "", " ", "a;b", "--", "select", "ünï☃", "a]b`c"])
  func `a savepoint can have any name`(_ name: String) throws {
    for command in TransactionCommand.allCases {
      let isolated = try connection.savepoint(name) { _, chosen in
        try insert(1)
        chosen = command
      }
      #expect(isolated.command == command)
      #expect(connection.isInAutocommit)
      try connection.transaction { _, _ in
        try connection.savepoint(name) { _, chosen in
          try insert(2)
          chosen = command
        }
        #expect(!connection.isInAutocommit)
      }
    }
    #expect(try rows == [1, 2])
  }

  @Test func `a savepoint name with a NUL throws before the body runs`() {
    var didRun = false
    let error = failure { try connection.savepoint("a\0b") { _, _ in didRun = true } }
    #expect(error?.code == .misuse)
    #expect(!didRun)
    #expect(connection.isInAutocommit)
  }

  @Test func `nested savepoints can share a name`() throws {
    try connection.savepoint("s") { _, _ in
      try insert(1)
      try connection.savepoint("s") { _, command in
        try insert(2)
        try connection.savepoint("s") { _, _ in try insert(3) }
        command = .rollback
      }
      try insert(4)
    }
    #expect(try rows == [1, 4])
    #expect(connection.isInAutocommit)
  }

  @Test func `a body that ends the transaction of its own savepoint cannot run further statements`()
    throws
  {
    let error = failure {
      try connection.savepoint { _, _ in
        try connection.execute(sql: "COMMIT")
        #expect(failure { try insert(1) }?.code == .misuse)
      }
    }
    #expect(error?.code == .misuse)
    #expect(connection.isInAutocommit)
    #expect(try rows == [])
  }

  @Test
  func `releasing a nested scope's savepoint by its internal name rolls back the transaction`()
    throws
  {
    let ended =
      "The savepoint was ended inside its body by SQL that released or rolled back an outer one"
    let error = failure {
      try connection.transaction { _, _ in
        try insert(1)
        _ = failure {
          try connection.savepoint { _, _ in
            try insert(2)
            try connection.execute(sql: "RELEASE \"sluice 1\"")
          }
        }
        #expect(failure { try insert(3) }?.message == ended)
      }
    }
    #expect(error?.message == ended)
    #expect(connection.isInAutocommit)
    #expect(try rows == [])
  }
}
