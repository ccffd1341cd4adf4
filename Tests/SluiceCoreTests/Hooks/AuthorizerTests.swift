import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.hooks), .inEachThreadingMode) struct `authorizers` {
  let db: Connection
  let notes = Notes()

  init() throws {
    db = try Connection.inTestedMode()
    try db.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)")
  }

  @Test func `preparing a statement with a denied action throws`() throws {
    try db.authorize { request in
      switch request.action {
      case .select, .read, .function: .allow
      default: .deny
      }
    }
    #expect(try db.integers("SELECT abs(a) FROM t") == [1])
    let error = failure { try db.prepare(sql: "DELETE FROM t") }
    #expect(error?.code == .authorization)
    #expect(error?.message == "not authorized")
    #expect(failure { try db.transaction { _, _ in } }?.code == .authorization)
    #expect(db.isInAutocommit)
  }

  @Test func `an error thrown by an authorizer is rethrown by the statement`() throws {
    try db.authorize { request in
      if case .read("t", "b") = request.action { throw ForeignError("b is secret") }
      return .allow
    }
    #expect(throws: ForeignError("b is secret")) { try db.integers("SELECT b FROM t") }
    #expect(try db.integers("SELECT a FROM t") == [1])
  }

  private static func cancelOneOfTwo(_ db: Connection) throws {
    let other = try db.authorize { _ in .allow }
    let token = try db.authorize { request in
      if case .read(_, "b") = request.action { .ignore } else { .allow }
    }
    let statement = try db.prepare(sql: "SELECT b FROM t")
    let cached = "SELECT b FROM t LIMIT 1"
    #expect(try statement.rows().map(\.values) == [[.null]])
    #expect(try db.query(.values, sql: cached).map(\.values) == [[.null]])
    token.cancel()
    #expect(try statement.rows().map(\.values) == [[2]])
    #expect(try db.query(.values, sql: cached).map(\.values) == [[2]])
    other.cancel()
    #expect(try statement.rows().map(\.values) == [[2]])
  }

  @Test func `statements are re-prepared after one of several authorizers is cancelled`() throws {
    try Self.cancelOneOfTwo(db)
    let observed = try Observed(
      "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)", "SELECT a FROM t")
    try observed.queue.sync { db in try Self.cancelOneOfTwo(db) }
  }

  @Test func `an ignored column reads as NULL until the authorizer is cancelled`() throws {
    let kept = try db.prepare(sql: "SELECT a, b FROM t")
    func values() throws -> [DatabaseValue] {
      try [
        db.value("SELECT b FROM t"), #require(try kept.first(.columns(.value, .value))).1,
      ]
    }
    #expect(try values() == [2, 2])
    let token = try db.authorize { request in
      if case .read(_, "b") = request.action { .ignore } else { .allow }
    }
    #expect(try values() == [.null, .null])
    token.cancel()
    #expect(try values() == [2, 2])
  }

  @Test func `the strictest of several authorizers decides`() throws {
    let decisions: [Authorization] = [.allow, .ignore, .deny]
    for first in decisions {
      for second in decisions {
        let tokens = try [first, second].map { decision in
          try db.authorize { request in
            if case .read(_, "b") = request.action { decision } else { .allow }
          }
        }
        let result = Result { try db.value("SELECT b FROM t") }
        switch (first, second) {
        case (.deny, _), (_, .deny): #expect(throws: SQLiteError.self) { try result.get() }
        case (.allow, .allow): #expect(try result.get() == 2)
        default: #expect(try result.get() == .null)
        }
        for token in tokens { token.cancel() }
      }
    }
  }

  @Test func `an authorizer receives each action with its arguments`() throws {
    try db.execute(sql: "CREATE VIEW v AS SELECT a FROM t")
    try db.authorize { [notes] request in
      notes.add("\(request.action) \(request.schema ?? "-") \(request.source ?? "-")")
      return .allow
    }
    func actions(_ sql: String) throws -> [String] {
      _ = notes.read()
      _ = try db.prepare(sql: sql)
      return notes.read()
    }
    #expect(
      try actions("SELECT a FROM v").contains(#"read(table: "t", column: "a") main v"#))
    #expect(
      try actions("UPDATE t SET b = 1").contains(#"update(table: "t", column: "b") main -"#))
    #expect(try actions("SAVEPOINT s") == [#"savepoint(operation: "BEGIN", name: "s") - -"#])
    #expect(try actions("ROLLBACK") == [#"transaction(operation: "ROLLBACK") - -"#])
    #expect(
      try actions("PRAGMA cache_size") == [#"pragma(name: "cache_size", value: nil) - -"#])
    #expect(try actions("ATTACH 'x' AS y") == [#"attach(file: Optional("x")) - -"#])
    #expect(try actions("ATTACH ? AS y") == ["attach(file: nil) - -"])
    #expect(try actions("SELECT abs(1)").contains(#"function(name: "abs") - -"#))
    #expect(
      try actions("CREATE TEMP TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END").contains(
        #"createTemporaryTrigger(name: "r", table: "t") temp -"#))
    #expect(
      try actions("DROP TABLE t").contains(#"dropTable(name: "t") main -"#))
    #expect(
      try actions("ALTER TABLE t ADD COLUMN c").contains(
        #"alterTable(schema: "main", table: "t") - -"#))
  }

  @Test func `a failed transaction is rolled back even if the authorizer denies transactions`()
    throws
  {
    let error = failure {
      try db.transaction { db, _ in
        try db.execute(sql: "INSERT INTO t VALUES (3, 4)")
        try db.authorize { request in
          if case .transaction = request.action { .deny } else { .allow }
        }
      }
    }
    #expect(error?.code == .authorization)
    #expect(db.isInAutocommit)
    #expect(try db.integers("SELECT a FROM t") == [1])
  }
}
