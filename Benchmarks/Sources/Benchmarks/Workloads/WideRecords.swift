import CTwins
import Sluice

/// Workload 4w: reads an array of structs with 40 columns.
struct WideRecords: Workload {
  let c: Twin
  private let connection: Connection
  private let converter: RowConverter<WideRecord>

  init(count: Int, _ converter: RowConverter<WideRecord>) throws {
    self.converter = converter
    connection = try Connection(sql: Sample.wideRows(count))
    c = try unsafe Twin(twin_wide_records, count: count, sql: Sample.wideRows(count))
  }

  func sluice() throws -> Int64 {
    let records = try connection.query(converter, sql: "SELECT * FROM wide")
    return records.reduce(0) { $0 &+ $1.sum }
  }
}

/// A struct with ten groups of an integer, a real, a text and a value that can be NULL.
struct WideRecord: Codable {
  let c0: Int64
  let c1: Double
  let c2: String
  let c3: Int64?
  let c4: Int64
  let c5: Double
  let c6: String
  let c7: String?
  let c8: Int64
  let c9: Double
  let c10: String
  let c11: Int64?
  let c12: Int64
  let c13: Double
  let c14: String
  let c15: String?
  let c16: Int64
  let c17: Double
  let c18: String
  let c19: Int64?
  let c20: Int64
  let c21: Double
  let c22: String
  let c23: String?
  let c24: Int64
  let c25: Double
  let c26: String
  let c27: Int64?
  let c28: Int64
  let c29: Double
  let c30: String
  let c31: String?
  let c32: Int64
  let c33: Double
  let c34: String
  let c35: Int64?
  let c36: Int64
  let c37: Double
  let c38: String
  let c39: String?

  var sum: Int64 {
    var sum: Int64 = 0
    sum &+= c0 &+ c1.bits &+ Int64(c2.utf8.count) &+ (c3 ?? 0)
    sum &+= c4 &+ c5.bits &+ Int64(c6.utf8.count) &+ Int64(c7?.utf8.count ?? 0)
    sum &+= c8 &+ c9.bits &+ Int64(c10.utf8.count) &+ (c11 ?? 0)
    sum &+= c12 &+ c13.bits &+ Int64(c14.utf8.count) &+ Int64(c15?.utf8.count ?? 0)
    sum &+= c16 &+ c17.bits &+ Int64(c18.utf8.count) &+ (c19 ?? 0)
    sum &+= c20 &+ c21.bits &+ Int64(c22.utf8.count) &+ Int64(c23?.utf8.count ?? 0)
    sum &+= c24 &+ c25.bits &+ Int64(c26.utf8.count) &+ (c27 ?? 0)
    sum &+= c28 &+ c29.bits &+ Int64(c30.utf8.count) &+ Int64(c31?.utf8.count ?? 0)
    sum &+= c32 &+ c33.bits &+ Int64(c34.utf8.count) &+ (c35 ?? 0)
    sum &+= c36 &+ c37.bits &+ Int64(c38.utf8.count) &+ Int64(c39?.utf8.count ?? 0)
    return sum
  }
}

extension RowConverter where Value == WideRecord {
  static var wideRecord: Self {
    Self { row in
      try WideRecord(
        c0: row.get(.int64, at: 0), c1: row.get(.double, at: 1), c2: row.get(.string, at: 2),
        c3: row.optional(.int64, at: 3), c4: row.get(.int64, at: 4), c5: row.get(.double, at: 5),
        c6: row.get(.string, at: 6), c7: row.optional(.string, at: 7), c8: row.get(.int64, at: 8),
        c9: row.get(.double, at: 9), c10: row.get(.string, at: 10),
        c11: row.optional(.int64, at: 11), c12: row.get(.int64, at: 12),
        c13: row.get(.double, at: 13), c14: row.get(.string, at: 14),
        c15: row.optional(.string, at: 15), c16: row.get(.int64, at: 16),
        c17: row.get(.double, at: 17), c18: row.get(.string, at: 18),
        c19: row.optional(.int64, at: 19), c20: row.get(.int64, at: 20),
        c21: row.get(.double, at: 21), c22: row.get(.string, at: 22),
        c23: row.optional(.string, at: 23), c24: row.get(.int64, at: 24),
        c25: row.get(.double, at: 25), c26: row.get(.string, at: 26),
        c27: row.optional(.int64, at: 27), c28: row.get(.int64, at: 28),
        c29: row.get(.double, at: 29), c30: row.get(.string, at: 30),
        c31: row.optional(.string, at: 31), c32: row.get(.int64, at: 32),
        c33: row.get(.double, at: 33), c34: row.get(.string, at: 34),
        c35: row.optional(.int64, at: 35), c36: row.get(.int64, at: 36),
        c37: row.get(.double, at: 37), c38: row.get(.string, at: 38),
        c39: row.optional(.string, at: 39))
    }
  }
}
