import SluiceCore
import SluiceExtras
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `sums and order of decimal numbers` {
  private let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.addDecimalFunctions()
  }

  @Test func `decimal_sum is exact and skips NULL`() throws {
    let sums = try connection.column(
      """
      SELECT decimal_sum(column1) FROM (VALUES ('1.5'), (2), (NULL), (2.25), ('abc'), ('-10.001'))
      UNION ALL SELECT decimal_sum(NULL) UNION ALL SELECT decimal_sum(1) WHERE 0
      UNION ALL SELECT decimal_sum(0.1) FROM (VALUES (1), (2), (3))
      """)
    #expect(sums == ["-4.251", "0", .null, "0.3"])
  }

  @Test(arguments: [
    ("1 PRECEDING", ["1.555", "3.555", "2.000", "-3.500", "-2.500"] as [DatabaseValue]),
    ("BETWEEN 2 PRECEDING AND 1 PRECEDING", [.null, "1.555", "3.555", "2.000", "-3.500"]),
  ])
  func `decimal_sum works as a window function`(_ window: String, _ sums: [DatabaseValue]) throws {
    let found = try connection.column(
      """
      WITH t(i, x) AS (VALUES (1, '1.555'), (2, 2), (3, NULL), (4, '-3.5'), (5, 1))
      SELECT decimal_sum(x) OVER (ORDER BY i ROWS \(window)) FROM t
      """)
    #expect(found == sums)
  }

  @Test(arguments: [
    ("2", "10", -1), ("-2", "-10", 1), ("-1", "1", -1), ("0.05", "0.5", -1), ("1e3", "999.99", 1),
    ("1", "1.00", 0), ("0", "-0", 0), ("0.000", "-0.", 0), ("1e-3", "0.5", -1),
    ("1e-3", "0.001", 0), ("abc", "0", 0),
    ("100", "1e2", 0), ("1e99999999999999999999", "2", 1), ("-1e99999999999999999999", "2", -1),
    ("1e-99999999999999999999", "0", 1), ("1e-99999999999999999999", "1e-100000", -1),
    ("0e99999999999999999999", "1e-9", -1),
    ("1e99999999999999999999", "1e999999999999999999999", -1),
    ("1e99999999999999999998", "1e99999999999999999999", -1),
    ("-1e99999999999999999998", "-1e99999999999999999999", 1),
    ("1e-99999999999999999998", "1e-99999999999999999999", 1),
    ("10e99999999999999999998", "1.0e0099999999999999999999", 0),
    ("0.01e100000000000000000000", "1e99999999999999999998", 0),
    ("2e99999999999999999999", "10e99999999999999999998", 1),
    ("0.1e-99999999999999999999", "10e-100000000000000000001", 0),
    ("1e-99999999999999999999", "1e99999999999999999999", -1),
    ("1e10000000001", "1e10000000002", -1), ("1e-10000000001", "1e-10000000002", 1),
    ("1e999999999999999", "1e1000000000000000", -1),
    ("10e999999999999999", "1e1000000000000000", 0),
    ("1e-999999999999999", "10e-1000000000000000", 0), ("1e-1000000000000000", "0.1", -1),
    ("0e99999999999999999999", "0e-99999999999999999999", 0),
    ("12345678901234567890.1", "12345678901234567890.2", -1),
  ])
  func `decimal_cmp and the decimal collation compare numbers by value`(
    _ first: String, _ second: String, _ order: Int
  ) throws {
    #expect(
      try connection.value("SELECT decimal_cmp('\(first)', '\(second)')") == .integer(Int64(order)))
    #expect(
      try connection.value("SELECT decimal_cmp('\(second)', '\(first)')") == .integer(Int64(-order))
    )
    #expect(
      try connection.value("SELECT '\(first)' = '\(second)' COLLATE decimal")
        == (order == 0 ? 1 : 0))
  }

  @Test func `an index can use the decimal collation and decimal_cmp`() throws {
    try connection.execute(
      sql: """
        CREATE TABLE t(x TEXT COLLATE decimal, y AS (decimal_cmp(x, 1.5)));
        CREATE INDEX i ON t(x);
        CREATE INDEX j ON t(y);
        INSERT INTO t VALUES ('2'), ('10'), ('1.5'), ('-3'), ('-20'), ('x'), ('1e400000000'),
          (CAST(x'ff31' AS TEXT))
        """)
    let sorted = try connection.column("SELECT length(x) FROM t ORDER BY x")
    #expect(sorted.count == 8)
    #expect(
      try connection.column("SELECT x FROM t WHERE x BETWEEN '-4.0' AND '2.00' AND x <> '1'")
        == ["-3", "x", "1.5", "2"])
    #expect(try connection.value("SELECT x FROM t WHERE y = 0") == "1.5")
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
  }
}
