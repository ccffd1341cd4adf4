import CTwins
import Sluice

/// Workload 8c: calls an aggregate over integers.
struct Aggregate: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.rows(count))
    try connection.addAggregateFunction("integer_sum", arity: 1) { IntegerSum() }
    c = try unsafe Twin(twin_aggregate, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 {
    try connection.first(.column(.int64), sql: "SELECT integer_sum(id) FROM sample") ?? 0
  }
}

private final class IntegerSum: SQLAggregateFunction {
  private var sum: Int64 = 0
  func step(_ values: borrowing SQLFunctionArguments) throws { sum &+= try values.get(at: 0) }
  func final() throws -> DatabaseValue { .integer(sum) }
}
