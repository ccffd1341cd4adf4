import SluiceCore
import TestSupport
import Testing

@Suite(.inEachThreadingMode) struct ColumnValueConverterTests {
  let db: Connection
  init() throws { db = try Connection.inTestedMode() }

  private func get<T>(_ converter: ColumnValueConverter<T>, _ parameter: SQLParameter) throws -> T {
    try #require(try db.first(.column(converter), sql: "SELECT ?", parameters: parameter))
  }

  private func code<T>(_ converter: ColumnValueConverter<T>, _ parameter: SQLParameter)
    -> ResultCode?
  {
    failure { try get(converter, parameter) }?.code
  }

  @Test func `each converter reads back the value that was bound`() throws {
    for bound in [Int.min, 0, .max] { #expect(try get(.int, .int(bound)) == bound) }
    for bound in [Int8.min, 0, .max] { #expect(try get(.int8, .int8(bound)) == bound) }
    for bound in [Int16.min, 0, .max] { #expect(try get(.int16, .int16(bound)) == bound) }
    for bound in [Int32.min, 0, .max] { #expect(try get(.int32, .int32(bound)) == bound) }
    for bound in [Int64.min, 5_000_000_000, .max] {
      #expect(try get(.int64, .int64(bound)) == bound)
    }
    for bound in [UInt8.min, .max] { #expect(try get(.uint8, .uint8(bound)) == bound) }
    for bound in [UInt16.min, .max] { #expect(try get(.uint16, .uint16(bound)) == bound) }
    for bound in [UInt32.min, .max] { #expect(try get(.uint32, .uint32(bound)) == bound) }
    for bound in [0, 5_000_000_000, UInt(Int.max)] {
      #expect(try get(.uint, .uint(bound)) == bound)
    }
    for bound in [0, UInt64(Int64.max)] { #expect(try get(.uint64, .uint64(bound)) == bound) }
    for value in [true, false] { #expect(try get(.bool, .bool(value)) == value) }
    for value in [0.1, -.greatestFiniteMagnitude, .infinity] as [Float] {
      #expect(try get(.float, .float(value)) == value)
    }
    for value in [0.1, -.greatestFiniteMagnitude, .infinity] as [Double] {
      #expect(try get(.double, .double(value)) == value)
    }
    for value in ["", "a\0b", "ä🙂"] { #expect(try get(.string, .string(value)) == value) }
    for value in [[], [0, 255]] as [[UInt8]] { #expect(try get(.bytes, .bytes(value)) == value) }
    for value in DatabaseValueTests.all { #expect(try get(.value, .value(value)) == value) }
  }

  @Test func `an optional converter reads NULL as nil and still rejects other mismatches`() throws {
    #expect(try get(.optional(.int), .null) == nil)
    #expect(try get(.optional(.int), 3) == 3)
    #expect(try get(.optional(.value), .null) == nil)
    #expect(code(.optional(.int), "x") == .mismatch)
    #expect(code(.optional(.int8), 300) == .mismatch)
    let row = try db.prepare(sql: "SELECT NULL, 'x'").first(
      RowConverter { row in
        (try row.get(.optional(.int), at: 0), try row.get(.optional(.string), at: 1))
      })
    #expect(try #require(row) == (nil, "x"))
    #expect(
      failure { try db.first(.column(.optional(.int), at: 1), sql: "SELECT 1") }?.code == .range)
  }

  @Test func `reading an integer that is out of range throws`() {
    #expect(code(.int8, 300) == .mismatch)
    #expect(code(.int8, -129) == .mismatch)
    #expect(code(.uint8, -1) == .mismatch)
    #expect(code(.uint8, 256) == .mismatch)
    #expect(code(.int16, 32768) == .mismatch)
    #expect(code(.uint16, 65536) == .mismatch)
    #expect(code(.int32, 1_099_511_627_776) == .mismatch)
    #expect(code(.uint32, 4_294_967_296) == .mismatch)
    #expect(code(.uint, -1) == .mismatch)
    #expect(code(.uint64, -1) == .mismatch)
    #expect(code(.int64, 1e300) == .mismatch)
  }

  @Test func `lossless conversions succeed, and other conversions throw`() throws {
    #expect(try get(.double, 3) == 3.0)
    #expect(try get(.int, 3.0) == 3)
    #expect(try get(.int, "42") == 42)
    #expect(code(.int, "abc") == .mismatch)
    #expect(code(.int, 3.5) == .mismatch)
    #expect(code(.int, .bytes([51])) == .mismatch)
    #expect(code(.double, 9_007_199_254_740_993) == .mismatch)
    #expect(code(.bool, 2) == .mismatch)
    #expect(code(.string, .bytes([0xff])) == .mismatch)
    #expect(code(.bytes, 7) == .mismatch)
    #expect(code(.float, 1e300) == .mismatch)
  }

  @Test(arguments: [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max])
  func `an unsigned integer bound by its bit pattern reads back unchanged`(value: UInt64) throws {
    #expect(try get(.uint64BitPattern, .uint64(bitPattern: value)) == value)
    #expect(
      try db.value("SELECT ?", .uint64(bitPattern: value)) == .integer(Int64(bitPattern: value)))
    let isLarge = value > UInt64(Int64.max)
    #expect(code(.uint64, .uint64(bitPattern: value)) == (isLarge ? .mismatch : nil))
    #expect(code(.uint64, .uint64(value)) == (isLarge ? .range : nil))
    #expect(code(.uint, .uint(UInt(value))) == (isLarge ? .range : nil))
  }

  @Test func `a custom converter reads a value, and its error is rethrown with the SQL`() throws {
    #expect(try get(.point, "3;4") == Point(x: 3, y: 4))
    #expect(try get(.point, .point(Point(x: 1, y: -2))) == Point(x: 1, y: -2))
    let error = failure { try get(.point, "3") }
    #expect(error?.code == .mismatch)
    #expect(error?.message == "Column 0 (?) is not a point")
    #expect(error?.sql == "SELECT ?")
    #expect(code(.point, .null) == .mismatch)
    #expect(try db.first(.column(.optional(.point)), sql: "SELECT NULL") == .some(nil))
  }

  @Test func `a custom type is bound and read by its column name or index`() throws {
    let statement = try db.prepare(sql: "SELECT ? AS t, NULL AS n")
    try statement.bind(SQLParameter(Temperature(degrees: 21.5)))
    let read = try statement.map { row in
      let celsius: Temperature = try row.t
      let none: Temperature? = try row["n"]
      return (celsius, none, try row.get(ColumnValueConverter<Temperature>.default, at: 0))
    }
    #expect(read[0] == (Temperature(degrees: 21.5), nil, Temperature(degrees: 21.5)))
  }
}

struct Point: Equatable {
  var x: Int
  var y: Int
}

extension ColumnValueConverter where Value == Point {
  static var point: Self {
    Self { row, index in
      let parts = try row.text(at: index).split(separator: ";").compactMap { Int($0) }
      guard parts.count == 2 else { throw row.mismatch(at: index, "is not a point") }
      return Point(x: parts[0], y: parts[1])
    }
  }
}

extension SQLBindable where Self == SQLParameter {
  static func point(_ point: Point) -> SQLParameter {
    SQLParameter(.text("\(point.x);\(point.y)"))
  }
}

struct Temperature: Equatable {
  var degrees: Double
}

extension Temperature: SQLValue {
  init?(databaseValue: DatabaseValue) {
    guard let degrees = Double(databaseValue: databaseValue) else { return nil }
    self.init(degrees: degrees)
  }

  var databaseValue: DatabaseValue { .real(degrees) }
}
