import CTwins
import Sluice

/// Workloads 1, 1i and 5: inserts rows of an Int64, a Double and a String of 12 bytes, in one transaction.
struct Insert: Workload {
  let c: Twin
  private let connection: Connection
  private let count: Int
  private let insert: (Connection, Int) throws -> Void

  init(count: Int, _ insert: @escaping (Connection, Int) throws -> Void) throws {
    self.count = count
    self.insert = insert
    connection = try Connection(sql: Sample.table)
    c = try unsafe Twin(twin_insert, count: count, sql: Sample.table)
  }

  /// Inserts rows with three bound values.
  static func values(into connection: Connection, count: Int) throws {
    let label = "hello sluice"
    let statement = try connection.prepare(
      sql: "INSERT INTO sample(id, value, label) VALUES (?, ?, ?)")
    for id in 1...count {
      try statement.bind(.int(id), .double(Double(id) * 0.5), .string(label)).execute()
    }
  }

  /// Inserts each row by executing SQL into which its three values are interpolated.
  static func interpolated(into connection: Connection, count: Int) throws {
    let label = "hello sluice"
    for id in 1...count {
      try connection.execute(
        "INSERT INTO sample(id, value, label) VALUES (\(id), \(Double(id) * 0.5), \(label))")
    }
  }

  /// Inserts rows from `Encodable` structs.
  static func structs(into connection: Connection, count: Int) throws {
    let label = "hello sluice"
    let statement = try connection.prepare(
      sql: "INSERT INTO sample(id, value, label) VALUES (:id, :value, :label)")
    for id in 1...Int64(count) {
      let record = Record(id: id, value: Double(id) * 0.5, label: label)
      try statement.bind(encoding: record).execute()
    }
  }

  func sluice() throws -> Int64 {
    try connection.transaction { connection in
      try insert(connection, count)
      return connection.lastInsertRowid
    }
  }

  func check(_ side: Side) throws -> Int64 {
    switch side {
    case .c: try unsafe c.run(twin_inserted)
    case .sluice:
      try connection.first(
        .column(.int64), sql: "SELECT sum(id * length(label) + value * 2) FROM sample") ?? 0
    }
  }

  func reset() throws {
    try connection.execute(sql: "DELETE FROM sample")
    try c.execute(sql: "DELETE FROM sample")
  }
}
