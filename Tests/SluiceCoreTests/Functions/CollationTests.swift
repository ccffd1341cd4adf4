import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.collations)) struct `collations` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: "CREATE TABLE t(a); INSERT INTO t VALUES ('b'), ('C'), ('a'), ('é')")
  }

  private func sorted(_ collation: String) throws -> [DatabaseValue] {
    try connection.column("SELECT a FROM t ORDER BY a COLLATE \(collation)")
  }

  /// Adds a collation that orders text by length, then in reverse.
  private func addOdd(_ name: String = "odd") throws {
    try connection.addCollation(name) { (a: String, b: String) in
      a.count == b.count ? SQLOrder(b, a) : SQLOrder(a.count, b.count)
    }
  }

  @Test func `a collation orders text by the results of its closure`() throws {
    try addOdd()
    try connection.execute(sql: "INSERT INTO t VALUES ('aa')")
    #expect(try sorted("odd") == ["é", "b", "a", "C", "aa"])
    #expect(try connection.value("SELECT 'a' < 'b' COLLATE odd") == 0)
    #expect(try connection.value("SELECT max(a COLLATE odd) FROM t") == "aa")
  }

  @Test func `SQL treats texts as equal if their collation orders them as the same`() throws {
    try connection.addCollation("caseless") { (a: String, b: String) in
      SQLOrder(a.lowercased(), b.lowercased())
    }
    #expect(try connection.value("SELECT 'É' = 'é' COLLATE caseless") == 1)
    #expect(try connection.value("SELECT 'É' = 'e' COLLATE caseless") == 0)
    try connection.execute(
      sql: "CREATE TABLE u(a UNIQUE COLLATE caseless); INSERT INTO u VALUES ('x')")
    let error = failure { try connection.execute(sql: "INSERT INTO u VALUES ('X')") }
    #expect(error?.code == .constraintUnique)
  }

  @Test func `a collation can compare spans of UTF-8 bytes`() throws {
    try connection.addCollation("bytes") { (a: Span<UInt8>, b: Span<UInt8>) in
      for index in 0..<min(a.count, b.count) where a[index] != b[index] {
        return SQLOrder(b[index], a[index])
      }
      return SQLOrder(b.count, a.count)
    }
    try connection.addCollation("labelled", comparingUTF8: { a, b in SQLOrder(b.count, a.count) })
    #expect(try sorted("bytes") == ["é", "b", "a", "C"])
    #expect(try sorted("labelled").first == "é")
  }

  @Test func `an index with a collation gives correct results and passes the integrity check`()
    throws
  {
    try addOdd()
    try connection.execute(sql: "CREATE INDEX i ON t(a COLLATE odd)")
    #expect(try sorted("odd") == ["é", "b", "a", "C"])
    #expect(try connection.integers("SELECT rowid FROM t WHERE a COLLATE odd = 'a'") == [3])
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
  }

  @Test func `a collation is not called for numbers, blobs and NULL`() throws {
    let tally = Tally()
    try connection.addCollation("counting") { (a: String, b: String) in
      tally.count += 1
      return SQLOrder(a, b)
    }
    try connection.execute(
      sql: "DELETE FROM t; INSERT INTO t VALUES (x'02'), (2), (NULL), (1.5), (x'')")
    #expect(try sorted("counting") == [.null, 1.5, 2, .blob([]), .blob([2])])
    #expect(tally.count == 0)
  }

  @Test func `a collation receives text with a NUL and empty text`() throws {
    let log = Log()
    try connection.addCollation("logging") { (a: String, b: String) in
      log.entries = [a, b].sorted()
      return SQLOrder(a, b)
    }
    #expect(
      try connection.value("SELECT ?1 < ?2 COLLATE logging", "a\0b", "a\0c") == 1)
    #expect(log.entries == ["a\0b", "a\0c"])
    #expect(try connection.value("SELECT '' = ?1 COLLATE logging", "\0") == 0)
    #expect(log.entries == ["", "\0"])
    #expect(try connection.value("SELECT '' = '' COLLATE logging") == 1)
    #expect(log.entries == ["", ""])
  }

  @Test func `a collation receives invalid UTF-8 as repaired text or as raw bytes`() throws {
    let log = Log()
    try connection.addCollation("strings") { (a: String, b: String) in
      log.entries = [a, b].sorted()
      return SQLOrder(a, b)
    }
    try connection.addCollation(
      "bytewise",
      comparingUTF8: { a, b in
        log.entries = [bytes(a), bytes(b)].map { "\($0)" }.sorted()
        return SQLOrder(a.count, b.count)
      })
    _ = try connection.value("SELECT cast(x'ff41' AS TEXT) < 'b' COLLATE strings")
    #expect(log.entries == ["b", "\u{FFFD}A"])
    _ = try connection.value("SELECT cast(x'ff41' AS TEXT) < 'b' COLLATE bytewise")
    #expect(log.entries == ["[255, 65]", "[98]"])
  }

  @Test func `a collation that compares Swift strings orders 10,000 random texts as Swift does`()
    throws
  {
    var random = SeededGenerator(seed: 11)
    try connection.addCollation("swift") { (a: String, b: String) in SQLOrder(a, b) }
    let statement = try connection.prepare(
      sql: "SELECT cast(?1 AS TEXT) < cast(?2 AS TEXT) COLLATE swift")
    for _ in 0..<10_000 {
      let texts = (0..<2).map { _ in
        var bytes = Array(String(randomScalars(&random)).utf8)
        if Int.random(in: 0..<4, using: &random) == 0 {
          bytes.append(.random(in: 128...255, using: &random))
        }
        return bytes
      }
      let isLess = try statement.bind(.bytes(texts[0]), .bytes(texts[1])).first(.column(.bool))
      let decoded = texts.map { String(decoding: $0, as: UTF8.self) }
      try #require(isLess == (decoded[0] < decoded[1]))
    }
  }

  @Test func `adding a collation replaces the collation with the same name`() throws {
    try addOdd()
    try connection.addCollation("odd") { (a: String, b: String) in SQLOrder(a, b) }
    #expect(try sorted("odd") == ["C", "a", "b", "é"])
  }

  @Test func `a statement that uses a removed collation throws`() throws {
    try addOdd()
    try connection.removeCollation("odd")
    let error = failure { try sorted("odd") }
    #expect(error?.code == .errorMissingCollation || error?.code == .error)
    #expect(error?.message == "no such collation sequence: odd")
    try connection.removeCollation("odd")
    try connection.removeCollation("never")
  }

  @Test func `replacing or removing a collation throws busy while a statement runs`() throws {
    try addOdd()
    let statement = try connection.prepare(sql: "SELECT a FROM t ORDER BY a COLLATE odd")
    #expect(try statement.step() != nil)
    #expect(failure { try connection.removeCollation("odd") }?.code == .busy)
    #expect(failure { try addOdd() }?.code == .busy)
    try statement.reset()
    try connection.removeCollation("odd")
  }

  @Test func `adding a collation throws misuse for a name with a NUL or a closed connection`()
    throws
  {
    #expect(failure { try addOdd("o\0dd") }?.code == .misuse)
    #expect(failure { try connection.removeCollation("o\0dd") }?.code == .misuse)
    try connection.close()
    #expect(failure { try addOdd() }?.code == .misuse)
    #expect(failure { try connection.removeCollation("odd") }?.code == .misuse)
    #expect(failure { try connection.onCollationNeeded { _, _ in } }?.code == .misuse)
  }
}
