import SluiceCore
import SluiceExtras
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `IEEE 754 functions` {
  private let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.addIEEE754Functions()
  }

  private func value(_ expression: String) throws -> DatabaseValue {
    try connection.value("SELECT \(expression)")
  }

  @Test(arguments: [
    ("45.25", 181 as Int64, -2 as Int64), ("1.0", 1, 0), ("0.0", 0, -1075), ("-1.5", -3, -1),
    ("9e999", 4_503_599_627_370_496, 972), ("-9e999", -4_503_599_627_370_496, 972),
    ("1e300", 6_724_873_095_247_260, 944), ("5e-324", 1, -1074),
    ("0.1", 3_602_879_701_896_397, -55),
    ("1.7976931348623157e308", 9_007_199_254_740_991, 971), ("2.2250738585072014e-308", 1, -1022),
    ("'1.5'", 3, -1), ("'abc'", 0, -1075), ("x'4046a00000000000'", 181, -2), ("x'31'", 1, 0),
    ("x''", 0, -1075), ("9007199254740993", 4_503_599_627_370_496, 1),
    ("x'7ff8000000000000'", 6_755_399_441_055_744, 972),
    ("x'800fffffffffffff'", -4_503_599_627_370_495, -1074), ("-0.0", -1, -3071),
  ])
  func `ieee754 splits a real into an integer and a power of two`(
    _ real: String, _ mantissa: Int64, _ exponent: Int64
  ) throws {
    #expect(try value("ieee754(\(real))") == .text("ieee754(\(mantissa),\(exponent))"))
    #expect(try value("ieee754_mantissa(\(real))") == .integer(mantissa))
    #expect(try value("ieee754_exponent(\(real))") == .integer(exponent))
  }

  @Test(
    arguments: [
      ("181, -2", 45.25), ("0, 0", 0), ("0, 5", 0), ("0, 5000", 0), ("1, 1023", 0x1p1023),
      ("1, 1024", .infinity), ("-1, 100000", -.infinity), ("1, -1074", .leastNonzeroMagnitude),
      ("1, -1075", 0),
      ("1, -100000", 0), ("-1, 0", -1), ("9223372036854775807, 0", 9.223372036854775e18),
      ("-9223372036854775807 - 1, 0", -0x1p63), ("1, 9223372036854775807", .infinity),
      ("1, -9223372036854775807", 0), ("4503599627370496, 972", .infinity),
      ("2, -1023", 2.2250738585072014e-308), ("3, -1075", .leastNonzeroMagnitude),
      ("3, -1074", 3 * .leastNonzeroMagnitude),
      ("9007199254740991, 971", 1.7976931348623157e308),
      ("9007199254740993, 0", 9_007_199_254_740_992),
      ("9007199254740995, 0", 9_007_199_254_740_994),
      ("9223372036854775807, -63", 0.9999999999999999),
      ("'2', '3'", 16), ("'a', 'b'", 0), ("1.5, 2.7", 4), ("x'31', 0", 1),
    ] as [(String, Double)])
  func `ieee754 combines a mantissa and an exponent into a real`(
    _ arguments: String, _ real: Double
  ) throws {
    #expect(try value("ieee754(\(arguments))") == .real(real))
  }

  @Test func `random reals round-trip through mantissa and exponent, and through blobs`() throws {
    var generator = SeededGenerator(seed: 1)
    let statement = try connection.prepare(
      sql: """
        SELECT ieee754(ieee754_mantissa(?1), ieee754_exponent(?1)), ieee754_from_blob(?1),
          ieee754_to_blob(ieee754_from_blob(?1))
        """)
    for _ in 0..<500 {
      let bits = generator.next()
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
      let real = Double(bitPattern: bits)
      let row = try #require(try statement.bind(.bytes(bytes)).first(.values)).values
      guard !real.isNaN else { continue }
      #expect(row[0] == .real(real))
      #expect(row[1] == .real(real))
      #expect(row[2] == .blob(bytes))
    }
  }

  @Test(arguments: [
    ("hex(ieee754_to_blob(1.0))", "3FF0000000000000" as DatabaseValue),
    ("hex(ieee754_to_blob(1))", "3FF0000000000000"),
    ("hex(ieee754_to_blob(-0.0))", "8000000000000000"),
    ("hex(ieee754_to_blob(9e999))", "7FF0000000000000"), ("ieee754_to_blob('1')", .null),
    ("ieee754_to_blob(x'3ff0000000000000')", .null),
    ("ieee754_from_blob(x'4046a00000000000')", 45.25), ("ieee754_from_blob(x'3ff0')", .null),
    ("ieee754_from_blob(1.0)", .null), ("ieee754_from_blob('12345678')", .null),
    ("ieee754_from_blob(x'7ff8000000000000')", .null), ("ieee754(3, 5000)", .null),
    ("ieee754_from_blob(x'fff0000000000000')", .real(-.infinity)),
    ("ieee754_inc(0.0, 1)", .real(.leastNonzeroMagnitude)),
    ("ieee754_inc(1.0, -1)", .real(0.9999999999999999)),
    ("ieee754_inc(1.7976931348623157e308, 1)", .real(.infinity)), ("ieee754_inc(0.0, -1)", .null),
    ("ieee754_inc(1.0, 9223372036854775807)", .real(-0.9999999999999999)),
    ("ieee754(zeroblob(1000000))", "ieee754(0,-1075)"),
  ])
  func `the ieee754 blob functions and ieee754_inc return the expected values`(
    _ expression: String, _ result: DatabaseValue
  ) throws {
    #expect(try value(expression) == result)
  }

  @Test(arguments: [
    "ieee754(NULL)", "ieee754_mantissa(NULL)", "ieee754_exponent(NULL)", "ieee754(NULL, 1)",
    "ieee754(1, NULL)", "ieee754_to_blob(NULL)", "ieee754_from_blob(NULL)", "ieee754_inc(NULL, 1)",
  ])
  func `the IEEE 754 functions return NULL for NULL`(_ expression: String) throws {
    #expect(try value(expression) == .null)
  }
}
