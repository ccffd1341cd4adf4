import CTwins
import Sluice

/// Workloads 4, 4b and 4c: reads an array of structs, either decoded or created by a handwritten converter.
struct Records: Workload {
  let c: Twin
  private let connection: Connection
  private let converter: RowConverter<Record>

  init(count: Int, _ converter: RowConverter<Record>) throws {
    self.converter = converter
    connection = try Connection(sql: Sample.rows(count))
    c = try unsafe Twin(twin_records, count: count, sql: Sample.rows(count))
  }

  func sluice() throws -> Int64 {
    let records = try connection.query(converter, sql: "SELECT id, value, label FROM sample")
    return records.reduce(0) { $0 &+ $1.id &+ $1.value.bits &+ Int64($1.label.utf8.count) }
  }
}

struct Record: Codable {
  let id: Int64
  let value: Double
  let label: String
}

extension RowConverter where Value == Record {
  /// The converter for workload 4b, which reads columns by name.
  static var recordByName: Self {
    Self { row in
      try Record(
        id: row.get(.int64, named: "id"), value: row.get(.double, named: "value"),
        label: row.get(.string, named: "label"))
    }
  }

  /// The converter for workload 4c, which reads columns by index.
  static var recordByIndex: Self {
    Self { row in
      try Record(
        id: row.get(.int64, at: 0), value: row.get(.double, at: 1), label: row.get(.string, at: 2))
    }
  }
}
