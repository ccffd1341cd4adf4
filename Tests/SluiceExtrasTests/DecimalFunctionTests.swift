import SluiceCore
import SluiceExtras
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `decimal functions` {
  private let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.addDecimalFunctions()
  }

  private func value(_ expression: String) throws -> DatabaseValue {
    try connection.value("SELECT \(expression)")
  }

  @Test(arguments: [
    ("''", "0"), ("'.00e-5'", "0.0000000"), ("'0e-3'", "0.000"), ("'0.0e5'", "0"),
    ("'5e-1'", "0.5"),
    ("'12e-1'", "1.2"), ("'1.2.3'", "12.3"), ("'12e'", "12"), ("'1e5x'", "100000"),
    ("'1e2e1'", "1000000000000000000000"), ("'12 34'", "1234"), ("'--1'", "-1"), ("'- 1'", "-1"),
    ("'  -12.34 '", "-12.34"), ("'0x10'", "10"), ("'-.5'", "-0.5"), ("'5.'", "5"), ("'.'", "0"),
    ("'abc'", "0"), ("'-'", "0"), ("'+5'", "5"), ("'00012.500'", "12.500"), ("'1.500e5'", "150000"),
    ("'1.5e-3'", "0.0015"), ("'-0.0'", "0.0"), ("'-000'", "0"), ("'0e99999999999999999999'", "0"),
    ("-9223372036854775807 - 1", "-9223372036854775808"), ("-2.5", "-2.5"), ("-0.0", "0"),
    ("0.1", "0.1000000000000000055511151231257827021181583404541015625"), ("12", "12"),
    ("47.49", "47.49000000000000198951966012828052043914794921875"),
    ("x'3ff8000000000000'", "1.5"), ("1e22", "10000000000000000000000"),
    ("CAST(x'3100ff32' AS TEXT)", "12"),
  ])
  func `decimal reads numbers from text, integers, reals and blobs`(
    _ argument: String, _ number: String
  ) throws {
    #expect(try value("decimal(\(argument))") == .text(number))
  }

  @Test(arguments: [
    ("decimal_exp('123456e100')", "+1.23456e+105"), ("decimal_exp('-0.00120')", "-1.2e-03"),
    ("decimal_exp(0)", "+0.0e+00"), ("decimal_exp('1e-150')", "+1.0e-150"),
    ("decimal_exp(-5)", "-5.0e+00"), ("decimal_pow2(10)", "+1.024e+03"),
    ("decimal_pow2(-3)", "+1.25e-01"), ("decimal_pow2(0)", "+1.0e+00"),
    ("decimal_pow2(100)", "+1.267650600228229401496703205376e+30"),
    ("decimal_mul('1.00', '2.000')", "2.00"), ("decimal_mul('0.1', '10')", "1"),
    ("decimal_mul('-1.50', '0.00')", "0.00"), ("decimal_sub('1', '1.00')", "0.00"),
    ("decimal_add(0.1, 0.2)", "0.3"), ("decimal_mul(0.1, 0.2)", "0.02"),
    ("decimal_add(9e999, 1)", "1"), ("decimal_add(x'3132', 1)", "13"),
    ("decimal_add(1e20, '0.1')", "100000000000000000000.1"), ("decimal_add('abc', '1')", "1"),
    ("decimal_add('999999999', '1')", "1000000000"),
    ("decimal_sub('1000000000', '1')", "999999999"),
    ("decimal_sub('0.5', '1')", "-0.5"), ("length(decimal(5e-324))", "1076"),
    ("decimal_sub(decimal(5e-324), decimal(5e-324)) LIKE '0.%'", "1"),
  ])
  func `the decimal functions return the expected text`(_ expression: String, _ result: String)
    throws
  {
    #expect(try value("CAST(\(expression) AS TEXT)") == .text(result))
  }

  @Test(arguments: DecimalTable.rows)
  func `decimal arithmetic equals the results of another implementation`(_ row: [String]) throws {
    let (first, second) = (row[0], row[1])
    #expect(try value("decimal_add('\(first)', '\(second)')") == .text(row[2]))
    #expect(try value("decimal_sub('\(first)', '\(second)')") == .text(row[3]))
    #expect(try value("decimal_mul('\(first)', '\(second)')") == .text(row[4]))
    #expect(try value("CAST(decimal_cmp('\(first)', '\(second)') AS TEXT)") == .text(row[5]))
  }

  @Test func `the arithmetic of random decimal numbers obeys the laws of arithmetic`() throws {
    var generator = SeededGenerator(seed: 2)
    func number() -> String {
      let digits = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
        String([0, 9, Int.random(in: 0...9, using: &generator)].randomElement(using: &generator)!)
      }
      let point = Int.random(in: 0...digits.count, using: &generator)
      let sign = Bool.random(using: &generator) ? "-" : ""
      return sign + digits[..<point].joined() + "." + digits[point...].joined()
    }
    let statement = try connection.prepare(
      sql: """
        SELECT decimal_cmp(decimal_sub(decimal_add(?1, ?2), ?2), ?1),
          decimal_cmp(decimal_mul(?1, ?2), decimal_mul(?2, ?1)),
          decimal_cmp(decimal_mul(?1, decimal_add(?2, ?3)),
            decimal_add(decimal_mul(?1, ?2), decimal_mul(?1, ?3))),
          decimal_cmp(?1, ?2) + decimal_cmp(?2, ?1)
        """)
    for _ in 0..<300 {
      let numbers = [number(), number(), number()]
      let row = try statement.bind(SQLParameters(numbers)).first(.values)
      #expect(row?.values == [0, 0, 0, 0], "\(numbers)")
    }
  }

  @Test(arguments: [
    "decimal(NULL)", "decimal_exp(NULL)", "decimal_pow2(NULL)", "decimal_pow2('3')",
    "decimal_add(NULL, 1)", "decimal_sub(1, NULL)", "decimal_mul(NULL, 1)", "decimal_cmp(1, NULL)",
    "decimal_sum(1) WHERE 0", "decimal(9e999)", "decimal(-9e999)", "decimal(x'3132')",
    "decimal(x'7ff8000000000000')",
  ])
  func `the decimal functions return NULL for NULL and unusable arguments`(_ expression: String)
    throws
  {
    #expect(try value(expression) == .null)
  }

  @Test(arguments: [
    "decimal('1e100000')", "decimal('1e-100001')", "decimal('1e99999999999999999999')",
    "decimal('0e-99999999999999999999')",
    "decimal(hex(zeroblob(500000)) || '1' || hex(zeroblob(50000)))",
    "decimal_mul('1e60000', '1e60000')", "decimal_mul('1e-60000', '1e-60000')",
    "decimal_add('1e99999', '1e-99999')", "decimal_add('9e99999', '9e99999')",
    "decimal_pow2(20001)", "decimal_pow2(-9223372036854775807)", "decimal_sum('1e100000')",
  ])
  func `a decimal function throws if a number has too many digits`(_ expression: String) throws {
    #expect(failure { try value(expression) }?.code == .tooBig)
  }

  @Test func `decimal numbers can have up to 100,000 digits`() throws {
    #expect(try value("length(decimal('1e99999'))") == 100_000)
    #expect(try value("length(decimal('-1e-100000'))") == 100_003)
    #expect(try value("length(decimal_add('1e99998', '1e99998'))") == 99_999)
    #expect(try value("decimal_pow2(-20000) = decimal_exp(decimal(decimal_pow2(-20000)))") == 1)
    #expect(try value("decimal(replace(hex(zeroblob(500000)), '0', 'x') || 7)") == "7")
  }
}
