import CTwins
import Sluice

/// 5: the rows of 1, each from a struct that is `Encodable`.
struct InsertEncodable: Workload {
  let c: Twin
  private let connection: Connection
  private let count: Int
  private let label = "hello sluice"

  init(count: Int) throws {
    self.count = count
    connection = try Connection(sql: Sample.table)
    c = try unsafe Twin(twin_insert, count: count, sql: Sample.table)
  }

  func sluice() throws -> Int64 {
    try connection.transaction { connection, _ in
      let statement = try connection.prepare(
        sql: "INSERT INTO sample(id, value, label) VALUES (:id, :value, :label)")
      for id in 1...Int64(count) {
        let record = Record(id: id, value: Double(id) * 0.5, label: label)
        try statement.bind(encoding: record).execute()
      }
      return connection.lastInsertRowid
    }.value
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
