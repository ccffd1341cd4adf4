import CTwins
import Sluice
import SluiceData

/// Workload 22: imports comma-separated values in memory into a table of five columns.
///
/// C is the same as in workload 1b: it splits the text at its commas, and knows neither quotes nor NULL.
struct ImportRows: Workload {
  let c: Twin
  private let connection: Connection
  private let text: [UInt8]

  init(count: Int) throws {
    connection = try Connection(sql: Sample.feed(count))
    text = try connection.first(.column(.bytes), sql: "SELECT text FROM feed") ?? []
    c = try unsafe Twin(twin_load, count: count, sql: Sample.feed(count))
  }

  func sluice() throws -> Int64 {
    let size = 1 << 17
    let chunks = stride(from: 0, to: text.count, by: size).lazy.map { start in
      text[start..<min(start + size, text.count)]
    }
    try connection.importRows(
      from: chunks, as: .separated(CSVFormat(hasHeader: false)), into: "event")
    return connection.lastInsertRowid
  }

  func check(_ side: Side) throws -> Int64 {
    switch side {
    case .c: try unsafe c.run(twin_loaded)
    case .sluice:
      try connection.first(
        .column(.int64),
        sql: "SELECT sum(id * length(place) + length(kind) + value * 4 + amount) FROM event") ?? 0
    }
  }

  func reset() throws {
    try connection.execute(sql: "DELETE FROM event")
    try c.execute(sql: "DELETE FROM event")
  }
}
