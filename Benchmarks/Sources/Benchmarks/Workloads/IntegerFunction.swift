import CTwins
import Sluice

/// Workload 8a: calls a function of an integer, which reads its argument from SQLite's values.
struct IntegerFunction: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.rows(count))
    try connection.addFunction("increment", arity: 1) { values in
      .integer(try values.get(at: 0) &+ 1)
    }
    c = try unsafe Twin(twin_integer_function, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 {
    try connection.first(.column(.int64), sql: "SELECT sum(increment(id)) FROM sample") ?? 0
  }
}

/// Workload 8a: calls a function of an integer, which receives its argument as a Swift type.
struct TypedIntegerFunction: Workload {
  let c: Twin
  private let connection: Connection

  init(count: Int) throws {
    connection = try Connection(sql: Sample.rows(count))
    try connection.addFunction("increment") { (value: Int64) in value &+ 1 }
    c = try unsafe Twin(twin_integer_function, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 {
    try connection.first(.column(.int64), sql: "SELECT sum(increment(id)) FROM sample") ?? 0
  }
}
