import SluiceCore
import SluiceTesting
import TestSupport
import Testing

/// A port of SQLite's `generate_series`, which follows the rules of `series.c`.
@Suite(.tags(.virtualTables), .inEachThreadingMode) struct `generate_series in Swift` {
  private func connection() throws -> Connection {
    let connection = try Connection.inTestedMode()
    try connection.addModule("series", as: .eponymousOnly) { _ in SeriesTable() }
    return connection
  }

  static let cases: [(String, [Int])] = [
    ("series(1, 5)", [1, 2, 3, 4, 5]),
    ("series(0, 10, 5)", [0, 5, 10]),
    ("series(1, 10, 4)", [1, 5, 9]),
    ("series(10, 1, -3)", [10, 7, 4, 1]),
    ("series(5, 1)", []),
    ("series(1, 5, -1)", []),
    ("series(1, 3, 0)", [1, 2, 3]),
    ("series(7, 7)", [7]),
    ("series(NULL, 7)", []),
    ("series(1, 3, NULL)", []),
    ("series(1) LIMIT 3", [1, 2, 3]),
    ("series WHERE start = 2 AND stop = 4", [2, 3, 4]),
    ("series WHERE start = 2 AND step = 2 LIMIT 2", [2, 4]),
    ("series(1, 10) WHERE value > 7", [8, 9, 10]),
    ("series(1, 10, 3) WHERE value BETWEEN 3 AND 8", [4, 7]),
    ("series(1, 10) WHERE value < 3", [1, 2]),
    ("series(1, 10) WHERE value = 4", [4]),
    ("series(1, 10) WHERE value = 11", []),
    ("series(1, 10) WHERE value IN (2, 4, 12)", [2, 4]),
    ("series(1, 10) WHERE value > 7.5 AND value < 'x'", [8, 9, 10]),
    ("series(1, 10) WHERE value > NULL", []),
    ("series(10, 1, -1) WHERE value <= 3", [3, 2, 1]),
    ("series(1, 3) ORDER BY value DESC", [3, 2, 1]),
    ("series(10, 1, -3) ORDER BY value", [1, 4, 7, 10]),
    ("series(10, 1, -3) ORDER BY value DESC", [10, 7, 4, 1]),
    ("series('2', '4')", [2, 3, 4]),
  ]

  @Test(arguments: cases)
  func `a series applies its arguments and the conditions, order and limit of the query`(
    _ source: String, _ numbers: [Int]
  ) throws {
    let connection = try connection()
    #expect(try connection.integers("SELECT value FROM \(source)") == numbers)
    // The same query returns the same number of rows when it runs again.
    #expect(try connection.integers("SELECT value FROM \(source)").count == numbers.count)
  }

  @Test func `a series can begin and end at the limits of Int without overflow`() throws {
    let connection = try connection()
    let (low, high) = (Int.min, Int.max)
    for (source, numbers) in [
      ("series(\(high - 1), \(high))", [high - 1, high]),
      ("series(\(high - 2), \(high), 5)", [high - 2]),
      ("series(\(low + 1), \(low), -1)", [low + 1, low]),
      ("series(\(low), \(high), \(high))", [low, -1, high - 1]),
      ("series(\(high), \(low), \(low))", [high, -1]),
      ("series(\(low), \(high)) WHERE value > \(high - 1)", [high]),
      ("series(\(low), \(high)) WHERE value < \(low + 1)", [low]),
      ("series(\(low), \(high)) WHERE value > \(high)", []),
      ("series(\(low), \(high)) WHERE value = 42", [42]),
    ] {
      #expect(try connection.integers("SELECT value FROM \(source)") == numbers, "\(source)")
    }
  }

  @Test func `a random series equals the same series computed in Swift`() throws {
    let connection = try connection()
    var random = SeededGenerator(seed: 7)
    let statement = try connection.prepare(
      sql: """
        SELECT value FROM series(?, ?, ?) WHERE value >= ? AND value < ? ORDER BY value DESC
        """)
    for _ in 0..<500 {
      let numbers = (0..<5).map { _ in Int.random(in: -20...20, using: &random) }
      let step = numbers[2] == 0 ? 1 : numbers[2]
      let wanted = stride(from: numbers[0], through: numbers[1], by: step)
        .filter { $0 >= numbers[3] && $0 < numbers[4] }.sorted(by: >)
      try statement.bind(SQLParameters(numbers))
      #expect(try statement.rows().map { $0.values[0] } == wanted.map { .integer(Int64($0)) })
    }
  }

  @Test func `a series needs no sorting for either order, and applies bounds without a scan`()
    throws
  {
    let connection = try connection()
    let plan = try connection.queryPlan(
      sql: "SELECT value FROM series(1, 3) WHERE value > 1 ORDER BY value DESC")
    #expect(!plan.description.contains("TEMP B-TREE"))
    let sorted = try connection.queryPlan(sql: "SELECT value FROM series(1, 3) ORDER BY -value")
    #expect(sorted.description.contains("TEMP B-TREE"))
    // A scan of the whole series would never end.
    #expect(
      try connection.integers(
        "SELECT count(*) FROM series(0, \(Int.max)) WHERE value BETWEEN 100 AND 199") == [100])
  }

  @Test func `a series throws if its start is missing or depends on the series itself`() throws {
    let connection = try connection()
    let error = failure { try connection.integers("SELECT value FROM series") }
    #expect(error?.message == "series requires the argument start")
    #expect(
      try connection.integers(
        "SELECT b.value FROM series(1, 2) AS a, series(a.value, a.value + 1) AS b") == [1, 2, 2, 3])
    #expect(
      failure {
        try connection.integers("SELECT 1 FROM series(b.value, 2) AS a, series(a.value, 2) AS b")
      }?.code == .error)
  }
}
