import CTwins
import Sluice

/// Workload 1b: inserts a row with five columns for each line of comma-separated values.
///
/// The text is UTF-8 in memory. C also splits it with handwritten code, and binds its parts without copies.
struct BulkLoad: Workload {
  let c: Twin
  private let connection: Connection
  private let text: [UInt8]

  init(count: Int) throws {
    connection = try Connection(sql: Sample.feed(count))
    text = try connection.first(.column(.bytes), sql: "SELECT text FROM feed") ?? []
    c = try unsafe Twin(twin_load, count: count, sql: Sample.feed(count))
  }

  func sluice() throws -> Int64 {
    try connection.transaction { connection in
      let insert = try connection.prepare(sql: "INSERT INTO event VALUES (?, ?, ?, ?, ?)")
      var fields = Fields(text: text)
      while !fields.isAtEnd {
        let id = try fields.integer()
        let (place, kind) = (fields.string(), fields.string())
        guard let value = Double(fields.string()) else { throw Fields.wrong }
        try insert.bind(
          .int64(id), .string(place), .string(kind), .double(value), .int64(fields.integer())
        ).execute()
      }
      return connection.lastInsertRowid
    }
  }

  /// A text that is read field by field.
  private struct Fields {
    let text: [UInt8]
    private var start = 0

    init(text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { start == text.count }

    static var wrong: Failure { Failure("A line is malformed") }

    private mutating func next() -> ArraySlice<UInt8> {
      var end = start
      while text[end] != UInt8(ascii: ","), text[end] != UInt8(ascii: "\n") { end += 1 }
      defer { start = end + 1 }
      return text[start..<end]
    }

    mutating func string() -> String { String(decoding: next(), as: UTF8.self) }

    mutating func integer() throws -> Int64 {
      var number: Int64 = 0
      for digit in next() {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { throw Self.wrong }
        number = number * 10 + Int64(digit - UInt8(ascii: "0"))
      }
      return number
    }
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
