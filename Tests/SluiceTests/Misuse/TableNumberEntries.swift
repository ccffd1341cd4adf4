import Sluice

extension NumberMatrix {
  /// Members that concern virtual tables in Swift.
  ///
  /// Most entries exercise them by running SQL on the connection.
  static let tables: [NumberEntry<Connection>] = [
    NumberEntry("ValueDemand.max(_:)", refusal: none) { connection, number in
      let demand = ValueDemand.max(number) + .max(number)
      guard demand.count ?? 0 >= 0 else { throw SQLiteError(.range, "It is less than none") }
    },
    NumberEntry("Connection.addOverloadableFunction(_:arity:)", refusal: arity) {
      try $0.addOverloadableFunction("f", arity: $1)
    },
    NumberEntry("VirtualTableFunction.init(constraint:_:)") { _, number in
      try VirtualTableFunction(constraint: number) { _ in 1 }
    },
    NumberEntry("VirtualTablePlan.number", refusal: plan) { connection, number in
      var plan = VirtualTablePlan()
      plan.number = number
      try use(connection, Numbered { _ in plan })
    },
    NumberEntry(
      "VirtualTablePlan.init(number:text:estimatedCost:estimatedRows:)", refusal: plan
    ) { connection, number in
      try use(
        connection,
        Numbered { _ in
          VirtualTablePlan(number: number, estimatedCost: Double(number), estimatedRows: number)
        })
    },
    NumberEntry("VirtualTablePlan.estimatedCost", refusal: none) { connection, number in
      var plan = VirtualTablePlan()
      plan.estimatedCost = Double(number)
      try use(connection, Numbered { _ in plan })
    },
    NumberEntry("VirtualTablePlan.estimatedRows", refusal: none) { connection, number in
      var plan = VirtualTablePlan()
      plan.estimatedRows = number
      try use(connection, Numbered { _ in plan })
    },
    NumberEntry("VirtualTableQuery.uses(column:)", refusal: none) { connection, number in
      try use(
        connection,
        Numbered { query in
          _ = query.uses(column: number)
          return VirtualTablePlan()
        })
    },
    NumberEntry("VirtualTableFilter.list(at:)") { connection, number in
      try use(connection, Numbered(filter: { _ = try $0.list(at: number) }))
    },
    NumberEntry("VirtualTableRow.isUnchanged(at:)") { connection, number in
      try use(connection, Numbered(row: { _ = try $0.isUnchanged(at: number) }))
    },
  ]

  /// The number of a plan must fit into 32 bits.
  private static let plan: @Sendable (Int) -> ResultCode? = {
    Int32(exactly: $0) == nil ? .range : nil
  }

  private static func use(_ connection: Connection, _ table: Numbered) throws {
    try connection.addModule("numbered", as: .eponymousOnly) { _ in table }
    try connection.execute(
      sql: "SELECT a FROM numbered WHERE a = 1; INSERT INTO numbered VALUES (1)")
  }

  /// An empty table that passes the values that it borrows to an entry.
  private final class Numbered: WritableVirtualTable {
    typealias Plan = (borrowing VirtualTableQuery) -> VirtualTablePlan
    typealias Filter = (borrowing VirtualTableFilter) throws -> Void
    typealias Row = (borrowing VirtualTableRow) throws -> Void

    let schema: VirtualTableSchema = ["a"]
    private let planned: Plan
    private let filter: Filter
    private let row: Row

    init(
      plan: @escaping Plan = { _ in VirtualTablePlan() }, filter: @escaping Filter = { _ in },
      row: @escaping Row = { _ in }
    ) {
      planned = plan
      self.filter = filter
      self.row = row
    }

    convenience init(_ plan: @escaping Plan) { self.init(plan: plan) }

    func plan(_ query: borrowing VirtualTableQuery) -> VirtualTablePlan? { planned(query) }
    func cursor() -> Cursor { Cursor(filter) }
    func insert(_ row: borrowing VirtualTableRow, key: Int64?) throws -> Int64 {
      try self.row(row)
      return 1
    }
    func update(_ key: Int64, to row: borrowing VirtualTableRow, newKey: Int64) {}
    func delete(_ key: Int64) {}

    final class Cursor: VirtualTableCursor {
      private let use: Filter
      init(_ use: @escaping Filter) { self.use = use }
      func filter(_ filter: borrowing VirtualTableFilter) throws { try use(filter) }
      func next() {}
      var isAtEnd: Bool { true }
      func column(_ index: Int) -> DatabaseValue { .null }
      var rowid: Int64 { 0 }
    }
  }
}
