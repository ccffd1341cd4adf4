import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.functions, .reliability)) struct `function arguments` {
  let connection: Connection

  init() throws { connection = try Connection() }

  /// Calls a function with the arguments in `sql`, and returns the result of `body`.
  @discardableResult
  private func call(
    _ sql: String, _ body: @escaping (borrowing SQLFunctionArguments) throws -> DatabaseValue
  ) throws -> DatabaseValue {
    try connection.addFunction("f", arity: -1, body)
    return try connection.value("SELECT f(\(sql))")
  }

  @Test func `a function's arguments report their count and indices`() throws {
    try call("1, 2, 3") { values throws in
      #expect(values.count == 3)
      #expect(values.indices == 0..<3)
      #expect(values.isEmpty == false)
      #expect(try values.first == 1)
      return .null
    }
    try call("") { values throws in
      #expect(values.count == 0)
      #expect(values.isEmpty == true)
      #expect(try values.first == DatabaseValue?.none)
      #expect(try values.map { $0 } == [])
      return .null
    }
  }

  @Test(arguments: [-1, 2, .max, .min, Int(Int32.max) + 1, Int(UInt32.max) + 1])
  func `reading an argument at an index out of range throws range`(_ index: Int) throws {
    try call("1, 2") { values throws in
      let codes = [
        thrown { try values[index] }, thrown { try values.get(Int.self, at: index) },
        thrown { try values.storageClass(at: index) }, thrown { try values.integer(at: index) },
        thrown { try values.real(at: index) },
        thrown { try values.withUTF8(at: index) { $0.count } },
        thrown { try values.withBytes(at: index) { $0.count } },
      ]
      #expect(codes == Array(repeating: .range, count: 7))
      return .null
    }
    func thrown<T>(_ body: () throws -> T) -> ResultCode? { failure(body)?.code }
    #expect(failure { try call("1") { values in try values[index] } }?.code == .range)
  }

  @Test func `withUTF8 and withBytes borrow bytes without validation`() throws {
    try call("'a' || char(0) || 'b', x'00ff', cast(x'ff41' AS TEXT), x'', ''") { values throws in
      #expect(try values.withUTF8(at: 0, bytes) == [0x61, 0, 0x62])
      #expect(try values.withBytes(at: 1, bytes) == [0, 0xff])
      #expect(try values.withUTF8(at: 2, bytes) == [0xff, 0x41])
      #expect(try values.withBytes(at: 3, bytes) == [])
      #expect(try values.withUTF8(at: 4, bytes) == [])
      return .null
    }
  }

  @Test func `borrowing bytes of another type throws mismatch with the argument's number`() throws {
    try call("1, 2.5, NULL, 'a', x'00'") { values throws in
      for index in 0..<5 where index != 3 {
        let error = failure { try values.withUTF8(at: index) { $0.count } }
        #expect(error?.code == .mismatch)
        #expect(error?.message.contains("Argument \(index + 1)") == true)
      }
      for index in 0..<4 {
        #expect(failure { try values.withBytes(at: index) { $0.count } }?.code == .mismatch)
      }
      // The refused calls have not changed the arguments.
      #expect(try values.map { $0 } == [1, 2.5, .null, "a", .blob([0])])
      return .null
    }
  }

  @Test func `withUTF8 rethrows the error of its closure`() throws {
    try call("'a'") { values throws in
      #expect(throws: ForeignError()) { try values.withUTF8(at: 0) { _ in throw ForeignError() } }
      return .null
    }
  }

  @Test func `integer and real apply SQLite's lossy conversions`() throws {
    try call("'42abc', 'abc', 3.9, NULL, x'3432', -1") { values throws in
      #expect(try values.indices.map { try values.integer(at: $0) } == [42, 0, 3, 0, 42, -1])
      #expect(try values.indices.map { try values.real(at: $0) } == [42, 0, 3.9, 0, 42, -1])
      #expect(try values[0] == "42abc")
      #expect(try values.storageClass(at: 4) == .blob)
      return .null
    }
  }

  @Test(arguments: ["NULL", "''", "x''", "zeroblob(0)"])
  func `each way to read an argument handles NULL and empty values`(_ sql: String) throws {
    try call(sql) { values throws in
      let value = try values[0]
      #expect(value == (sql == "NULL" ? .null : sql == "''" ? "" : .blob([])))
      #expect(try values.first == value)
      #expect(try values.storageClass(at: 0) == value.storageClass)
      #expect(try values.integer(at: 0) == 0)
      #expect(try values.real(at: 0) == 0)
      #expect((failure { try values.get(Int.self, at: 0) })?.code == .mismatch)
      #expect(
        failure { try values.get(String.self, at: 0) }?.code == (sql == "NULL" ? .mismatch : nil))
      #expect(
        failure { try values.get([UInt8].self, at: 0) }?.code == (sql == "NULL" ? .mismatch : nil))
      #expect(failure { try values.text(at: 0) }?.code == (sql == "NULL" ? .mismatch : nil))
      #expect(failure { try values.blob(at: 0) }?.code == (sql == "NULL" ? .mismatch : nil))
      #expect(try values.subtype(at: 0) == 0)
      #expect((failure { try values.object(String.self, at: 0) })?.code == .mismatch)
      #expect(try values.auxiliaryData(at: 0) { (value: DatabaseValue) in value } == value)
      #expect(
        failure { try values.withUTF8(at: 0, bytes) }?.code == (sql == "''" ? nil : .mismatch))
      #expect(
        failure { try values.withBytes(at: 0, bytes) }?.code
          == (value.storageClass == .blob ? nil : .mismatch))
      #expect(try values.get(DatabaseValue.self, at: 0) == value)
      return value
    }
  }

  @Test func `a function can read invalid UTF-8 as bytes, but reading it as text throws mismatch`()
    throws
  {
    try call("1, cast(x'ff' AS TEXT)") { values throws in
      let error = failure { try values[1] }
      #expect(error?.code == .mismatch)
      #expect(error?.message == "Argument 2 is not valid UTF-8")
      #expect(failure { try values.get(String.self, at: 1) }?.code == .mismatch)
      #expect(failure { try values.map { $0 } }?.code == .mismatch)
      #expect(try values.withUTF8(at: 1, bytes) == [0xff])
      return .null
    }
    #expect(failure { try call("cast(x'c3' AS TEXT)") { try $0[0] } }?.code == .mismatch)
    #expect(try connection.value("SELECT 1") == 1)
  }

  @Test func `10,000 random strings round-trip as function arguments and results`() throws {
    var random = SeededGenerator(seed: 9)
    try connection.addFunction("f", arity: 1) { values in try values[0] }
    try connection.addFunction("g") { (text: String) in text }
    let statement = try connection.prepare(sql: "SELECT f(?1), g(?1), length(cast(f(?1) AS BLOB))")
    for _ in 0..<10_000 {
      let text = String(randomScalars(&random))
      let row = try #require(try statement.bind(.string(text)).first(.values)).map(\.value)
      try #require(row == [.text(text), .text(text), .integer(Int64(text.utf8.count))])
    }
  }

  @Test func `10,000 random byte sequences are read as valid text or throw mismatch`() throws {
    var random = SeededGenerator(seed: 10)
    try connection.addFunction("f", arity: 1) { values in try values[0] }
    let statement = try connection.prepare(sql: "SELECT f(cast(? AS TEXT)) IS NOT NULL")
    var refused = 0
    for _ in 0..<10_000 {
      let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        Bool.random(using: &random)
          ? UInt8.random(in: 0...127, using: &random) : .random(in: 0...255, using: &random)
      }
      let isText = String(validating: bytes, as: UTF8.self) != nil
      let error = failure { try statement.bind(.bytes(bytes)).first(.column(.int)) }
      try #require(error?.code == (isText ? nil : .mismatch))
      if !isText { refused += 1 }
    }
    #expect(refused > 1000)
  }
}

/// Returns a copy of borrowed bytes.
func bytes(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }

/// Returns a few scalars of any length in UTF-8, some of them NUL.
func randomScalars(_ random: inout SeededGenerator) -> String.UnicodeScalarView {
  var scalars = String.UnicodeScalarView()
  for _ in 0..<Int.random(in: 0...8, using: &random) {
    let bounds: [UInt32] = [1, 0x80, 0x800, 0x1_0000, 0x11_0000]
    let number = UInt32.random(
      in: 0..<bounds[Int.random(in: 0..<5, using: &random)], using: &random)
    scalars.append(Unicode.Scalar(number) ?? "\0")
  }
  return scalars
}
