import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `scalar functions` {
  let connection: Connection

  init() throws { connection = try Connection() }

  @Test func `a function receives its arguments and returns its result`() throws {
    try connection.addFunction("join3", arity: 3) { values in
      .text(try values.map { "\($0)" }.joined(separator: "|"))
    }
    #expect(try connection.value("SELECT join3(1, 'b', x'00ff')") == "1|'b'|x'00ff'")
  }

  @Test(
    arguments: [
      .integer(.min), .integer(.max), .integer(5_000_000_000), .real(-0.5), .real(.infinity),
      .text(""), .text("a\0b"), .text("ünï☃"), .blob([]), .blob([0, 255, 0]), .null,
    ] as [DatabaseValue])
  func `every kind of value round-trips as argument and result`(_ value: DatabaseValue) throws {
    try connection.addFunction("same", arity: 1) { values in try values[0] }
    try connection.addFunction("const", arity: 0) { _ in value }
    #expect(try connection.value("SELECT same(?)", .value(value)) == value)
    #expect(try connection.value("SELECT const()") == value)
    #expect(
      try connection.value("SELECT typeof(same(?1)) = typeof(?1)", .value(value)) == 1)
  }

  @Test func `a function that returns NaN throws mismatch`() throws {
    try connection.addFunction("nan", arity: 0) { _ in .real(.nan) }
    let error = failure { try connection.value("SELECT nan()") }
    #expect(error?.code == .mismatch)
    #expect(error?.message.contains("NaN") == true)
  }

  @Test func `a function that returns a value that is too large throws tooBig`() throws {
    try connection.addFunction("large", arity: 0) { _ in
      .blob([UInt8](repeating: 0, count: 1_000_000_001))
    }
    #expect(failure { try connection.value("SELECT length(large())") }?.code == .tooBig)
    #expect(try connection.value("SELECT 1") == 1)
  }

  @Test func `functions of the same name are distinguished by arity`() throws {
    try connection.addFunction("f", arity: 0) { _ in 0 }
    try connection.addFunction("f", arity: 2) { _ in 2 }
    try connection.addFunction("f", arity: -1) { values in .integer(Int64(-values.count)) }
    #expect(try connection.value("SELECT f()") == 0)
    #expect(try connection.value("SELECT f(1, 2)") == 2)
    #expect(try connection.value("SELECT f(1)") == -1)
    #expect(try connection.value("SELECT f(1, 2, 3)") == -3)
  }

  @Test func `a call of a function with the wrong number of arguments throws`() throws {
    try connection.addFunction("f", arity: 1) { _ in 1 }
    let error = failure { try connection.value("SELECT f(1, 2)") }
    #expect(error?.code == .error)
    #expect(error?.message == "wrong number of arguments to function f()")
    #expect(failure { try connection.value("SELECT f()") }?.code == .error)
  }

  @Test(arguments: [127, SQLiteVersion.mostArguments])
  func `a function accepts as many arguments as SQLite`(_ count: Int) throws {
    try connection.addFunction("f", arity: count) { values in .integer(Int64(values.count)) }
    let ones = Array(repeating: "1", count: count).joined(separator: ",")
    #expect(try connection.value("SELECT f(\(ones))") == DatabaseValue.integer(Int64(count)))
  }

  @Test(arguments: [-2, SQLiteVersion.mostArguments + 1, 9999, .max, .min, Int(Int32.max) + 1])
  func `adding a function with an arity out of range throws range`(_ arity: Int) {
    #expect(failure { try connection.addFunction("f", arity: arity) { _ in 1 } }?.code == .range)
    #expect(failure { try connection.removeFunction("f", arity: arity) }?.code == .range)
  }

  @Test func `adding a function whose name is too long or has a NUL throws misuse`() throws {
    let long = String(repeating: "f", count: 256)
    #expect(failure { try connection.addFunction(long, arity: 0) { _ in 1 } }?.code == .misuse)
    #expect(failure { try connection.addFunction("f\0g", arity: 0) { _ in 1 } }?.code == .misuse)
    #expect(failure { try connection.removeFunction("f\0g", arity: 0) }?.code == .misuse)
    try connection.addFunction(String(long.dropFirst()), arity: 0) { _ in 1 }
    #expect(try connection.value("SELECT \(long.dropFirst())()") == 1)
  }

  @Test func `adding a function replaces the function of the same name and arity`() throws {
    try connection.addFunction("f", arity: 0) { _ in 1 }
    try connection.addFunction("f", arity: 0) { _ in 2 }
    #expect(try connection.value("SELECT f()") == 2)
  }

  @Test func `calling a removed function throws`() throws {
    try connection.addFunction("f", arity: 1) { _ in 1 }
    try connection.removeFunction("f", arity: 1)
    let error = failure { try connection.value("SELECT f(1)") }
    #expect(error?.code == .error)
    #expect(error?.message == "no such function: f")
  }

  @Test func `removing a function with one arity preserves its other arities`() throws {
    try connection.addFunction("f", arity: 1) { _ in 1 }
    try connection.addFunction("f", arity: 2) { _ in 2 }
    try connection.addFunction("f", arity: -1) { _ in -1 }
    try connection.removeFunction("f", arity: 1)
    #expect(try connection.value("SELECT f(1, 2)") == 2)
    #expect(try connection.value("SELECT f()") == -1)
  }

  @Test func `removing a function that was never added has no effect`() throws {
    try connection.removeFunction("never", arity: 1)
    #expect(try connection.value("SELECT 1") == 1)
  }

  @Test func `replacing or removing a function throws busy while a statement runs`() throws {
    try connection.addFunction("f", arity: 0) { _ in 1 }
    let statement = try connection.prepare(sql: "SELECT f() UNION ALL SELECT f()")
    #expect(try statement.step() != nil)
    #expect(failure { try connection.removeFunction("f", arity: 0) }?.code == .busy)
    #expect(failure { try connection.addFunction("f", arity: 0) { _ in 2 } }?.code == .busy)
    try statement.reset()
    try connection.removeFunction("f", arity: 0)
    #expect(failure { try statement.step() == nil }?.message == "no such function: f")
  }

  @Test func `adding or removing a function on a closed connection throws misuse`() throws {
    try connection.close()
    #expect(failure { try connection.addFunction("f", arity: 0) { _ in 1 } }?.code == .misuse)
    #expect(failure { try connection.addFunction("f") { 1 } }?.code == .misuse)
    #expect(failure { try connection.removeFunction("f", arity: 0) }?.code == .misuse)
  }

  @Test func `the error for a function name that is too long states the limit`() throws {
    let error = failure {
      try Connection().addFunction(String(repeating: "n", count: 256), arity: 0) { _ in .null }
    }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("255") == true)
  }

  @Test func `unknown function options are ignored`() throws {
    let connection = try Connection()
    let options = FunctionOptions(rawValue: 4).union(.deterministic)
    try connection.addFunction("f", options: options) { (text: String) in text }
    #expect(try connection.value("SELECT f('é')") == "é")
  }
}
