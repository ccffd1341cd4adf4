// The code samples in the documentation comments about publishers; all compile and run.

// snippet.hide
import Foundation
import Sluice

struct Event: Sendable {
  let description: String
  let date: Date
}

extension RowConverter where Value == Event {
  static var event: Self {
    Self { row in
      try Event(
        description: row.get(.string, named: "description"),
        date: row.get(.timeIntervalSinceReferenceDate, named: "date"))
    }
  }
}

struct Titled: Sendable { let title: String }

extension RowConverter where Value == Titled {
  static var titled: Self { Self { row in try Titled(title: row.get(.string, named: "title")) } }
}

final class One: ValueSubscriber {
  func receive(subscription: any ValueSubscription) { subscription.request(.max(1)) }
  func receive(_ value: String) -> ValueDemand { .none }
  func receive(completion: ValueCompletion) {}
}

func onConnection() throws {
  let connection = try Connection()
  try connection.execute(sql: "CREATE TABLE event(description TEXT, date REAL)")
  let sevenDaysAgo = Date(timeIntervalSinceNow: -7 * 86_400)
  do {
    let events = connection.rowPublisher(
      sql: "SELECT description, date FROM event WHERE date >= ?1"
    ) {
      try $0.bind(.timeIntervalSinceReferenceDate(sevenDaysAgo), toParameter: 1)
    }.mapRows(.event)
    events.sink { _ in
    } receiveValue: { event in
      print(event.description)
    }
  }
  do {
    let subscriber = One()
    let titles = connection.rowPublisher(sql: "SELECT description FROM event")
      .mapRows(.column(.string))
    let feed = titles.subscribe(subscriber)
    feed.resume()
  }
}

func onQueue() async throws {
  let queue = try ConnectionQueue()
  try await queue.perform { try $0.execute(sql: "CREATE TABLE event(id INTEGER, title TEXT)") }
  do {
    let titles = queue.observe(.column(.string), "SELECT title FROM event").handleEvents {
      print($0)
    }
    for try await titles in titles {
      guard titles.isEmpty else { fatalError() }
      break
    }
  }
  do {
    let titles = queue.rowPublisher(sql: "SELECT title FROM event").mapRows(.column(.string))
    let subscription = titles.sink { completion in
      if case .failure(let error) = completion { print("It failed:", error) }
    } receiveValue: { title in
      print(title)
    }
    subscription.cancel()
    for try await title in titles { print(title) }
  }
  do {
    let titles = queue.rowPublisher(sql: "SELECT title FROM event WHERE id > ?1") {
      try $0.bind(.int(0), toParameter: 1)
    }.mapRows(.column(.string))
    for try await title in titles { print(title) }
  }
  let changes = queue.tableChanges()
  _ = changes
}

func rows(_ queue: ConnectionQueue) async throws {
  for try await commit in queue.rowChanges(in: "player") {
    for change in commit.changes {
      switch change {
      case .inserted(let row): print("new:", row["name"] ?? .null)
      case .updated(let before, let after): print(before, "became", after)
      case .deleted(let row): print("gone:", row["name"] ?? .null)
      }
    }
  }
}

func observing(_ queue: ConnectionQueue, _ readQueue: ConnectionReadQueue) async throws {
  for try await events in queue.observe(.titled, sql: "SELECT id, title FROM event ORDER BY id") {
    print(events.map(\.title))
  }
  let counts = queue.observe { connection in
    try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
  }.removeDuplicates()
  for try await count in counts { print(count) }
  for try await event in readQueue.rows(.titled, sql: "SELECT id, title FROM event") {
    print(event.title)
    if event.title == "Analytical Engine" { break }
  }
  let watch = try queue.watchOtherWriters()
  watch.cancel()
}

try onConnection()
try await onQueue()
let listening = Task { try await rows(ConnectionQueue()) }
listening.cancel()
