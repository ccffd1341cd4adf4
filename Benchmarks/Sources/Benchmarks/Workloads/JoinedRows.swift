import Sluice
import SluiceModels

/// Workload 19: reads joined rows as two models, and compares this with handwritten structs that are read by index.
struct JoinedRows: Workload {
  let c: HandWrittenJoin
  private let connection: Connection
  private let converter: RowConverter<(Item, Item?)>

  /// A model that reads its own rows by name.
  struct Item: Model {
    static let table = ModelTable(
      "sample", key: \Item.id, columns: .column("id", \.id, .integer),
      .column("value", \.value, .real), .column("label", \.label, .text))
    var id: Int64
    var value: Double
    var label: String

    init(id: Int64, value: Double, label: String) {
      (self.id, self.value, self.label) = (id, value, label)
    }

    init(row: borrowing Row) throws {
      try self.init(
        id: row.get(.int64, named: "id"), value: row.get(.double, named: "value"),
        label: row.get(.string, named: "label"))
    }

    func columnValues(for connection: Connection) -> ColumnValues {
      ["id": .int64(id), "value": .double(value), "label": .string(label)]
    }

    var checksum: Int64 { id &+ value.bits &+ Int64(label.utf8.count) }
  }

  init(count: Int) throws {
    connection = try Connection(sql: Sample.rows(count))
    converter = .models(Item.self, Item?.self)
    c = HandWrittenJoin(connection: try Connection(sql: Sample.rows(count)))
  }

  func sluice() throws -> Int64 {
    try connection.query(
      converter,
      """
      SELECT \(columns: Item.self, of: "a"), \(columns: Item.self, of: "b")
      FROM sample a LEFT JOIN sample b ON b.id = a.id * 2
      """
    ).reduce(0) { $0 &+ $1.0.checksum &+ ($1.1?.checksum ?? 0) }
  }
}

/// Handwritten Swift code, which replaces the C side in this workload.
struct HandWrittenJoin: OtherSide {
  let connection: Connection

  private static let converter = RowConverter<(JoinedRows.Item, JoinedRows.Item?)> { row in
    let first = try JoinedRows.Item(
      id: row.get(.int64, at: 0), value: row.get(.double, at: 1), label: row.get(.string, at: 2))
    guard let id = try row.optional(.int64, at: 3) else { return (first, nil) }
    let second = try JoinedRows.Item(
      id: id, value: row.get(.double, at: 4), label: row.get(.string, at: 5))
    return (first, second)
  }

  func run() throws -> Int64 {
    try connection.query(
      Self.converter,
      sql: """
        SELECT a.id, a.value, a.label, b.id, b.value, b.label
        FROM sample a LEFT JOIN sample b ON b.id = a.id * 2
        """
    ).reduce(0) { $0 &+ $1.0.checksum &+ ($1.1?.checksum ?? 0) }
  }
}
