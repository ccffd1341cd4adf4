import SluiceTesting
import TestSupport
import Testing

@Suite struct `database fixtures` {
  private let people: DatabaseFixture

  init() throws {
    people = try DatabaseFixture { connection in
      try connection.execute(sql: "CREATE TABLE person(name); INSERT INTO person VALUES ('Ada')")
    }
  }

  private func names(_ connection: Connection) throws -> [String] {
    try connection.query(.column(.string), sql: "SELECT name FROM person ORDER BY name")
  }

  @Test(arguments: [nil, .wal, .delete] as [Configuration.JournalMode?])
  func `each copy of a fixture is independent`(_ mode: Configuration.JournalMode?) throws {
    var configuration = Configuration()
    configuration.journalMode = mode
    let first = try people.connection(configuration: configuration)
    let second = try people.connection(configuration: configuration)
    try first.transaction { connection, _ in
      try connection.execute(sql: "INSERT INTO person VALUES ('Alan')")
    }
    #expect(try names(first) == ["Ada", "Alan"])
    #expect(try names(second) == ["Ada"])
    #expect(try names(people.connection()) == ["Ada"])
  }

  @Test func `a pool can read a copy of a fixture while another connection writes to the copy`()
    throws
  {
    let copy = people.copy()
    let pool = try ConnectionPool(path: copy.path, configuration: copy.configuration())
    let counts = try pool.syncRead { reader in
      let count = "SELECT count(*) FROM person"
      let before = try reader.first(.column(.int), sql: count)
      try Connection(path: copy.path, configuration: copy.configuration())
        .execute(sql: "INSERT INTO person VALUES ('Alan')")
      return [before, try reader.first(.column(.int), sql: count)]
    }
    // Both counts are from one snapshot, which the concurrent write does not affect.
    #expect(counts == [1, 1])
    #expect(try pool.syncRead { try names($0) } == ["Ada", "Alan"])
  }

  @Test func `a pool retains the copy of a fixture that it opens`() throws {
    func makePool() throws -> ConnectionPool {
      let copy = people.copy()
      return try ConnectionPool(path: copy.path, configuration: copy.configuration())
    }
    let pool = try makePool()
    #expect(try pool.syncRead { try names($0) } == ["Ada"])
  }

  @Test func `a fixture created in WAL mode contains all its rows`() throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    let fixture = try DatabaseFixture(configuration: configuration) { connection in
      try connection.execute(sql: "CREATE TABLE person(name); INSERT INTO person VALUES ('Eve')")
    }
    #expect(try names(fixture.connection()) == ["Eve"])
  }

  @Test func `an error thrown while a fixture is created is rethrown`() {
    let error = failure { _ = try DatabaseFixture { _ in throw SQLiteError(.authorization, "No") } }
    #expect(error?.code == .authorization)
  }
}
