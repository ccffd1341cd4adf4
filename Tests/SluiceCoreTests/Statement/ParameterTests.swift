import SluiceCore
import TestSupport
import Testing

@Suite struct ParameterTests {
  let db: Connection
  init() throws { db = try Connection() }

  @Test func `parameter names are listed by number and include their prefix`() throws {
    let statement = try db.prepare(sql: "SELECT ?, :a, @b, $c, ?7, :a, ?")
    #expect(statement.parameterCount == 8)
    #expect(statement.parameterNames == [nil, ":a", "@b", "$c", nil, nil, "?7", nil])
    #expect(try db.prepare(sql: "SELECT 1").parameterCount == 0)
    #expect(try db.prepare(sql: "SELECT 1").parameterNames == [])
  }

  @Test(arguments: ["b", ":b", "", ":", "aa", "\u{e1}", "a ", "a\0", ":a\0", "?1", "1"])
  func `binding a value to an unknown parameter name throws`(name: String) throws {
    let statement = try db.prepare(sql: "SELECT :a")
    #expect(failure { try statement.bind(1, toParameter: name) }?.code == .range)
    #expect(failure { try statement.bind([name: 1]) }?.code == .range)
    let dictionary = SQLParameters([name: 1] as [String: Int])
    #expect(failure { try statement.bind(dictionary) }?.code == .range)
    #expect(failure { try db.execute(sql: "SELECT :a", parameters: [name: 1]) }?.code == .range)
  }

  @Test func `the error for an unknown name contains the name and the SQL but no value`() throws {
    let error = failure {
      try db.execute(sql: "SELECT :a", parameters: ["nobody": "secret"])
    }
    #expect(error?.message.contains("nobody") == true)
    #expect(error?.sql == "SELECT :a")
    #expect(error.map { "\($0)".contains("secret") } == false)
  }

  @Test func `a numbered parameter can be bound by its name with the question mark`() throws {
    let statement = try db.prepare(sql: "SELECT ?1")
    #expect(try statement.bind(5, toParameter: "?1").first(.column(.int)) == 5)
  }

  @Test func `a name without a prefix throws if several parameters share it`() throws {
    let statement = try db.prepare(sql: "SELECT :a, @a, $a")
    #expect(failure { try statement.bind(1, toParameter: "a") }?.code == .misuse)
    try statement.bind([":a": 1, "@a": 2, "$a": 3])
    #expect(try statement.rows()[0].values == [1, 2, 3])
  }

  @Test(arguments: [1, 64, 65, 200])
  func `binding a parameter under two names throws in each form and order`(_ number: Int) throws {
    let names = (1...number).map { ":p\($0)" }
    let statement = try db.prepare(sql: "SELECT \(names.joined(separator: ", "))")
    var parameters: [String: SQLParameter] = Dictionary(
      uniqueKeysWithValues: names.map { ($0, 1) })
    #expect(try statement.bind(SQLParameters(parameters)).rows().count == 1)
    parameters["p\(number)"] = 2
    let name = ":p\(number)"
    let bare = "p\(number)"
    let errors = [
      failure { try statement.bind(SQLParameters(parameters)) },
      failure { try statement.bind([name: 1, bare: 2]) },
      failure { try statement.bind([bare: 1, name: 2]) },
      failure { try statement.bind(SQLParameters([name: 1, name: 2] as KeyValuePairs)) },
      failure { try db.execute(sql: statement.sql, parameters: SQLParameters(parameters)) },
      failure { try db.query(.values, sql: statement.sql, parameters: SQLParameters(parameters)) },
    ]
    #expect(errors.map { $0?.code } == errors.map { _ in .misuse })
    #expect(
      errors[1]?.message == "Parameter \(number) has two values, the second one for \"\(bare)\"")
    // The statement must not run with either value.
    #expect(failure { try statement.execute() }?.code == .range)
  }

  @Test(arguments: [0, 3] + impossibleIndexes)
  func `binding a value to an unknown parameter number throws`(index: Int) throws {
    let statement = try db.prepare(sql: "SELECT ?, ?")
    let error = failure { try statement.bind(1, toParameter: index) }
    #expect(error?.code == .range)
    #expect(error?.code.rawValue == 25)
    #expect(error?.sql == "SELECT ?, ?")
    #expect(failure { try db.prepare(sql: "SELECT 1").bind(1, toParameter: index) }?.code == .range)
  }

  @Test func `binding too many values throws`() throws {
    let statement = try db.prepare(sql: "SELECT ?")
    #expect(failure { try statement.bind(1, 2) }?.code == .range)
    #expect(failure { try statement.bind([1, 2, 3]) }?.code == .range)
    #expect(failure { try db.prepare(sql: "SELECT 1").bind(1) }?.code == .range)
    #expect(failure { try db.execute(sql: "SELECT ?", parameters: 1, 2) }?.code == .range)
  }

  @Test func `running a statement with too few values throws`() throws {
    let statement = try db.prepare(sql: "SELECT ?, :b")
    try statement.bind(1)
    let failures = [
      failure { try statement.execute() },
      failure { try statement.step() },
      failure { try statement.rows() },
      failure { try statement.first(.values) },
      failure { try statement.forEachRow { _ in } },
      failure { try db.execute(sql: statement.sql, parameters: 1) },
      failure { try db.execute(sql: statement.sql) },
      failure { try db.query(.values, sql: statement.sql) },
    ]
    #expect(failures.map { $0?.code } == failures.map { _ in .range })
    #expect(failures.map { $0?.message.contains("2 (:b)") }.dropLast(2).allSatisfy { $0 == true })
    try statement.bind(2, toParameter: "b")
    #expect(try statement.rows()[0].values == [1, 2])
  }

  @Test(arguments: [1, 2, 63, 64, 65, 66, 128, 1000, 32766])
  func `a statement with many parameters throws if any of them has no value`(count: Int) throws {
    let marks = Array(repeating: "?", count: count).joined(separator: "),(")
    let statement = try db.prepare(sql: "SELECT count(*), max(column1) FROM (VALUES (\(marks)))")
    for missing in Set([1, count / 2, count - 1, count]) where missing >= 1 {
      try statement.clearBindings()
      for index in 1...count where index != missing { try statement.bind(1, toParameter: index) }
      let error = failure { try statement.execute() }
      #expect(error?.code == .range)
      #expect(error?.message.contains("Parameter \(missing) ") == true)
      try statement.bind(2, toParameter: missing)
      #expect(try statement.rows()[0].values == [.integer(Int64(count)), 2])
    }
  }
}
