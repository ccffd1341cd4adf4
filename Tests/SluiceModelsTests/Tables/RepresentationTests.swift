import Foundation
import Sluice
import SluiceModels
import TestSupport
import Testing

/// A model whose columns have representations of their own.
private struct Event: Codable, Equatable, Model {
  static let table = ModelTable(
    "event", key: \Event.id, .columnNames(.snakeCase),
    .column(\.id, .uuid(as: .lowercaseText)),
    .column(
      \.startsAt, .date(as: .timeIntervalSince1970), .default(Date(timeIntervalSince1970: 7))),
    .column(\.endsAt, .date(as: .millisecondsSince1970)),
    .column(\.owner, .uuid(as: .bytes)),
    .column(\.photo, .data(as: .base64)),
    .column(\.tags, .nested(as: .propertyList)),
    .column(\.days, .date(as: .timeIntervalSince1970)))
  var id = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()
  var day = Date(timeIntervalSince1970: 0)
  var startsAt = Date(timeIntervalSince1970: 5000)
  var endsAt: Date?
  var owner = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  var photo = Data([1, 2])
  var tags = ["a"]
  var days: [String: Date] = [:]
}

/// A child of an event, which stores its key in the same representation.
private struct Guest: Codable, Equatable, Model {
  static let table = ModelTable(
    "guest", key: \Guest.id,
    .column(\.event, .uuid(as: .lowercaseText), .references(Event.self)))
  var id: Int64?
  var event: UUID
  var name: String
}

@Suite struct RepresentationTests {
  let db: Connection
  private let event = Event(endsAt: Date(timeIntervalSince1970: 6))

  init() throws {
    db = try Connection()
    try db.createTable(of: Event.self)
    try db.createTable(of: Guest.self)
  }

  @Test func `each column has its representation, and the others follow the connection`() throws {
    var event = event
    event.days = ["first": Date(timeIntervalSince1970: 1)]
    try db.insert(event)
    let row = try #require(try db.first(.values, "SELECT * FROM event"))
    #expect(row["id"] == "00112233-4455-6677-8899-aabbccddeeff")
    #expect(row["day"] == "1970-01-01 00:00:00.000")
    #expect(row["starts_at"] == .real(5000))
    #expect(row["ends_at"] == .integer(6000))
    #expect(row["owner"] == .blob(Array(1...16)))
    #expect(row["photo"] == "AQI=")
    #expect(row["tags"]?.storageClass == .blob)
    #expect(row["days"] == #"{"first":1}"#)
    #expect(try db.fetch(Event.self, key: event.id) == event)
    #expect(try db.query(Event.self, "SELECT * FROM event") == [event])
  }

  @Test func `a connection's strategies do not replace a declared representation`() throws {
    let db = try Connection()
    db.codingStrategies = CodingStrategies(
      dates: .julianDay, data: .blob, uuids: .text, nested: .json)
    try db.createTable(of: Event.self)
    try db.insert(event)
    #expect(try db.first(.column(.value), "SELECT starts_at FROM event") == .real(5000))
    #expect(try db.first(.column(.value), "SELECT day FROM event") == .real(2_440_587.5))
    #expect(try db.fetch(Event.all) == [event])
  }

