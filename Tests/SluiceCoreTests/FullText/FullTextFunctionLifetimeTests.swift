import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.connections), .enabled(if: SQLiteLibrary.has(.fts5)))
struct `the lifetime of full-text functions` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.makeColumns()
  }

  @Test
  func `a full-text function is released when it is replaced, removed or refused, or on close`()
    throws
  {
    let counter = ObjectCounter()
    func add(_ name: String) throws {
      let held = counter.hold()
      try connection.addFullTextFunction(name) { _ in withExtendedLifetime(held) { 1 } }
    }
    try add("f")
    try add("F")
    #expect(counter.living == 1)
    try connection.removeFullTextFunction("f")
    #expect(counter.living == 0)
    #expect(failure { try connection.removeFullTextFunction("f") }?.code == .notFound)
    #expect(
      failure { try connection.execute(sql: "SELECT f(note) FROM note") }?.message
        == "no such function: f")
    for name in ["bm25", "Highlight", "snippet", "", "a\0", String(repeating: "x", count: 256)] {
      #expect(failure { try add(name) }?.code == .misuse)
    }
    #expect(counter.living == 0)
    try add("f")
    try connection.close()
    #expect(counter.living == 0)
    #expect(failure { try add("f") }?.code == .misuse)
  }

  @Test func `a full-text function can replace and remove itself`() throws {
    let counter = ObjectCounter()
    let held = counter.hold()
    try connection.addFullTextFunction("f") { [unowned connection] context in
      try connection.addFullTextFunction("f") { _ in "second" }
      return withExtendedLifetime(held) { "first" }
    }
    #expect(try connection.column("SELECT f(note) FROM note") == ["first", "second", "second"])
    try connection.addFullTextFunction("f") { [unowned connection] _ in
      try connection.removeFullTextFunction("f")
      return "last"
    }
    let error = failure { try connection.column("SELECT f(note) FROM note") }
    #expect(error?.message == "no such function: f")
  }

  @Test func `a full-text function that rolls back aborts the writing statement that calls it`()
    throws
  {
    try connection.execute(sql: "CREATE TABLE kept(a)")
    try connection.addFullTextFunction("f") { [unowned connection] _ in
      try connection.rollback()
      return 1
    }
    try connection.begin()
    let error = failure {
      try connection.execute(sql: "INSERT INTO kept SELECT f(note) FROM note")
    }
    #expect(error?.code == .abortRollback)
    #expect(try connection.integers("SELECT count(*) FROM kept") == [0])
  }

  @Test func `adding a full-text function throws if the SQL function fts5 is replaced`() throws {
    try connection.addFunction("fts5", arity: 1) { _ in .null }
    #expect(failure { try connection.addFullTextFunction("f") { _ in 1 } }?.code == .notFound)
  }
}
