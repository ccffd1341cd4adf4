import SluiceCore
import Testing

@Suite(.inEachThreadingMode) struct `I1 where an argument comes from, and as a number` {
  @Test func `a parameter is told from all else`() throws {
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
  func `text that looks like a number is one, and stays text`(
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
}