  @Test func `the type of a column is that of its representation`() throws {
    let types = try db.columns(of: "event").reduce(into: [:]) { $0[$1.name] = $1.declaredType }
    #expect(
      types == [
        "id": "TEXT", "day": "TEXT", "starts_at": "REAL", "ends_at": "INTEGER", "owner": "BLOB",
        "photo": "TEXT", "tags": "BLOB", "days": "TEXT",
      ])
  }

  @Test func `conditions compare with the representation of the column`() throws {
    try db.insert(event)
    let conditions: [Condition<Event>] = [
      \.id == event.id, \.startsAt == event.startsAt, \.startsAt <= event.startsAt,
      \.endsAt == event.endsAt, .in(\.owner, [event.owner]),
      .in(\.endsAt, [Date(timeIntervalSince1970: 6)]),
      .between(\.startsAt, event.startsAt...event.startsAt), \.photo == event.photo,
      \.tags == event.tags, .column("starts_at", .equal, event.startsAt),
      .column("owner", in: [event.owner]),
    ]
    for (index, condition) in conditions.enumerated() {
      #expect(try db.fetch(Event.where(condition)) == [event], "condition \(index)")
    }
    #expect(try db.fetch(Event.where(\.startsAt > event.startsAt)).isEmpty)
  }

  @Test func `keys have the representation of their column`() throws {
    try db.insert(event)
    #expect(try db.exists(event))
    #expect(try db.fetch(Event.self, keys: [event.id, UUID()]) == [event])
    var changed = event
    changed.startsAt = Date(timeIntervalSince1970: 1)
    try db.update(changed)
    #expect(try db.fetch(Event.self, key: event.id) == changed)
    #expect(try db.updateChanges(of: event, from: changed))
    #expect(try db.upsert(event) == event)
    #expect(try db.first(.column(.int), "SELECT count(*) FROM event") == 1)
    try db.delete(event)
    #expect(try db.count(Event.all) == 0)
  }

  @Test func `assignments and selections have the representation of their column`() throws {
    try db.insert(event)
    let later = Date(timeIntervalSince1970: 9000)
    try db.update(
      Event.where(\.id == event.id), .set(\.startsAt, to: later), .column("ends_at", to: later))
    #expect(
      try db.first(.columns(.value, .value), "SELECT starts_at, ends_at FROM event").map {
        [$0, $1]
      }
        == [.real(9000), .integer(9_000_000)])
    #expect(try db.fetch(Event.all.select(\.startsAt)) == [later])
    #expect(try db.fetchFirst(Event.all.select(\.endsAt, \.tags))?.0 == later)
    #expect(try db.fetchFirst(Event.all.select(\.endsAt, \.tags))?.1 == ["a"])
    #expect(try db.value(.max(\.startsAt), of: Event.all) == later)
    #expect(try db.value(.min(\.endsAt), of: Event.all) == later)
    #expect(try db.insert(Event(id: UUID()), returning: \.startsAt) == event.startsAt)
  }

  @Test func `a default has the representation of its column`() throws {
    try db.insert(event)
    try db.execute(
      """
      INSERT INTO event(id, day, owner, photo, tags, days)
      SELECT 'FFFFFFFF-4455-6677-8899-AABBCCDDEEFF', day, owner, photo, tags, days FROM event
      """)
    let found = try #require(try db.fetchFirst(Event.where(\.id != event.id)))
    #expect(found.startsAt == Date(timeIntervalSince1970: 7))
  }

  @Test func `children are found by a key with a representation`() throws {
    try db.insert(event)
    let guest = try db.insert(Guest(event: event.id, name: "Ada"))
    let found = try db.fetch(Guest.all, of: [event], by: \.event)
    #expect(found.map(\.children) == [[guest]])
  }

  @Test func `a joined row reads models in their representations`() throws {
    struct Visit: Decodable, Equatable {
      var guest: Guest
      var event: Event?
    }
    try db.insert(event)
    let guest = try db.insert(Guest(event: event.id, name: "Ada"))
    let visits = try db.query(
      Visit.self,
      """
      SELECT \(columns: Guest.self, as: "guest"), \(columns: Event.self, as: "event")
      FROM guest JOIN event ON event.id = guest.event
      """)
    #expect(visits == [Visit(guest: guest, event: event)])
    let pairs = try db.query(
      .models(Guest.self, Event.self),
      "SELECT \(columns: Guest.self), \(columns: Event.self) FROM guest JOIN event")
    #expect(pairs.map(\.0) == [guest])
    #expect(pairs.map(\.1) == [event])
  }

  @Test func `a representation that the property cannot have is refused`() throws {
    struct Wrong: Codable, Model {
      static let table = ModelTable("wrong", key: \Wrong.id, .column(\.name, .date(as: .sqlite)))
      var id: Int64?
      var name: String
    }
    let error = failure { try db.createTable(of: Wrong.self) }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("\"name\" of Wrong contains String") == true)

    struct Absent: Codable, Model {
      static let table = ModelTable(
        "absent", key: \Absent.id, .column("added", .text, .uuid(as: .text)))
      var id: Int64?
    }
    #expect(failure { try db.createTable(of: Absent.self) }?.code == .misuse)

    struct Twice: Codable, Model {
      static let table = ModelTable(
        "twice", key: \Twice.id,
        .column(\.days, .nested(as: .propertyList), .date(as: .timeIntervalSince1970)))
      var id: Int64?
      var days: [Date]
    }
    #expect(failure { try db.createTable(of: Twice.self) }?.code == .misuse)

    // JSON contains UUIDs as text, and a value that encodes itself as one text contains no date.
    struct Listed: Codable, Model {
      static let table = ModelTable(
        "listed", key: \Listed.id, .column(\.ids, .uuid(as: .bytes)))
      var id: Int64?
      var ids: [UUID]
    }
    #expect(failure { try db.createTable(of: Listed.self) }?.code == .misuse)
    enum Color: String, Codable, CaseIterable { case red, green }
    struct Single: Codable, Model {
      static let table = ModelTable(
        "single", key: \Single.id, .column(\.color, .nested(as: .propertyList)))
      var id: Int64?
      var color: Color
    }
    #expect(failure { try db.createTable(of: Single.self) }?.code == .misuse)

    struct Contrary: Codable, Model {
      static let table = ModelTable(
        "contrary", key: \Contrary.id, .column(\.at, .date(as: .julianDay), .type(.text)))
      var id: Int64?
      var at: Date
    }
    #expect(failure { try db.createTable(of: Contrary.self) }?.code == .misuse)
  }

  @Test func `a type that encodes itself as a UUID, and an optional one, have a representation`()
    throws
  {
    struct ID: Codable, Equatable {
      var uuid: UUID
      init(_ uuid: UUID) { self.uuid = uuid }
      init(from decoder: any Decoder) throws {
        uuid = try decoder.singleValueContainer().decode(UUID.self)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(uuid)
      }
    }
    struct Item: Codable, Model {
      static let table = ModelTable(
        "item", key: \Item.id, .column(\.id, .uuid(as: .bytes)),
        .column(\.other, .uuid(as: .lowercaseText)), .column(\.days, .date(as: .julianDay)))
      var id: ID
      var other: ID?
      var days: [Date]?
    }
    try db.createTable(of: Item.self)
    let uuid = UUID()
    try db.insert(Item(id: ID(uuid), other: ID(uuid), days: []))
    #expect(
      try db.first(.column(.int), "SELECT length(id) FROM item") == 16
        && db.first(.column(.string), "SELECT other FROM item") == uuid.uuidString.lowercased())
  }

  @Test func `a model that writes its own rows compares with the declared representation`() throws {
    struct Note: Model, Equatable {
      static let table = ModelTable(
        "note", key: \Note.id, columns: .column("id", \.id, .integer),
        .column("at", \.at, .real, .date(as: .timeIntervalSince1970)))
      var id: Int64
      var at: Date
      init(id: Int64, at: Date) { (self.id, self.at) = (id, at) }
      init(row: borrowing Row) throws {
        id = try row.get(.int64, named: "id")
        at = try row.get(.date(as: .timeIntervalSince1970), named: "at")
      }
      func columnValues(for connection: Connection) -> ColumnValues {
        ["id": .int64(id), "at": .date(at, as: .timeIntervalSince1970)]
      }
    }
    try db.createTable(of: Note.self)
    let note = Note(id: 1, at: Date(timeIntervalSince1970: 60))
    try db.insert(note)
    #expect(try db.fetch(Note.where(\.at == note.at)) == [note])
    #expect(try db.fetch(Note.all.select(\.at)) == [note.at])
  }

  @Test func `property lists of equal values are equal`() throws {
    struct Sorted: Codable, Equatable, Model {
      static let table = ModelTable(
        "sorted", key: \Sorted.id, .column(\.values, .nested(as: .propertyList)))
      var id: Int64?
      var values: [String: Int]
    }
    try db.createTable(of: Sorted.self)
    let keys = (0..<40).map { "key \($0)" }
    for _ in 0..<20 {
      var (first, second): ([String: Int], [String: Int]) = ([:], [:])
      for key in keys.shuffled() { first[key] = key.count }
      second.reserveCapacity(1000)
      for key in keys.shuffled() { second[key] = key.count }
      let stored = try db.insert(Sorted(values: first))
      #expect(try db.fetch(Sorted.where(\.values == second)).contains(stored))
      #expect(try !db.updateChanges(of: Sorted(id: stored.id, values: second), from: stored))
      try db.delete(stored)
    }
  }
}
