import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.virtualTables), .inEachThreadingMode) struct `table-valued functions` {
  private func series() throws -> Connection {
    let connection = try Connection.inTestedMode()
    try connection.addTableFunction(
      "series", columns: ["value"], parameters: ["start", "stop", "step"]
    ) { (start: Int, stop: Int?, step: Int?) in
      stride(from: start, through: stop ?? Int.max / 2, by: step ?? 1)
    }
    return connection
  }

  @Test func `a table-valued function returns the elements of a sequence as rows`() throws {
    let connection = try series()
    #expect(try connection.integers("SELECT value FROM series(1, 9, 3)") == [1, 4, 7])
    #expect(try connection.integers("SELECT rowid FROM series(1, 9, 3)") == [1, 2, 3])
    #expect(
      try connection.integers("SELECT value FROM series WHERE start = 1 AND stop = 2") == [1, 2])
    #expect(
      try connection.integers("SELECT value FROM series WHERE step = 5 AND start = 1 LIMIT 2") == [
        1, 6,
      ])
    #expect(try connection.integers("SELECT sum(value) FROM series(1, 3) WHERE value > 1") == [5])
    #expect(try connection.column("SELECT start || stop FROM series(3, 3)") == ["33"])
    #expect(try connection.column("SELECT * FROM series(5, 5)") == [5])
  }

  @Test func `LIMIT stops the iteration of an infinite sequence`() throws {
    let connection = try Connection.inTestedMode()
    var walked = 0
    try connection.addTableFunction("ever", columns: ["value"]) {
      (0...).lazy.map { (number: Int) in
        walked += 1
        return number
      }
    }
    #expect(try connection.integers("SELECT value FROM ever LIMIT 3") == [0, 1, 2])
    #expect(walked <= 4)
    #expect(try connection.integers("SELECT value FROM ever() WHERE value > 10 LIMIT 1") == [11])
  }

  @Test func `calling a table-valued function with arguments that do not fit its closure throws`()
    throws
  {
    let connection = try series()
    for (source, message) in [
      ("series", "series requires the argument start"),
      ("series(NULL)", "series requires the argument start"),
      ("series('x')", "The argument start of series is TEXT and cannot be read as Int"),
    ] {
      let error = failure { try connection.integers("SELECT value FROM \(source)") }
      #expect(error?.code == .mismatch)
      #expect(error?.message.lowercased() == message.lowercased())
    }
    #expect(
      failure { try connection.integers("SELECT value FROM series(1, 2, 3, 4)") }?.code == .error)
    #expect(try connection.integers("SELECT value FROM series(1, 2) WHERE start = 2") == [])
    #expect(
      try connection.integers("SELECT b.value FROM series(1, 2) a, series(a.value, 2) b") == [
        1, 2, 2,
      ])
    #expect(
      try connection.integers("SELECT value FROM series(1, 3) WHERE stop IN (2, 3) ORDER BY 1")
        .count == 3)
  }

  @Test func `a table-valued function receives all required arguments despite conditions with OR`()
    throws
  {
    let connection = try series()
    let values = (1...40).map { "start = \($0)" }.joined(separator: " OR ")
    for (condition, found) in [
      ("(start = 1 OR start = 5) AND stop = 6", [1, 2, 3, 4, 5, 6]),
      ("start = 5 AND (stop = 5 OR stop = 6)", [5, 6]),
      ("(\(values)) AND stop = 40", Array(1...40)),
    ] {
      let sql = "SELECT DISTINCT value FROM series WHERE \(condition) ORDER BY 1"
      #expect(try connection.integers(sql) == found)
    }
  }

  @Test func `the tuples of a table-valued function become rows with several columns`() throws {
    let connection = try Connection.inTestedMode()
    try connection.addTableFunction("words", columns: ["place", "word"], parameters: ["text"]) {
      (text: String) in
      text.split(separator: " ").enumerated().lazy.map { ($0.offset, String($0.element)) }
    }
    let words = try connection.column("SELECT place || word FROM words('the quick fox')")
    #expect(words == ["0the", "1quick", "2fox"])
  }

  @Test(arguments: [(["a"], ["a"]), (["a"], ["A"]), (["a"], ["b", "B"]), (["a", "a"], [])])
  func `adding a function with duplicate column or parameter names throws`(
    columns: [String], parameters: [String]
  ) throws {
    let connection = try Connection.inTestedMode()
    let columns = columns.map { VirtualTableSchema.Column.column($0) }
    let error = failure {
      switch parameters.count {
      case 0:
        try connection.addTableFunction("cm", columns: columns) { () -> [[DatabaseValue]] in
          [[1, 2]]
        }
      case 1:
        try connection.addTableFunction("cm", columns: columns, parameters: parameters) {
          (_: Int) in [1]
        }
      default:
        try connection.addTableFunction("cm", columns: columns, parameters: parameters) {
          (_: Int, _: Int) in [1]
        }
      }
    }
    let name = (columns.map(\.name) + parameters).last ?? ""
    #expect(error?.code == .misuse)
    #expect(error?.message == "cm has two columns or parameters named \"\(name)\"")
    try connection.addTableFunction("ok", columns: ["ä"], parameters: ["Ä"]) { (_: Int) in [1] }
    #expect(try connection.integers("SELECT \"ä\" FROM ok(2)") == [1])
  }

  @Test func `the error for a wrong number of names states the expected number`() throws {
    let connection = try Connection.inTestedMode()
    let parameters = failure {
      try connection.addTableFunction("cm", columns: ["a"], parameters: ["b"]) { [1] }
    }
    #expect(
      parameters?.message
        == "cm needs one parameter name for each argument of its closure (got 1, expected 0)")
    let columns = failure { try connection.addTableFunction("cm", columns: ["a", "b"]) { [1] } }
    #expect(
      columns?.message == "cm needs one column for each value in a row (got 2, expected 1)")
  }

  @Test
  func `the arrays of a table-valued function become rows if their lengths match its columns`()
    throws
  {
    let connection = try Connection.inTestedMode()
    try connection.addTableFunction("rows", columns: ["a", "b", "c"], parameters: ["count"]) {
      (count: Int) throws -> [[DatabaseValue]] in
      if count < 0 { throw ForeignError("Less than none") }
      return (0..<3).map { row in (0..<count).map { .integer(Int64(row * 10 + $0)) } }
    }
    #expect(try connection.integers("SELECT a + b + c FROM rows(3)") == [3, 33, 63])
    #expect(failure { try connection.integers("SELECT a FROM rows(2)") }?.code == .mismatch)
    #expect(throws: ForeignError("Less than none")) {
      try connection.integers("SELECT a FROM rows(-1)")
    }
  }

  @Test func `adding a function whose names do not match its closure throws`() throws {
    let connection = try Connection.inTestedMode()
    #expect(
      failure {
        try connection.addTableFunction("f", columns: ["a", "b"]) { [1, 2] }
      }?.code == .range)
    #expect(
      failure {
        try connection.addTableFunction("f", columns: ["a"], parameters: ["b"]) { [1, 2] }
      }?.code == .range)
    #expect(
      failure {
        try connection.addTableFunction("f", columns: []) { [[DatabaseValue]]() }
      }?.code == .range)
    #expect(
      failure {
        try connection.addTableFunction("f", columns: ["a"]) { [(1, 2)] }
      }?.code == .range)
    #expect(failure { try connection.integers("SELECT * FROM f") }?.code == .error)
  }

  @Test func `removing a table-valued function releases its closure`() throws {
    let connection = try Connection.inTestedMode()
    let counter = ObjectCounter()
    do {
      let held = counter.hold()
      try connection.addTableFunction("f", columns: ["a"]) {
        withExtendedLifetime(held) { [1, 2] }
      }
    }
    #expect(try connection.integers("SELECT a FROM f") == [1, 2])
    #expect(counter.living == 1)
    connection.clearStatementCache()
    try connection.removeModule("f")
    #expect(counter.living == 0)
  }

  @Test func `a view can call a table-valued function only if it is innocuous`() throws {
    for options: VirtualTableOptions in [[], .innocuous] {
      let connection = try Connection.inTestedMode()
      try connection.addTableFunction("f", columns: ["a"], options: options) { [1, 2] }
      try connection.execute(sql: "CREATE VIEW v AS SELECT a FROM f")
      #expect(
        (failure { try connection.integers("SELECT a FROM v") } == nil) == (options == .innocuous))
    }
  }
}
