import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `function options` {
  let connection: Connection
  let tally = Tally()

  init() throws {
    connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
  }

  private func add(_ options: FunctionOptions, to connection: Connection? = nil) throws {
    try (connection ?? self.connection).addFunction("f", arity: 1, options: options) {
      [tally] values in
      tally.count += 1
      return try values[0]
    }
  }

  @Test func `a function is not deterministic by default and is called for every row`() throws {
    try add([])
    #expect(try connection.integers("SELECT f(7) FROM t") == [7, 7, 7])
    #expect(tally.count == 3)
  }

  @Test func `a deterministic function with a constant argument is called once`() throws {
    try add(.deterministic)
    #expect(try connection.integers("SELECT f(7) FROM t") == [7, 7, 7])
    #expect(tally.count == 1)
  }

  @Test func `a typed function is not deterministic by default`() throws {
    try connection.addFunction("g") { [tally] in
      tally.count += 1
      return tally.count
    }
    #expect(try connection.integers("SELECT g() FROM t") == [1, 2, 3])
    try connection.addFunction("h", options: .deterministic) { [tally] in
      tally.count += 1
      return 0
    }
    #expect(try connection.integers("SELECT h() FROM t") == [0, 0, 0])
    #expect(tally.count == 4)
  }

  @Test func `an index can use only a deterministic function`() throws {
    try add(.innocuous)
    let error = failure { try connection.execute(sql: "CREATE INDEX i ON t(f(a))") }
    #expect(error?.message == "non-deterministic functions prohibited in index expressions")
    try add([.innocuous, .deterministic])
    try connection.execute(sql: "CREATE INDEX i ON t(f(a))")
    #expect(tally.count == 3)
    #expect(try connection.integers("SELECT a FROM t WHERE f(a) = 2") == [2])
  }

  static let uses = [
    "CREATE VIEW v AS SELECT f(a) FROM t; SELECT * FROM v",
    """
    CREATE TRIGGER tr AFTER INSERT ON t BEGIN UPDATE t SET a = f(a); END;
    INSERT INTO t VALUES (4)
    """,
    "CREATE INDEX i ON t(f(a)); INSERT INTO t VALUES (4)",
    "CREATE INDEX i ON t(a) WHERE f(a) > 1; INSERT INTO t VALUES (4)",
    "CREATE TABLE g(a, b AS (f(a))); INSERT INTO g VALUES (1); SELECT b FROM g",
    "CREATE TABLE g(a CHECK (f(a) > 0)); INSERT INTO g VALUES (1)",
    "CREATE TABLE g(a, b DEFAULT (f(1))); INSERT INTO g(a) VALUES (1)",
  ]

  @Test(arguments: uses)
  func `a schema can call only functions whose options allow use in a schema`(_ sql: String) throws
  {
    let cases: [(FunctionOptions, whereTrusted: Bool, whereNot: Bool)] = [
      ([], false, false), (.usableInSchema, true, false), (.innocuous, true, true),
      ([.innocuous, .usableInSchema], true, true),
    ]
    for (options, whereTrusted, whereNot) in cases {
      for isTrusted in [true, false] {
        var configuration = Configuration()
        configuration.trustedSchema = isTrusted
        let connection = try Connection(configuration: configuration)
        try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
        try add([options, .deterministic], to: connection)
        tally.count = 0
        let error = failure { try connection.execute(sql: sql) }
        if isTrusted ? whereTrusted : whereNot {
          #expect(error == nil)
          #expect(tally.count > 0)
        } else {
          #expect(error?.code == .authorization)
          // The message says how to allow the function.
          #expect(error?.message.hasPrefix("unsafe use of f(): a schema can use only") == true)
          #expect(tally.count == 0)
        }
      }
    }
  }

  @Test func `a temporary view or trigger can call any function`() throws {
    try add([])
    try connection.execute(
      sql: """
        CREATE TEMP VIEW v AS SELECT f(a) AS a FROM t;
        CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN UPDATE t SET a = f(9) WHERE a = 4; END;
        INSERT INTO t VALUES (4)
        """)
    #expect(try connection.integers("SELECT a FROM v") == [1, 2, 3, 9])
  }

  @Test func `an index that calls a disallowed function is named in the error`() throws {
    let folder = try TestFolder()
    let maker = try Connection(path: folder.file())
    try add([.deterministic, .innocuous], to: maker)
    try maker.execute(sql: "CREATE TABLE t(a); CREATE INDEX by_f ON t(f(a))")
    try maker.close()
    var configuration = Configuration()
    configuration.prepareConnection { connection in
      try connection.addFunction("f", arity: 1, options: .deterministic) { try $0[0] }
    }
    let error = failure {
      try Connection(path: folder.file(), configuration: configuration).value("SELECT 1 FROM t")
    }
    #expect(error?.code == .authorization)
    #expect(error?.message.hasPrefix("unsafe use of f() by \"by_f\": a schema can use") == true)
  }

  @Test func `a view can call only aggregates whose options allow use in a schema`() throws {
    try connection.addAggregateFunction("isum", arity: 1) { IntegerSum() }
    try connection.execute(sql: "CREATE VIEW v AS SELECT isum(a) FROM t")
    let error = failure { try connection.value("SELECT * FROM v") }
    #expect(error?.message.hasPrefix("unsafe use of isum()") == true)
    try connection.addAggregateFunction("isum", arity: 1, options: .innocuous) { IntegerSum() }
    #expect(try connection.value("SELECT * FROM v") == 6)
  }
}
