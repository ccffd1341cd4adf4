import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `functions with typed parameters` {
  let connection: Connection

  init() throws { connection = try Connection() }

  @Test func `a closure's parameters determine the arity and the argument types`() throws {
    try connection.addFunction("none") { 7 }
    try connection.addFunction("one") { (text: String) in text.utf8.count }
    try connection.addFunction("two") { (a: Double, b: Double) in (a * a + b * b).squareRoot() }
    try connection.addFunction("three") { (a: Int, b: String, c: [UInt8]) in
      "\(a + 1)/\(b)/\(c.count)"
    }
    #expect(try connection.value("SELECT none()") == 7)
    #expect(try connection.value("SELECT one('a' || char(0) || 'é')") == 4)
    #expect(try connection.value("SELECT two(3, 4.0)") == 5.0)
    #expect(try connection.value("SELECT three(1, 'b', x'000000')") == "2/b/3")
  }

  @Test(arguments: ["none(1)", "one()", "one(1, 2)", "two(1)"])
  func `a call of a typed function with the wrong number of arguments throws`(_ call: String) throws
  {
    try connection.addFunction("none") { 7 }
    try connection.addFunction("one") { (a: Int) in a }
    try connection.addFunction("two") { (a: Int, b: Int) in a + b }
    let error = failure { try connection.value("SELECT \(call)") }
    #expect(error?.message.hasPrefix("wrong number of arguments") == true)
  }

  @Test func `an optional argument accepts NULL, and an optional result can be NULL`() throws {
    try connection.addFunction("next") { (a: Int?) -> Int? in a.map { $0 + 1 } }
    try connection.addFunction("known") { (a: String?, b: Int?) in a != nil && b == nil }
    #expect(try connection.value("SELECT next(NULL)") == .null)
    #expect(try connection.value("SELECT next(1)") == 2)
    #expect(try connection.value("SELECT known('', NULL)") == 1)
    #expect(try connection.value("SELECT known(NULL, 1)") == 0)
  }

  @Test func `a byte array argument accepts text and blobs, including invalid UTF-8`() throws {
    try connection.addFunction("byte_count") { (a: [UInt8]) in a.count }
    try connection.addFunction("count_of_some") { (a: [UInt8]?) in a?.count }
    for text in ["CAST(x'61ff00' AS TEXT)", "x'61ff00'", "'abc'"] {
      #expect(try connection.value("SELECT byte_count(\(text))") == 3)
      #expect(try connection.value("SELECT count_of_some(\(text))") == 3)
    }
    #expect(try connection.value("SELECT count_of_some(NULL)") == .null)
    for value in ["1", "1.5", "NULL"] {
      let error = failure { try connection.value("SELECT byte_count(\(value))") }
      #expect(error?.code == .mismatch)
      #expect(error?.message.hasPrefix("byte_count: Argument 1 is ") == true)
    }
  }

  @Test(arguments: [
    ("NULL, 1", 1), ("'x', 1", 1), ("1.5, 1", 1), ("x'', 1", 1), ("1, NULL", 2), ("1, 'x'", 2),
    ("1, x'31'", 2),
  ])
  func `an argument of another type throws mismatch with the argument's number`(
    _ call: (String, Int)
  ) throws {
    var didRun = false
    try connection.addFunction("f") { (a: Int, b: Int?, c: Int) in
      didRun = true
      return a + c
    }
    try connection.addFunction("g") { (a: Int, c: Int) in
      didRun = true
      return a + c
    }
    let error = failure { try connection.value("SELECT g(\(call.0))") }
    #expect(error?.code == .mismatch)
    #expect(error?.message.contains(": Argument \(call.1) is ") == true)
    #expect(failure { try connection.value("SELECT f(1, 'x', 1)") }?.code == .mismatch)
    #expect(!didRun)
  }

  @Test func `a typed argument is converted only if nothing is lost`() throws {
    try connection.addFunction("int") { (a: Int) in a }
    try connection.addFunction("double") { (a: Double) in a }
    #expect(try connection.value("SELECT int(3.0)") == 3)
    #expect(try connection.value("SELECT int('42')") == 42)
    #expect(try connection.value("SELECT double(3)") == 3.0)
    #expect(failure { try connection.value("SELECT double(9007199254740993)") }?.code == .mismatch)
  }

  @Test func `integer arguments and results out of range throw`() throws {
    try connection.addFunction("small") { (a: Int8) in a }
    try connection.addFunction("large") { (a: UInt64) in a }
    try connection.addFunction("maximum") { UInt64.max }
    try connection.addFunction("fits") { UInt64(Int64.max) }
    #expect(try connection.value("SELECT small(-128)") == -128)
    #expect(failure { try connection.value("SELECT small(128)") }?.code == .mismatch)
    #expect(failure { try connection.value("SELECT large(-1)") }?.code == .mismatch)
    #expect(try connection.value("SELECT large(5000000000)") == 5_000_000_000)
    #expect(failure { try connection.value("SELECT maximum()") }?.code == .range)
    #expect(try connection.value("SELECT fits()") == .integer(.max))
  }

  @Test func `a Bool argument accepts only 0 and 1`() throws {
    try connection.addFunction("negate") { (a: Bool) in !a }
    #expect(try connection.value("SELECT negate(0)") == 1)
    #expect(try connection.value("SELECT negate(1)") == 0)
    #expect(failure { try connection.value("SELECT negate(2)") }?.code == .mismatch)
    #expect(failure { try connection.value("SELECT negate(NULL)") }?.code == .mismatch)
  }

  @Test func `byte arrays are passed and returned as blobs`() throws {
    try connection.addFunction("reversed") { (a: [UInt8]) in [UInt8](a.reversed()) }
    #expect(try connection.value("SELECT reversed(x'0102')") == .blob([2, 1]))
    #expect(try connection.value("SELECT reversed(x'')") == .blob([]))
    #expect(try connection.value("SELECT typeof(reversed(zeroblob(0)))") == "blob")
  }

  @Test(arguments: [
    "", "a", "\0", "a\0", "a\0b", "\0a", "fifteen letters", "sixteen letters!", "Straße",
    String(repeating: "long ", count: 20_000), String(repeating: "\0", count: 100),
  ])
  func `text passes through a function unchanged`(_ text: String) throws {
    try connection.addFunction("same") { (a: String) in a }
    try connection.addFunction("tail", arity: 1) { values in
      .text(String(("x" + (try values.get(String.self, at: 0))).dropFirst()))
    }
    for name in ["same", "tail"] {
      let sql = "SELECT \(name)(?1) = ?1, hex(\(name)(?1)) = hex(?1), \(name)(?1)"
      let row = try connection.prepare(sql: sql).bind(.string(text)).query(.values)[0]
      #expect(row.values == [1, 1, .text(text)])
    }
  }

  @Test func `invalid UTF-8 in a String argument throws mismatch`() throws {
    try connection.addFunction("f") { (a: Int, b: String) in b }
    let error = failure { try connection.value("SELECT f(1, cast(x'ff' AS TEXT))") }
    #expect(error?.code == .mismatch)
    #expect(error?.message.contains(": Argument 2 ") == true)
  }

  @Test func `UTF-8 validation is correct for a character at any position`() throws {
    try connection.addFunction("same") { (text: String) in text }
    let statement = try connection.prepare(sql: "SELECT same(CAST(? AS TEXT))")
    for count in 1...40 {
      for place in 0..<count {
        let ascii = [UInt8](repeating: UInt8(ascii: "a"), count: count - 1)
        for character in [[0], [0x7f], [0xc3, 0xa9]] as [[UInt8]] {
          let text = Array(ascii[..<place] + character + ascii[place...])
          let read = try statement.bind(.value(.blob(text))).first(.column(.string))
          #expect(read.map { Array($0.utf8) } == text)
        }
        for wrong in [0x80, 0xff] as [UInt8] {
          let text = Array(ascii[..<place] + [wrong] + ascii[place...])
          let error = failure {
            try statement.bind(.value(.blob(text))).first(.column(.string))
          }
          #expect(error?.code == .mismatch)
        }
      }
    }
  }

  @Test func `a typed function that returns NaN throws mismatch`() throws {
    try connection.addFunction("root") { (a: Double) in a.squareRoot() }
    #expect(try connection.value("SELECT root(4)") == 2.0)
    #expect(failure { try connection.value("SELECT root(-1)") }?.code == .mismatch)
  }

  @Test func `the statement throws the error of a typed function`() throws {
    try connection.addFunction("f") { (a: Int) throws -> Int in
      throw SQLiteError(.constraintFunction, "never \(a)")
    }
    let error = failure { try connection.value("SELECT f(3)") }
    #expect(error?.code == .constraintFunction)
    #expect(error?.message == "never 3")
  }

  @Test func `an error about an argument names the function`() throws {
    try connection.addFunction("half") { (a: Int) in a / 2 }
    try connection.addFunction("third", arity: -1) { values in try values[2] }
    try connection.addFunction("fail") { (a: Int) -> Int in throw SQLiteError(.error, "never \(a)")
    }
    let message = { [connection] (sql: String) in failure { try connection.value(sql) }?.message }
    #expect(
      message("SELECT half(3), half('x')") == "half: Argument 1 is TEXT and cannot be read as Int")
    #expect(
      message("SELECT half(third(1))")
        == "third: Argument at index 2 is missing; the function received 1 arguments")
    #expect(message("SELECT fail(half(2))") == "never 1")
  }

  @Test func `a custom type can be an argument and a result`() throws {
    try connection.addFunction("warmer") { (a: Celsius) in Celsius(degrees: a.degrees + 1) }
    #expect(try connection.value("SELECT warmer(20.5)") == 21.5)
    #expect(failure { try connection.value("SELECT warmer('hot')") }?.code == .mismatch)
  }

  @Test func `a typed function is removed by its arity`() throws {
    try connection.addFunction("f") { (a: Int, b: Int) in a + b }
    try connection.removeFunction("f", arity: 2)
    #expect(failure { try connection.value("SELECT f(1, 2)") }?.message == "no such function: f")
  }
}

private struct Celsius: SQLValue {
  var degrees: Double

  init(degrees: Double) { self.degrees = degrees }

  init?(databaseValue: DatabaseValue) {
    guard let degrees = Double(databaseValue: databaseValue) else { return nil }
    self.init(degrees: degrees)
  }

  var databaseValue: DatabaseValue { .real(degrees) }
}
