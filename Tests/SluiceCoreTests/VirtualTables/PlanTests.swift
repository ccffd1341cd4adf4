import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.virtualTables), .inEachThreadingMode) struct `query plans of virtual tables` {
  /// A table that passes each query and filter to closures of a test.
  private final class Planned: VirtualTable {
    let schema = VirtualTableSchema(
      sql: "CREATE TABLE x(a, b TEXT COLLATE NOCASE, c, h HIDDEN)")
    let plan: (borrowing VirtualTableQuery) throws -> VirtualTablePlan?
    let filter: (borrowing VirtualTableFilter) throws -> Void

    init(
      _ plan: @escaping (borrowing VirtualTableQuery) throws -> VirtualTablePlan?,
      _ filter: @escaping (borrowing VirtualTableFilter) throws -> Void
    ) {
      self.plan = plan
      self.filter = filter
    }

    func plan(_ query: borrowing VirtualTableQuery) throws -> VirtualTablePlan? { try plan(query) }
    func cursor() -> Cursor { Cursor(filter) }
    func function(_ name: String, arity: Int) -> VirtualTableFunction? {
      guard name == "near" else { return nil }
      // The number is in the valid range, so the initializer does not throw.
      return try? VirtualTableFunction(constraint: 151) { values in
        .integer(try values.get(Int.self, at: 0) == values.get(Int.self, at: 1) ? 1 : 0)
      }
    }

    final class Cursor: VirtualTableCursor {
      private let note: (borrowing VirtualTableFilter) throws -> Void
      private var position = 0
      init(_ note: @escaping (borrowing VirtualTableFilter) throws -> Void) { self.note = note }
      func filter(_ filter: borrowing VirtualTableFilter) throws {
        try note(filter)
        position = 1
      }
      func next() { position += 1 }
      var isAtEnd: Bool { position > 3 }
      func column(_ index: Int) -> DatabaseValue { .integer(Int64(position)) }
      var rowid: Int64 { Int64(position) }
    }
  }

  private func connection(
    _ plan: @escaping (borrowing VirtualTableQuery) throws -> VirtualTablePlan?,
    _ filter: @escaping (borrowing VirtualTableFilter) throws -> Void = { _ in }
  ) throws -> Connection {
    let connection = try Connection.inTestedMode()
    try connection.addModule("planned", as: .eponymousOnly) { _ in Planned(plan, filter) }
    try connection.addOverloadableFunction("near", arity: 2)
    try connection.addFunction("regexp", arity: 2) { _ in 1 }
    return connection
  }

  static let operations: [(String, VirtualTableConstraint.Operation, Int?)] = [
    ("a = 1", .equal, 0), ("a > 1", .greater, 0), ("a <= 1", .lessOrEqual, 0), ("a < 1", .less, 0),
    ("a >= 1", .greaterOrEqual, 0), ("a <> 1", .notEqual, 0), ("b LIKE 'x%'", .like, 1),
    ("b GLOB 'x*'", .glob, 1), ("a IS 1", .is, 0), ("a IS NOT 1", .isNot, 0),
    ("a IS NULL", .isNull, 0), ("a IS NOT NULL", .isNotNull, 0), ("rowid = 1", .equal, nil),
    ("near(c, 1)", .function(151), 2), ("a IN (1, 2)", .equal, 0), ("c MATCH 1", .match, 2),
    ("c REGEXP 1", .regexp, 2),
  ]

  @Test(arguments: operations)
  func `the plan method receives a constraint with the operation and column of each condition`(
    _ condition: String, _ operation: VirtualTableConstraint.Operation, _ column: Int?
  ) throws {
    var seen: [VirtualTableConstraint] = []
    let connection = try connection { query in
      seen += query.constraints
      return VirtualTablePlan()
    }
    _ = failure { try connection.column("SELECT a FROM planned WHERE \(condition)") }
    #expect(seen.contains { $0.operation == operation && $0.column == column && $0.isUsable })
  }

  @Test func `a plan can receive LIMIT and OFFSET as arguments`() throws {
    var seen: [DatabaseValue] = []
    var asked: [VirtualTableConstraint.Operation] = []
    let connection = try connection { query in
      var plan = VirtualTablePlan(number: 7, text: "with limits")
      asked = []
      for constraint in query.constraints where [.limit, .offset].contains(constraint.operation) {
        #expect(constraint.column == nil)
        plan.use(constraint)
        asked.append(constraint.operation)
      }
      return plan
    } _: { filter in
      #expect(filter.number == 7)
      #expect(filter.text == "with limits")
      seen = try filter.arguments.map { $0 }
    }
    #expect(try connection.integers("SELECT a FROM planned LIMIT 2") == [1, 2])
    #expect(seen == [2])
    _ = try connection.integers("SELECT a FROM planned LIMIT 2 OFFSET 1")
    // The order of the two constraints depends on the version of SQLite.
    #expect(asked.count == 2 && seen == (asked.first == .limit ? [2, 1] : [1, 2]))
  }

  @Test func `a plan can request the values of IN all at once or one at a time`() throws {
    for takesAll in [true, false] {
      var lists: [[DatabaseValue]] = []
      var calls = 0
      let connection = try connection { query in
        var plan = VirtualTablePlan(estimatedCost: 1)
        for constraint in query.constraints where constraint.isUsable {
          let isList = try query.takesAll(constraint)
          #expect(isList == true)
          plan.use(constraint, takesAll: takesAll)
        }
        return plan
      } _: { filter in
        calls += 1
        if takesAll { lists.append(try filter.list(at: 0)) }
      }
      #expect(
        try connection.integers("SELECT a FROM planned WHERE a IN (3, 1, 'x') ORDER BY 1") == [
          1, 3,
        ])
      #expect(calls == (takesAll ? 1 : 3))
      if takesAll { #expect(Set(try #require(lists.first)) == [1, 3, "x"]) }
    }
    let connection = try connection { query in
      var plan = VirtualTablePlan()
      for constraint in query.constraints {
        let isList = try query.takesAll(constraint)
        #expect(isList == false)
        plan.use(constraint)
      }
      return plan
    } _: { filter in
      #expect(failure { try filter.list(at: 0) } != nil)
      #expect(failure { try filter.list(at: 9) }?.code == .range)
    }
    #expect(try connection.integers("SELECT a FROM planned WHERE a = 2") == [2])
  }

  @Test func `the plan method can read the value of a literal, but not of a parameter`() throws {
    var values: [DatabaseValue?] = []
    let connection = try connection { query in
      for constraint in query.constraints { values.append(try query.value(of: constraint)) }
      return VirtualTablePlan()
    }
    _ = try connection.column("SELECT a FROM planned WHERE a = 'x'")
    #expect(values.allSatisfy { $0 == .some("x") } && !values.isEmpty)
    values = []
    _ = try connection.query(.values, sql: "SELECT a FROM planned WHERE a = ?", parameters: 1)
    #expect(values.allSatisfy { $0 == DatabaseValue?.none } && !values.isEmpty)
  }

  @Test func `the plan method can read the collation of a constraint`() throws {
    var names: [String] = []
    let connection = try connection { query in
      for constraint in query.constraints { names.append(try query.collation(of: constraint)) }
      return VirtualTablePlan()
    }
    for (condition, name) in [
      ("a = 'x'", "BINARY"), ("b = 'x'", "NOCASE"), ("b = 'x' COLLATE rtrim", "RTRIM"),
    ] {
      names = []
      _ = try connection.column("SELECT a FROM planned WHERE \(condition)")
      #expect(Set(names.map { $0.uppercased() }) == [name])
    }
  }

  @Test func `the plan method can read the requested order and the columns that the query uses`()
    throws
  {
    var orders: [([VirtualTableQuery.OrderTerm], VirtualTableQuery.Ordering)] = []
    var used: Set<Int> = []
    let connection = try connection { query in
      orders.append((query.order, query.ordering))
      used = Set((-1...99).filter { query.uses(column: $0) })
      return VirtualTablePlan()
    }
    for (sql, ordering) in [
      ("SELECT a FROM planned ORDER BY b DESC, rowid", VirtualTableQuery.Ordering.sorted),
      ("SELECT a, count(*) FROM planned GROUP BY a", .grouped),
      ("SELECT DISTINCT a FROM planned", .distinct),
      ("SELECT DISTINCT a FROM planned ORDER BY a", .sortedDistinct),
    ] {
      orders = []
      _ = try connection.query(.values, sql: sql)
      #expect(orders.contains { $0.1 == ordering }, "\(sql)")
      if ordering == .sorted {
        #expect(used == [0, 1])
        #expect(orders.last?.0.map(\.column) == [1, nil])
        #expect(orders.last?.0.map(\.isDescending) == [true, false])
      }
    }
  }

  @Test func `a query of a virtual table that returns an invalid plan throws`() throws {
    typealias Make = (borrowing VirtualTableQuery) throws -> VirtualTablePlan?
    var other: VirtualTableConstraint?
    let makers: [(Make, ResultCode)] = [
      ({ _ in VirtualTablePlan(number: 1 << 31) }, .range),
      ({ _ in VirtualTablePlan(text: "a\0b") }, .misuse),
      (
        { query in
          other = query.constraints.first
          var plan = VirtualTablePlan()
          for _ in 0..<2 { plan.use(query.constraints[0]) }
          return plan
        }, .misuse
      ),
      (
        { query in
          var plan = VirtualTablePlan()
          plan.use(query.constraints[0], takesAll: true)
          return plan
        }, .misuse
      ),
      ({ _ in nil }, .error),
    ]
    for (make, code) in makers {
      let connection = try connection(make)
      let error = failure { try connection.column("SELECT a FROM planned WHERE a = 1") }
      #expect(error?.code == code)
    }
    let foreign = try #require(other)
    let connection = try connection { query in
      #expect(failure { try query.value(of: foreign) }?.code == .misuse)
      #expect(failure { try query.collation(of: foreign) }?.code == .misuse)
      #expect(failure { try query.takesAll(foreign) }?.code == .misuse)
      return VirtualTablePlan()
    }
    #expect(try connection.integers("SELECT a FROM planned") == [1, 2, 3])
  }

  @Test func `a plan that uses an unusable constraint throws`() throws {
    let connection = try connection { query in
      var plan = VirtualTablePlan()
      for constraint in query.constraints { plan.use(constraint) }
      return plan
    }
    let error = failure {
      try connection.column("SELECT x.a FROM planned AS x, planned AS y WHERE x.a = y.a")
    }
    #expect(error?.code == .misuse)
  }

  @Test func `a plan passes its text to the cursor on each run of a statement`() throws {
    var texts: [String] = []
    let connection = try connection { query in
      VirtualTablePlan(text: "kept", estimatedCost: .nan, estimatedRows: -1)
    } _: {
      texts.append($0.text)
    }
    let statement = try connection.prepare(sql: "SELECT a FROM planned")
    for _ in 0..<3 { #expect(try statement.rows().count == 3) }
    #expect(texts == ["kept", "kept", "kept"])
    let plan = try connection.queryPlan(sql: "SELECT a FROM planned")
    #expect(plan.description.contains("kept"))
  }
}
