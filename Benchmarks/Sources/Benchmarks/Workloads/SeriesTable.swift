import CTwins
import Sluice

/// Workload vtab: reads the numbers from start to stop from a specialized virtual table.
struct SeriesTable: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.rows(count))
    try connection.addModule("series", as: .eponymousOnly) { _ in Series() }
    c = try unsafe Twin(twin_series, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 { try sum(of: connection) }
}

/// Workload vtab: reads the numbers from start to stop from a table-valued function that returns a sequence.
struct SeriesFunction: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.rows(count))
    try connection.addTableFunction("series", columns: ["value"], parameters: ["start", "stop"]) {
      (start: Int64, stop: Int64) in start...max(start, stop)
    }
    c = try unsafe Twin(twin_series, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 { try sum(of: connection) }
}

private func sum(of connection: Connection) throws -> Int64 {
  try connection.first(
    .column(.int64), sql: "SELECT sum(value) FROM series(1, (SELECT max(id) FROM sample))") ?? 0
}

private final class Series: VirtualTable {
  let schema: VirtualTableSchema = ["value", .hidden("start"), .hidden("stop")]

  func plan(_ query: borrowing VirtualTableQuery) -> VirtualTablePlan? {
    var plan = VirtualTablePlan(estimatedCost: 1_000, estimatedRows: 1_000)
    for column in 1...2 {
      let given = query.constraints.first { $0.column == column && $0.operation == .equal }
      guard let given, given.isUsable else { return nil }
      plan.use(given, isEnforced: true)
    }
    return plan
  }

  func cursor() -> Cursor { Cursor() }

  final class Cursor: VirtualTableCursor {
    private var value: Int64 = 0
    private var start: Int64 = 0
    private var stop: Int64 = 0

    func filter(_ filter: borrowing VirtualTableFilter) throws {
      start = try filter.arguments.get(at: 0)
      stop = try filter.arguments.get(at: 1)
      value = start
    }
    func next() { value &+= 1 }
    var isAtEnd: Bool { value > stop }
    func column(_ index: Int) -> DatabaseValue {
      .integer(index == 0 ? value : index == 1 ? start : stop)
    }
    var rowid: Int64 { value }
  }
}
