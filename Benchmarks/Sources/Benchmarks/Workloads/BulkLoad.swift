import CTwins
import Sluice
import SluiceData

/// Workloads 1b and 22: inserts a row with five columns for each line of comma-separated values.
///
/// The text is UTF-8 in memory. C splits it at its commas with handwritten code, and binds its parts without copies; it
/// knows neither quotes nor NULL.
struct BulkLoad: Workload {
  let c: Twin
  private let connection: Connection
  private let text: [UInt8]
  private let load: (Connection, [UInt8]) throws -> Void

  init(count: Int, _ load: @escaping (Connection, [UInt8]) throws -> Void) throws {
    self.load = load
    connection = try Connection(sql: Sample.feed(count))
    text = try connection.first(.column(.bytes), sql: "SELECT text FROM feed") ?? []
    c = try unsafe Twin(twin_load, count: count, sql: Sample.feed(count))
  }

  /// Splits the text with handwritten code, as C does.
  static func byHand(into connection: Connection, _ text: [UInt8]) throws {
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
    }
  }

  /// Imports the text in chunks.
  static func imported(into connection: Connection, _ text: [UInt8]) throws {
    let size = 1 << 17
    let chunks = stride(from: 0, to: text.count, by: size).lazy.map { start in
      text[start..<min(start + size, text.count)]
    }
    try connection.importRows(
      from: chunks, as: .separated(CSVFormat(hasHeader: false)), into: "event")
  }

  func sluice() throws -> Int64 {
    try load(connection, text)
    return connection.lastInsertRowid
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
