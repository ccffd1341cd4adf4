import SluiceCore
import TestSupport
import Testing

@Suite struct `functions with borrowed arguments` {
  let connection: Connection

  init() throws { connection = try Connection() }

  private func addHex(to connection: Connection) throws {
    try connection.addFunction("own_hex") { (bytes: Span<UInt8>) in
      bytes.indices.map { String(bytes[$0], radix: 16) }.joined(separator: " ")
    }
  }

  @Test(arguments: [
    ("''", ""), ("'abc'", "61 62 63"), ("'é'", "c3 a9"), ("'a' || char(0) || 'b'", "61 0 62"),
    ("char(0)", "0"), ("x''", ""), ("x'00ff'", "0 ff"), ("zeroblob(2)", "0 0"),
    ("CAST(x'61ff00' AS TEXT)", "61 ff 0"), ("printf('%09d', 7)", "30 30 30 30 30 30 30 30 37"),
  ])
  func `a function borrows the bytes of text and blobs unchanged`(_ call: (String, String)) throws {
    try addHex(to: connection)
    #expect(try connection.value("SELECT own_hex(\(call.0))") == .text(call.1))
  }

  @Test(arguments: ["UTF-16le", "UTF-16be"])
  func `a function borrows the text of a UTF-16 database as UTF-8`(_ encoding: String) throws {
    try connection.execute(sql: "PRAGMA encoding = '\(encoding)'; CREATE TABLE t(a)")
    try connection.execute("INSERT INTO t VALUES ('aé' || char(0)), (x'0041')")
    try addHex(to: connection)
    #expect(
      try connection.query(.column(.string), "SELECT own_hex(a) FROM t")
        == ["61 c3 a9 0", "0 41"])
  }

  @Test func `a function can borrow the same value for two arguments`() throws {
    try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES ('a longer text, as bytes')")
    try connection.addFunction("difference") { (a: Span<UInt8>, b: Span<UInt8>) in
      b.indices.count { a[$0] != b[$0] } + a.count - b.count
    }
    #expect(try connection.value("SELECT difference(a, a) FROM t") == 0)
    #expect(try connection.value("SELECT difference(a || 'x', upper(a)) FROM t") == 19)
  }

  @Test func `a function can mix borrowed and copied arguments in any order`() throws {
    try connection.addFunction("byte_at") { (text: Span<UInt8>, index: Int) in
      text.indices.contains(index) ? text[index] : nil
    }
    try connection.addFunction("count_from") { (start: Int, text: Span<UInt8>, end: String) in
      start + text.count + end.utf8.count
    }
    #expect(try connection.value("SELECT byte_at('abc', 1)") == 98)
    #expect(try connection.value("SELECT byte_at('abc', 3)") == .null)
    #expect(try connection.value("SELECT count_from(100, 'abc', 'de')") == 105)
    #expect(failure { try connection.value("SELECT byte_at('abc', 'x')") }?.code == .mismatch)
  }

  @Test func `an optional borrowed argument accepts NULL, and a required one throws`() throws {
    try connection.addFunction("count_or_minus") { (text: Span<UInt8>?) in text?.count ?? -1 }
    try connection.addFunction("sum_of_counts") { (a: Span<UInt8>?, b: Span<UInt8>, c: Int?) in
      (a?.count ?? 100) + b.count + (c ?? 1000)
    }
    #expect(try connection.value("SELECT count_or_minus(NULL)") == -1)
    #expect(try connection.value("SELECT count_or_minus('')") == 0)
    #expect(try connection.value("SELECT sum_of_counts(NULL, 'ab', NULL)") == 1102)
    #expect(try connection.value("SELECT sum_of_counts('a', 'ab', 0)") == 3)
    let error = failure { try connection.value("SELECT sum_of_counts('a', NULL, 0)") }
    #expect(error?.code == .mismatch)
    #expect(error?.message == "sum_of_counts: Argument 2 is NULL and cannot be read as Span<UInt8>")
  }

  @Test(arguments: ["1", "1.5"]) func `a number for a borrowed argument throws mismatch`(
    _ number: String
  ) throws {
    var didRun = false
    try connection.addFunction("f") { (text: Span<UInt8>, other: Span<UInt8>?) in
      didRun = true
      return text.count
    }
    for call in ["f(a, 'x')", "f('x', a)"] {
      let sql = "SELECT \(call) FROM (SELECT \(number) AS a)"
      let error = failure { try connection.value(sql) }
      #expect(error?.code == .mismatch)
    }
    #expect(!didRun)
  }

  @Test
  func `the statement rethrows an error of a borrowing function, which is removed by its arity`()
    throws
  {
    try connection.addFunction("f") { (a: Span<UInt8>, b: Span<UInt8>) throws -> Int in
      throw SQLiteError(.constraintFunction, "never \(a.count) and \(b.count)")
    }
    let error = failure { try connection.value("SELECT f('a', 'bc')") }
    #expect(error?.code == .constraintFunction)
    #expect(error?.message == "never 1 and 2")
    try connection.removeFunction("f", arity: 2)
    #expect(failure { try connection.value("SELECT f(1, 2)") }?.message == "no such function: f")
  }

  @Test func `a nested statement leaves borrowed bytes unchanged`() throws {
    try connection.addFunction("sum_of_bytes") { [unowned connection] (a: Span<UInt8>) in
      let before = a.indices.reduce(0) { $0 + Int(a[$1]) }
      _ = try connection.value("SELECT group_concat(upper(name)) FROM pragma_function_list")
      return before == a.indices.reduce(0) { $0 + Int(a[$1]) } ? before : nil
    }
    #expect(try connection.value("SELECT sum_of_bytes('a' || printf('%0100d', 0))") == 4897)
  }
}
