import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `scopes of coding strategies` {
  typealias Event = `date strategies`.Event

  @Test func `a connection, a statement and a coder can each have their own strategies`() throws {
    var configuration = Configuration()
    configuration.codingStrategies = CodingStrategies(dates: .timeIntervalSince1970)
    let db = try Connection(configuration: configuration)
    let event = Event(date: Date(timeIntervalSince1970: 2))
    let statement = try db.prepare(sql: "SELECT :date")
    func stored() throws -> DatabaseValue? {
      try statement.bind(encoding: event).first(.column(.value))
    }
    #expect(try stored() == .real(2))
    db.codingStrategies.dates = .millisecondsSince1970
    #expect(try stored() == 2000)
    #expect(try db.first(Event.self, sql: "SELECT 2000 AS date") == event)
    statement.codingStrategies.dates = .iso8601
    #expect(try stored() == "1970-01-01T00:00:02.000Z")
    db.codingStrategies.dates = .sqlite
    #expect(try stored() == "1970-01-01T00:00:02.000Z")
    let encoder = StatementEncoder(CodingStrategies(dates: .timeIntervalSince1970))
    #expect(try encoder.encode(event, to: statement).first(.column(.value)) == .real(2))
    #expect(try stored() == "1970-01-01T00:00:02.000Z")
    #expect(try db.first(Event.self, sql: "SELECT '1970-01-01 00:00:02' AS date") == event)
    // A statement that is reused from the cache also uses the connection's current strategies.
    db.codingStrategies.dates = .timeIntervalSince1970
    #expect(throws: DecodingError.self) {
      try db.first(Event.self, sql: "SELECT '1970-01-01 00:00:02' AS date")
    }
  }

  @Test func `a queue and its read queue use the strategies of their configuration`() throws {
    var configuration = Configuration()
    configuration.codingStrategies.dates = .timeIntervalSince1970
    let folder = try TestFolder()
    let queue = try ConnectionQueue(
      url: folder.url.appending(path: "a.db"), label: "a", configuration: configuration)
    let stored = try queue.sync { connection in
      try connection.execute(sql: "CREATE TABLE event(date)")
      let event = Event(date: Date(timeIntervalSince1970: 2))
      try connection.execute(sql: "INSERT INTO event VALUES (:date)", encoding: event)
      return try connection.first(.column(.value), sql: "SELECT date FROM event")
    }
    #expect(stored == .real(2))
    let reader = try ConnectionReadQueue(writeQueue: queue, label: "b")
    let date = try reader.sync { connection in
      try connection.first(Event.self, sql: "SELECT * FROM event")?.date
    }
    #expect(date == Date(timeIntervalSince1970: 2))
  }
}
