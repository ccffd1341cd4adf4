import Foundation
import Sluice
import Synchronization
import TestSupport
import Testing

private struct Patient: Codable, Equatable {
  var name: String
  var born: Date?
  var tags: [String]
}

/// Copies of rows and values, read with the converters of Foundation's types.
@Suite struct `copied values of Foundation's types` {
  private let connection: Connection
  private let born = Date(timeIntervalSince1970: 1_000_000)
  private let id = UUID()

  init() throws {
    connection = try Connection()
    try connection.execute(
      """
      CREATE TABLE person(name TEXT, born TEXT, tags TEXT, id BLOB);
      INSERT INTO person VALUES ('Ada', \(.date(born, as: .iso8601)), '["a","b"]', \(.uuidBytes(id)))
      """)
  }

  @Test func `dates, identifiers and JSON are read from the copy of a row`() throws {
    let row = try #require(try connection.first(.values, "SELECT * FROM person"))
    #expect(try row.get(.date(as: .iso8601), named: "born") == born)
    #expect(try row.get(.uuidBytes, at: 3) == id)
    #expect(try row.get(.json([String].self), named: "tags") == ["a", "b"])
    #expect(try row["born"]?.get(.date(as: .iso8601)) == born)
    #expect(failure { try row.get(.date(as: .iso8601), named: "name") }?.code == .mismatch)
  }

  @Test func `a Decodable type is decoded from the copy of a row`() throws {
    let row = try #require(try connection.first(.values, "SELECT * FROM person"))
    let decoder = RowDecoder(CodingStrategies(dates: .iso8601))
    #expect(
      try row.decode(Patient.self, by: decoder)
        == Patient(name: "Ada", born: born, tags: ["a", "b"]))
    struct Name: Decodable, Equatable { var name: String }
    #expect(try row.decode() == Name(name: "Ada"))
    #expect(throws: DecodingError.self) {
      struct Other: Decodable { var age: Int }
      _ = try row.decode(Other.self)
    }
    // A copy is decoded as the row is.
    let stored = try connection.first(.decoding(Patient.self, by: decoder), "SELECT * FROM person")
    #expect(try stored == row.decode(by: decoder))
  }

  @Test func `hooks read the old and new values of a row`() throws {
    let dates = Mutex<[Date?]>([])
    let token = try connection.onPreUpdate { change in
      let read = (
        try change.old(at: 1).get(.optional(.date(as: .iso8601))),
        try change.new(at: 1).get(.optional(.date(as: .iso8601)))
      )
      dates.withLock { $0 += [read.0, read.1] }
    }
    let later = born.addingTimeInterval(60)
    try connection.execute("UPDATE person SET born = \(.date(later, as: .iso8601))")
    try connection.execute("UPDATE person SET born = NULL")
    #expect(dates.withLock(\.self) == [born, later, later, nil])
    token.cancel()
  }

  @Test func `the rows of changes are decoded`() async throws {
    let queue = try ConnectionQueue()
    try await queue.write { try $0.execute("CREATE TABLE person(name TEXT, born REAL, tags TEXT)") }
    var changes = queue.rowChanges(in: "person").makeAsyncIterator()
    try await queue.write { connection in
      let born = Date(timeIntervalSince1970: 5)
      try connection.execute(
        "INSERT INTO person VALUES ('Ada', \(.timeIntervalSince1970(born)), '[]')")
    }
    guard case .inserted(let row)? = try await changes.next()?.changes.first else {
      Issue.record("no insertion")
      return
    }
    let decoder = RowDecoder(CodingStrategies(dates: .timeIntervalSince1970))
    #expect(
      try row.values.decode(Patient.self, by: decoder)
        == Patient(name: "Ada", born: Date(timeIntervalSince1970: 5), tags: []))
  }

  @Test func `a function has dates as arguments and results`() throws {
    try connection.addFunction("next_day", arity: 1, options: .deterministic) { values in
      let date = try values.get(.date(as: .iso8601), at: 0)
      return try DatabaseValue(.date(date.addingTimeInterval(86_400), as: .iso8601))
    }
    #expect(
      try connection.first(.column(.date(as: .iso8601)), "SELECT next_day(born) FROM person")
        == born.addingTimeInterval(86_400))
    #expect(failure { try connection.execute("SELECT next_day('x')") }?.code == .mismatch)
  }
}
