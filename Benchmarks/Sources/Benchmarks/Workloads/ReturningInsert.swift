import Sluice
import SluiceModels

/// Workload 20: inserts models and reads back their rows, and compares this with the same SQL written by hand.
struct ReturningInsert: Workload {
  let c: HandWrittenReturning
  private let connection: Connection
  private let count: Int

  /// A model whose row has a default value.
  struct Entry: Codable, Model {
    static let table = ModelTable("entry", key: \Entry.id, .column(\.state, .default("new")))
    var id: Int64?
    var name: String
    var score: Double
    var state: String
  }

  init(count: Int) throws {
    self.count = count
    connection = try Connection()
    try connection.createTable(of: Entry.self)
    c = HandWrittenReturning(connection: try Connection(), count: count)
    try c.connection.createTable(of: Entry.self)
  }

  func sluice() throws -> Int64 {
    var sum: Int64 = 0
    for i in 0..<count {
      let entry = Entry(name: "name", score: Double(i), state: "open")
      sum &+= try connection.insert(entry, returning: .model(Entry.self)).id ?? 0
    }
    return sum
  }

  func reset() throws {
    try connection.deleteAll(Entry.self)
    try c.connection.deleteAll(Entry.self)
  }
}

/// Handwritten SQL, which replaces the C side in this workload.
struct HandWrittenReturning: OtherSide {
  let connection: Connection
  let count: Int

  func run() throws -> Int64 {
    var sum: Int64 = 0
    for i in 0..<count {
      let entry = ReturningInsert.Entry(name: "name", score: Double(i), state: "open")
      let values = try connection.parameters(encoding: entry)
      let row = try connection.first(
        .model(ReturningInsert.Entry.self),
        """
        INSERT INTO entry(name, score, state) \
        VALUES (\(values["name"] ?? .null), \(values["score"] ?? .null), \(values["state"] ?? .null)) \
        RETURNING *
        """)
      sum &+= row?.id ?? 0
    }
    return sum
  }
}
