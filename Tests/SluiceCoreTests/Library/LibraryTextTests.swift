import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.settings)) struct `text functions of the library` {
  @Test(
    arguments: [
      ("SELECT 1;", true), ("SELECT 1", false), ("", false), (";", true), ("SELECT ';", false),
      ("SELECT ';';", true), ("SELECT 1; -- more", true), ("/* ;", false),
      ("CREATE TRIGGER a AFTER INSERT ON b BEGIN SELECT 1;", false),
      ("CREATE TRIGGER a AFTER INSERT ON b BEGIN SELECT 1; END;", true),
    ])
  func `SQL is complete only after the semicolon that ends its statement`(
    sql: String, isComplete: Bool
  ) throws {
    #expect(try SQLiteLibrary.isComplete(sql: sql) == isComplete)
  }

  @Test(
    arguments: [
      ("Ada", "a%"), ("Ada", "A_A"), ("Ada", "B%"), ("", ""), ("", "%"), ("ä", "Ä"), ("ab", "a"),
      ("100%", "100!%"),
    ])
  func `a LIKE match gives the same result as in SQL`(text: String, pattern: String) throws {
    let connection = try Connection()
    #expect(
      try connection.value("SELECT ? LIKE ?", .string(text), .string(pattern))
        == (SQLiteLibrary.matches(text, like: pattern) ? 1 : 0))
    #expect(
      try connection.value("SELECT ? LIKE ? ESCAPE '!'", .string(text), .string(pattern))
        == (SQLiteLibrary.matches(text, like: pattern, escape: "!") ? 1 : 0))
  }

  @Test(arguments: [("Ada", "A*"), ("Ada", "a*"), ("Ada", "[A-C]d?"), ("a*", "a[*]"), ("", "*")])
  func `a GLOB match gives the same result as in SQL`(text: String, pattern: String) throws {
    let connection = try Connection()
    #expect(
      try connection.value("SELECT ? GLOB ?", .string(text), .string(pattern))
        == (SQLiteLibrary.matches(text, glob: pattern) ? 1 : 0))
  }

  @Test func `LIKE ignores the case of letters, and GLOB does not`() throws {
    #expect(try SQLiteLibrary.matches("Ada", like: "a%"))
    #expect(try !SQLiteLibrary.matches("Ada", like: "b%"))
    #expect(try SQLiteLibrary.matches("100%", like: "100!%", escape: "!"))
    #expect(try SQLiteLibrary.matches("Ada", glob: "A*"))
    #expect(try !SQLiteLibrary.matches("Ada", glob: "a*"))
  }

  @Test func `comparing names ignores the case of ASCII letters only`() throws {
    #expect(try SQLiteLibrary.isSameName("Person", as: "pERSON"))
    #expect(try !SQLiteLibrary.isSameName("person", as: "persons"))
    #expect(try !SQLiteLibrary.isSameName("ä", as: "Ä"))
    #expect(try SQLiteLibrary.isSameName("sqlite_stat1", as: "SQLITE_schema", bytes: 8))
    #expect(try !SQLiteLibrary.isSameName("a", as: "b", bytes: .max))
    #expect(try SQLiteLibrary.isSameName("a", as: "b", bytes: 0))
    #expect(failure { try SQLiteLibrary.isSameName("a", as: "b", bytes: -1) }?.code == .range)
  }

  @Test func `the text functions throw for a NUL and for a pattern with too many wildcards`() {
    #expect(failure { try SQLiteLibrary.isComplete(sql: ";\0") }?.code == .misuse)
    #expect(failure { try SQLiteLibrary.matches("a\0b", like: "a") }?.code == .misuse)
    #expect(failure { try SQLiteLibrary.matches("a", glob: "a\0b") }?.code == .misuse)
    #expect(failure { try SQLiteLibrary.isSameName("a\0", as: "a") }?.code == .misuse)
    #expect(failure { try SQLiteLibrary.isSameName("a", as: "a\0") }?.code == .misuse)
    let long = String(repeating: "%a*", count: 1_001)
    #expect(failure { try SQLiteLibrary.matches("a", like: long) }?.code == .tooBig)
    #expect(failure { try SQLiteLibrary.matches("a", glob: long) }?.code == .tooBig)
  }

  @Test func `a very long pattern does not overflow the stack`() throws {
    let text = String(repeating: "ab", count: 1_000)
    let pattern = String(repeating: "%a", count: 1_000) + String(repeating: "_", count: 100_000)
    #expect(try !SQLiteLibrary.matches(text, like: pattern))
  }

  @Test func `isBuilt accepts each reported compile option and rejects other names`() {
    for option in SQLiteLibrary.compileOptions {
      #expect(SQLiteLibrary.isBuilt(with: option), "\(option)")
      #expect(SQLiteLibrary.isBuilt(with: "SQLITE_" + option), "\(option)")
    }
    for option in ["", "ENABLE_NOTHING", "THREADSAFE\0", "THREADSAFE=7"] {
      #expect(!SQLiteLibrary.isBuilt(with: option))
    }
  }
}
