import Foundation
import Sluice
import SluiceTesting
import TestSupport
import Testing

/// The expected values follow GRDB's documentation and sources.
@Suite(.tags(.coding)) struct `the GRDB coding strategies` {
  private let db: Connection

  init() throws {
    db = try Connection()
    db.codingStrategies = .grdb
  }

  struct Details: Codable, Equatable {
    var seen: Date
    var page: URL
    var key: UUID
    var data: Data
    var note: String?
  }

  enum Kind: String, Codable { case big, small }

  struct Record: Codable, Equatable {
    var id: UUID
    var parent: UUID?
    var born: Date
    var died: Date?
    var data: Data
    var page: URL
    var kind: Kind
    var isOpen: Bool
    var dates: [Date]
    var details: Details
    var more: Details?
    var scores: [String: Double]
  }

  private static let id = UUID(
    uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))
  private static let details = Details(
    seen: Date(timeIntervalSince1970: 0.25), page: URL(filePath: "/a/b"), key: id,
    data: Data([255, 255, 254]))
  private static let record = Record(
    id: id, parent: nil, born: Date(timeIntervalSince1970: 128), died: nil, data: Data([1, 0]),
    page: URL(filePath: "/a"), kind: .big, isOpen: true,
    dates: [Date(timeIntervalSince1970: 128), Date(timeIntervalSince1970: -1.5)],
    details: details, more: nil, scores: ["z": 1, "a": 0.5])

  private static let uuid: DatabaseValue = .blob(Array(0...14) + [255])
  private static let stored: [DatabaseValue] = [
    uuid, .null, "1970-01-01 00:02:08.000", .null, .blob([1, 0]), "file:///a", "big", 1,
    "[128000,-1500]",
    #"""
    {"data":"\/\/\/+","key":"00010203-0405-0607-0809-0A0B0C0D0EFF",\#
    "page":"file:\/\/\/a\/b","seen":250}
    """#,
    .null, #"{"a":0.5,"z":1}"#,
  ]
  private static let create = """
    CREATE TABLE record(
      id, parent, born, died, data, page, kind, isOpen, dates, details, more, scores)
    """

  @Test func `a record is stored byte for byte in GRDB's format`() throws {
    try db.execute(sql: Self.create)
    try db.execute(
      sql: """
        INSERT INTO record VALUES (
          :id, :parent, :born, :died, :data, :page, :kind, :isOpen, :dates, :details, :more, :scores)
        """, encoding: Self.record)
    let row = try #require(try db.first(.values, sql: "SELECT * FROM record"))
    #expect(row.values == Self.stored)
    #expect(try db.query(Record.self, sql: "SELECT * FROM record") == [Self.record])
  }

  @Test func `rows in GRDB's format are decoded`() throws {
    try db.execute(sql: Self.create)
    try db.prepare(sql: "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(SQLParameters(Self.stored)).execute()
    #expect(try db.query(Record.self, sql: "SELECT * FROM record") == [Self.record])
  }

  @Test func `a date is read from every form that GRDB reads`() throws {
    let day = Date(timeIntervalSince1970: 86_400)
    for stored: DatabaseValue in [
      86_400, .real(86_400), "1970-01-02", "1970-01-02 00:00", "1970-01-02T00:00:00",
      "1970-01-02 00:00:00.000",
    ] {
      #expect(try db.first(Date.self, "SELECT \(stored)") == day, "\(stored)")
    }
    for stored: DatabaseValue in ["yesterday", "86400", .blob([1]), .real(1e300), "12:00"] {
      #expect(throws: DecodingError.self, "\(stored)") {
        try db.first(Date.self, "SELECT \(stored)")
      }
    }
    #expect(try db.first(UUID.self, "SELECT \(Self.id.uuidString)") == Self.id)
    #expect(
      try db.first([String: [Date]].self, "SELECT '[1500.5]' AS a") == [
        "a": [
          Date(timeIntervalSince1970: 1.5005)
        ]
      ])
    #expect(throws: DecodingError.self) {
      try db.first([String: [Date]].self, #"SELECT '["1970-01-02"]' AS a"#)
    }
  }

  @Test func `dates are written as Foundation's date formatter writes them`() throws {
    let formatter = DateFormatter()
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss.SSS"
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    let statement = try db.prepare(sql: "SELECT ?")
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    // Before this range, the formatter uses the Julian calendar.
    let days = Int64(-12_219_292_800)..<253_402_300_799
    let edges = [
      0.0625, -0.0625, 978_307_199.9375, -0.0004, -0.0006, -12_219_292_800, 253_402_300_799.999,
    ]
    let times =
      edges
      + (0..<2_000).map { _ in
        Double(Int64.random(in: days, using: &random)) + Double(
          Int.random(in: 0..<1_000_000, using: &random)) / 1e6
      }
    for time in times {
      let date = Date(timeIntervalSince1970: time)
      let text = try statement.bind(encoding: date).first(.column(.string))
      #expect(text == formatter.string(from: date), "\(time), seed \(seed)")
    }
    for time in [1e300, -1e300, 253_402_300_800, .infinity] {
      #expect(throws: EncodingError.self) {
        try statement.bind(encoding: Date(timeIntervalSince1970: time))
      }
    }
  }
}
