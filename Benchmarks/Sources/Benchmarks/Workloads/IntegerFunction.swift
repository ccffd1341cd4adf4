import CTwins
import Sluice

/// 8a: a function from an integer to an integer, which is given its arguments as SQLite has them.
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

/// 8a: a function from an integer to an integer, which is given its argument by its type.
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
