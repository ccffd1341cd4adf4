import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `auxiliary data, subtypes and objects of functions` {
  private let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES ('a'), ('b'), ('c')")
  }

  @Test func `auxiliary data of a constant argument is created once per execution`() throws {
    let log = Texts()
    try connection.addFunction("f", arity: 2) { values in
      let made = try values.auxiliaryData(at: 0) { (text: String) in
        log.lines.append(text)
        return Made(text)
      }
      return .text(try made.text + values.get(String.self, at: 1))
    }
    let statement = try connection.prepare(sql: "SELECT f(?, a) FROM t")
    #expect(try statement.bind("x").query(.column(.string)) == ["xa", "xb", "xc"])
    #expect(log.lines == ["x"])
    #expect(try statement.bind("y").query(.column(.string)) == ["ya", "yb", "yc"])
    #expect(log.lines == ["x", "y"])
    #expect(try connection.value("SELECT count(DISTINCT f(a, 1)) FROM t") == 3)
    #expect(log.lines == ["x", "y", "a", "b", "c"])
  }

  @Test func `resetting the statement releases auxiliary data`() throws {
    weak var made: Made?
    try connection.addFunction("f", arity: 1) { values in
      let value = try values.auxiliaryData(at: 0) { (text: String) in Made(text) }
      made = value
      return .null
    }
    let statement = try connection.prepare(sql: "SELECT f('x') FROM t")
    let isAtRow = try statement.step() != nil
    #expect(isAtRow)
    #expect(made != nil)
    try statement.reset()
    #expect(made == nil)
  }

  @Test func `auxiliary data requested as another type is re-created`() throws {
    try connection.addFunction("f", arity: 1) { values in
      let number = try values.auxiliaryData(at: 0) { (number: Int) in number }
      let text = try values.auxiliaryData(at: 0) { (number: String) in "<\(number)>" }
      return .text("\(number)\(text)")
    }
    #expect(try connection.value("SELECT f(5)") == "5<5>")
  }

  @Test func `the statement rethrows an error of the closure that creates auxiliary data`() throws {
    try connection.addFunction("f", arity: 1) { values in
      .integer(try values.auxiliaryData(at: 0) { (_: Int) in throw SQLiteError(.full, "No") })
    }
    #expect(failure { try connection.value("SELECT f(1)") }?.code == .full)
    #expect(failure { try connection.value("SELECT f('x')") }?.code == .mismatch)
    try connection.addFunction("g", arity: -1) { values in
      .integer(try values.auxiliaryData(at: 3) { (number: Int64) in number })
    }
    #expect(failure { try connection.value("SELECT g(1)") }?.code == .range)
    #expect(failure { try connection.value("SELECT g()") }?.code == .range)
  }

  @Test func `a function receives an object bound to a parameter`() throws {
    try connection.addFunction("text_of", arity: 1) { values in
      .text(try values.object(Made.self, at: 0).text)
    }
    let object = SQLParameter.object(Made("x"))
    #expect(try connection.value("SELECT text_of(?)", object) == "x")
    #expect(try connection.value("SELECT typeof(?)", object) == "null")
    #expect(failure { try connection.value("SELECT ?", object) }?.code == .mismatch)
    #expect(failure { try connection.value("SELECT text_of(?)", .object(5)) }?.code == .mismatch)
    #expect(failure { try connection.value("SELECT text_of('x')") }?.code == .mismatch)
    #expect(failure { try connection.value("SELECT text_of(NULL)") }?.code == .mismatch)
  }

  @Test func `a function receives an object that another function returns`() throws {
    try connection.addFunction("make", arity: 1) { values in
      try values.setResultObject(Made(try values.get(at: 0)))
      return .null
    }
    try connection.addFunction("text_of", arity: 1) { values in
      .text(try values.object(Made.self, at: 0).text)
    }
    #expect(try connection.value("SELECT text_of(make('x'))") == "x")
    #expect(try connection.value("SELECT typeof(make('x'))") == "null")
    #expect(
      try connection.query(.column(.string), sql: "SELECT text_of(make(a)) FROM t")
        == ["a", "b", "c"])
  }

  @Test func `the array table function reads an array that a function returns`() throws {
    try connection.addFunction("letters", arity: 1) { values in
      try values.setResultObject(
        try values.get(String.self, at: 0).map { DatabaseValue.text("\($0)") })
      return .null
    }
    #expect(
      try connection.query(.column(.string), sql: "SELECT value FROM array(letters('abc'))")
        == ["a", "b", "c"])
  }

  @Test func `returning a value in addition to a result object throws misuse`() throws {
    try connection.addFunction("f", arity: 0) { values in
      try values.setResultObject(5)
      return 5
    }
    #expect(failure { try connection.value("SELECT f()") }?.code == .misuse)
  }

  @Test func `the result object of a function is released after the query`() throws {
    weak var made: Made?
    try connection.addFunction("make", arity: 0) { values in
      let object = Made("x")
      made = object
      try values.setResultObject(object)
      return .null
    }
    #expect(try connection.value("SELECT make()") == .null)
    #expect(made == nil)
  }

  @Test func `a function receives the subtype that another function sets`() throws {
    try connection.addFunction("mark", arity: 1, options: .resultSubtype) { values in
      try values.setResultSubtype(7)
      return try values[0]
    }
    try connection.addFunction("mark_of", arity: 1, options: .subtype) { values in
      .integer(Int64(try values.subtype(at: 0)))
    }
    #expect(try connection.value("SELECT mark_of(mark('x'))") == 7)
    #expect(try connection.value("SELECT mark_of('x')") == 0)
  }

  @Test
  func `a result subtype does not leak between nested or successive calls`()
    throws
  {
    try connection.addFunction("mark", arity: 1, options: .resultSubtype) { values in
      try values.setResultSubtype(try values.get(at: 0))
      return 1
    }
    try connection.addFunction("mark_of", arity: 1, options: .subtype) { values in
      .integer(Int64(try values.subtype(at: 0)))
    }
    try connection.addFunction("whole", arity: 1, options: .resultSubtype) { [connection] values in
      if try values.get(at: 0) { try values.setResultSubtype(7) }
      guard try connection.value("SELECT mark_of(mark(9))") == 9 else { return "part" }
      return "whole"
    }
    #expect(try connection.value("SELECT mark_of(whole(1))") == 7)
    #expect(try connection.value("SELECT mark_of(whole(0))") == 0)
    try connection.removeFunction("whole", arity: 1)
  }

  @Test func `the result object of a function that throws is discarded`() throws {
    weak var made: Made?
    try connection.addFunction("make", arity: 1) { values in
      guard try values.get(at: 0) else { return .null }
      let object = Made("x")
      made = object
      try values.setResultObject(object)
      throw SQLiteError(.full, "No")
    }
    try connection.addFunction("is_made", arity: 1) { values in
      .integer((try? values.object(Made.self, at: 0)) == nil ? 0 : 1)
    }
    let statement = try connection.prepare(sql: "SELECT is_made(make(?))")
    #expect(failure { try statement.bind(1).query(.column(.int)) }?.code == .full)
    #expect(made == nil)
    #expect(try statement.bind(0).query(.column(.int)) == [0])
  }

  @Test func `SQLite's JSON functions treat text with the JSON subtype as JSON`() throws {
    try connection.addFunction("list", arity: 0, options: .resultSubtype) { values in
      try values.setResultSubtype(UInt8(ascii: "J"))
      return "[1,2]"
    }
    #expect(try connection.value("SELECT json_array(list())") == "[[1,2]]")
    #expect(try connection.value("SELECT json_array('[1,2]')") == #"["[1,2]"]"#)
  }

  @Test func `an aggregate step cannot set a result subtype or object`() throws {
    final class Last: SQLAggregateFunction {
      var text = ""
      func step(_ values: borrowing SQLFunctionArguments) throws {
        text = try values.auxiliaryData(at: 0) { (text: String) in text + "!" }
        #expect(failure { try values.setResultSubtype(7) }?.code == .misuse)
        #expect(failure { try values.setResultObject(7) }?.code == .misuse)
      }
      func final() -> DatabaseValue { .text(text) }
    }
    try connection.addAggregateFunction("last", arity: 1) { Last() }
    #expect(try connection.value("SELECT last(a) FROM (SELECT a FROM t ORDER BY a)") == "c!")
  }
}

private final class Texts { var lines: [String] = [] }

private final class Made: Sendable {
  let text: String
  init(_ text: String) { self.text = text }
}
