import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.functions), .inEachThreadingMode)
struct `bound and numeric arguments` {
  @Test func `isBound distinguishes parameters from other expressions`() throws {
    let connection = try Connection.inTestedMode()
    try connection.addFunction("bound", arity: 1) { .integer(try $0.isBound(at: 0) ? 1 : 0) }
    #expect(try connection.value("SELECT bound(?)", "x") == 1)
    #expect(try connection.value("SELECT bound(?)", nil) == 1)
    #expect(try connection.value("SELECT bound('x')") == 0)
    #expect(try connection.value("SELECT bound(? || '')", "x") == 0)
    try connection.addFunction("beyond", arity: 1) { .integer(try $0.isBound(at: 1) ? 1 : 0) }
    #expect(failure { try connection.value("SELECT beyond(1)") }?.code == .range)
  }

  @Test(
    arguments: [
      (.text("12"), .integer(12)), (.text(" 1.5 "), .real(1.5)), (.text("1e3"), .real(1000)),
      (.text("x1"), .text("x1")), (.text(""), .text("")), (.blob([49]), .blob([49])),
      (.null, .null), (.integer(3), .integer(3)), (.real(2), .real(2)),
      (.text("9223372036854775808"), .real(9_223_372_036_854_775_808)),
    ] as [(DatabaseValue, DatabaseValue)])
  func `numeric converts text that looks like a number and leaves the argument unchanged`(
    value: DatabaseValue, number: DatabaseValue
  ) throws {
    let connection = try Connection.inTestedMode()
    try connection.addFunction("numeric", arity: 1) { values in
      let result = try values.numeric(at: 0)
      #expect(try values[0] == value)
      return result
    }
    #expect(try connection.value("SELECT numeric(?)", .value(value)) == number)
  }

  @Test func `numeric converts 10,000 random texts as a NUMERIC column does`() throws {
    let connection = try Connection.inTestedMode()
    try connection.addFunction("numeric", arity: 1) { try $0.numeric(at: 0) }
    try connection.execute(sql: "CREATE TABLE t(a NUMERIC)")
    let insert = try connection.prepare(sql: "INSERT INTO t VALUES (?1) RETURNING a, numeric(?1)")
    let characters = Array(" \t\u{B}+-.00123456789eExé")
    var random = SeededGenerator(seed: 42)
    var numbers = 0
    for _ in 0..<10_000 {
      let text = String(
        (0..<Int.random(in: 0...6, using: &random)).map { _ in
          characters.randomElement(using: &random) ?? " "
        })
      let row = try insert.bind(.string(text)).rows()[0].values
      switch (row[0], row[1]) {
      case (.text, .text): #expect(row[1] == .text(text))
      // In newer SQLite versions, `numeric` does not convert text that is surrounded by white space.
      case (.integer, .text(let kept)), (.real, .text(let kept)):
        #expect(kept == text && SQLiteVersion.numericKeepsSurroundedText)
        #expect(" \t\u{B}".contains(text.first ?? "x") || " \t\u{B}".contains(text.last ?? "x"))
      // A column also converts reals to integers.
      case (.integer(let stored), .real(let number)): #expect(Double(stored) == number)
      default:
        #expect(row[0] == row[1], "\(text.debugDescription)")
        numbers += 1
      }
    }
    #expect(numbers > 500)
  }
}
