import Foundation
import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models)) struct `optional properties` {
  struct Place: Codable, Model, Equatable {
    static let table = ModelTable("place", key: \Place.id)
    var id: Int64?
    var mark: UUID?
    var page: URL?
    var seen: Date?
    var data: Data?
  }

  @Test func `conditions and updates of optional values use the connection's strategies`() throws {
    let db = try Connection()
    db.codingStrategies = CodingStrategies(
      dates: .millisecondsSince1970, data: .base64, uuids: .bytes)
    try db.createTable(of: Place.self)
    let place = try db.insert(
      Place(
        mark: UUID(), page: URL(string: "a:b"), seen: Date(timeIntervalSince1970: 12.5),
        data: Data([1, 2])))
    let conditions: [Condition<Place>] = [
      \.mark == place.mark, \.page == place.page, \.seen == place.seen, \.data == place.data,
      .in(\.mark, [place.mark]), .column("mark", .equal, place.mark),
      .column("seen", .is, place.seen), .column("data", in: [place.data]),
    ]
    for condition in conditions { #expect(try db.fetch(Place.where(condition)) == [place]) }
    let other = UUID()
    try db.update(Place.all, .set(\.mark, to: other), .column("data", to: Data([3])))
    #expect(try db.fetch(Place.all).map(\.mark) == [other])
    #expect(try db.count(Place.where(\.data == Data([3]) && \.mark == other)) == 1)
    try db.update(Place.all, .set(\.mark, to: nil))
    #expect(try db.count(Place.where(\.mark == nil)) == 1)
  }

  struct Seat: Codable, Model, Equatable {
    static let table = ModelTable("seat", key: \Seat.row, and: \.number)
    var row: String?
    var number: Int
    var price: Int
  }

  struct Remark: Codable, Model, Equatable {
    static let table = ModelTable("remark", key: \Remark.id)
    var id: Int64?
    var note: String?
    var pages: [Int]?
  }

  @Test func `the case of a column's name does not matter, so that no value is lost`() throws {
    let db = try Connection()
    try db.execute(sql: "CREATE TABLE remark(ID INTEGER PRIMARY KEY, Note TEXT, PAGES TEXT)")
    let remark = Remark(id: 1, note: "kept", pages: [1, 2])
    #expect(try db.insert(remark, returning: .model(Remark.self)) == remark)
    #expect(try db.fetch(Remark.all) == [remark])
    try db.update(try #require(try db.fetch(Remark.self, key: 1)))
    let sql = "SELECT * FROM remark"
    #expect(try db.query(.model(Remark.self), sql: sql) == [remark])
    #expect(try db.query(Remark.self, sql: sql) == [remark])
    #expect(
      try db.query(Remark?.self, sql: sql + " UNION ALL VALUES (NULL, NULL, NULL)") == [
        remark, nil,
      ])
    try db.execute(sql: sql) { row in
      let found = try row.decode(Remark.self)
      #expect(found == remark)
    }
    #expect(try db.insert(Remark(note: "new")).id == 2)
    #expect(try db.insert(Remark(note: "last"), returning: \.note) == "last")
  }

  @Test func `a model cannot be read from a row without the column of an optional property`() throws
  {
    let db = try Connection()
    try db.createTable(of: Remark.self)
    try db.insert(Remark(note: "kept"))
    for sql in ["SELECT id, pages FROM remark", "SELECT id, note FROM remark"] {
      #expect(throws: DecodingError.self) { try db.query(.model(Remark.self), sql: sql) }
      #expect(throws: DecodingError.self) { try db.query(Remark.self, sql: sql) }
      #expect(throws: DecodingError.self) { try db.first(Remark?.self, sql: sql) }
      #expect(throws: DecodingError.self) {
        try db.execute(sql: sql) { row in _ = try row.decode(Remark.self) }
      }
      // A given decoder knows nothing of tables.
      #expect(try db.query(.decoding(Remark.self, by: RowDecoder()), sql: sql).count == 1)
    }
    // A type that is not a model has no row to which nil could be written back.
    struct Part: Decodable { var note: String? }
    #expect(try db.query(Part.self, "SELECT id FROM remark").map(\.note) == [nil])
  }

  @Test func `a limit counts rows whose key contains NULL`() throws {
    let db = try Connection()
    try db.execute(
      sql: "CREATE TABLE seat(row TEXT, number INT, price INT, PRIMARY KEY(row, number))")
    // NULL equals nothing, so two rows can have this key.
    for price in 1...2 { try db.insert(Seat(row: nil, number: 1, price: price)) }
    for price in 3...4 { try db.insert(Seat(row: "a", number: price, price: price)) }
    let cheapest = Seat.order(by: \.price)
    #expect(try db.value(.sum(\.price), of: cheapest.limit(3)) == 6)
    #expect(try db.update(cheapest.limit(1), .set(\.price, to: 0)) == 1)
    let deleted = try db.delete(cheapest.limit(3), returning: .column(.int, named: "price"))
    #expect(deleted.sorted() == [0, 2, 3])
    #expect(try db.fetch(Seat.all).map(\.price) == [4])
  }

  @Test func `a limit counts rows whose key is NULL if columns hide the rowid`() throws {
    let db = try Connection()
    try db.execute(
      sql: """
        CREATE TABLE seat(row TEXT, number INT, price INT, rowid, oid, _rowid_,
          PRIMARY KEY(row, number));
        INSERT INTO seat(number, price) VALUES (1, 1), (2, 2), (3, 3)
        """)
    #expect(try db.update(Seat.order(by: \.price).limit(1), .set(\.price, to: 0)) == 1)
    #expect(try db.delete(Seat.order(by: \.price).limit(2)) == 2)
    #expect(try db.fetch(Seat.all).map(\.price) == [3])
  }

  @Test func `a limit does not take a column for the rowid`() throws {
    let db = try Connection.with(Remark.self)
    try db.execute(sql: "ALTER TABLE remark ADD COLUMN rowid TEXT DEFAULT 'same'")
    try db.insert([Remark(note: "a"), Remark(note: "b"), Remark(note: "c")])
    #expect(try db.update(Remark.order(by: \.id).limit(1), .set(\.note, to: "x")) == 1)
    #expect(try db.value(.max(\.note), of: Remark.order(by: \.id).limit(2)) == "x")
    for name in ["oid", "_rowid_"] {
      try db.execute("ALTER TABLE remark ADD COLUMN \(identifier: name) TEXT DEFAULT 'same'")
    }
    #expect(try db.delete(Remark.order(by: \.id).limit(1)) == 1)
    #expect(try db.fetch(Remark.all).map(\.note) == ["b", "c"])
  }

  @Test func `a limit applies to the table that SQLite finds by its name`() throws {
    struct Lone: Codable, Model {
      static let table = ModelTable("lone", key: \Lone.id)
      var id: Int
    }
    let db = try Connection()
    try db.execute(
      sql: """
        ATTACH ':memory:' AS other;
        CREATE TABLE other.lone(id INTEGER PRIMARY KEY);
        CREATE TABLE lone(id INTEGER PRIMARY KEY) WITHOUT ROWID;
        INSERT INTO lone VALUES (1), (2)
        """)
    #expect(try db.delete(Lone.order(by: \.id).limit(1)) == 1)
    try db.execute(
      sql: "DROP TABLE lone; CREATE TABLE base(id); CREATE VIEW lone AS SELECT id FROM base")
    #expect(try !db.hasTable(of: Lone.self))
    try db.execute(sql: "CREATE TEMP TABLE lone(id INTEGER PRIMARY KEY)")
    #expect(try db.hasTable(of: Lone.self))
  }

  @Test func `a key that the table does not contain can be missing`() throws {
    struct Listed: Codable, Model {
      static let table = ModelTable(
        "listed", key: \Listed.id, columns: .column("id", \.id, .integer),
        .column("name", \.name, .text))
      var id: Int
      var name: String?
      var extra: String?
      func columnValues(for connection: Connection) -> ColumnValues {
        ["id": .int(id), "name": .string(name)]
      }
    }
    let db = try Connection.with(Listed.self)
    try db.insert(Listed(id: 1, name: "a", extra: "not stored"))
    #expect(try db.fetch(Listed.all).map(\.name) == ["a"])
    #expect(throws: DecodingError.self) {
      try db.query(.model(Listed.self), sql: "SELECT id FROM listed")
    }
  }

  @Test func `a limit applies to a view whose key contains an optional property`() throws {
    let db = try Connection()
    try db.execute(
      sql: """
        CREATE TABLE place(row TEXT, number INT, price INT);
        INSERT INTO place VALUES ('a', 1, 1), ('b', 1, 2), ('b', 2, 3);
        CREATE VIEW seat AS SELECT * FROM place;
        CREATE TRIGGER deletion INSTEAD OF DELETE ON seat BEGIN
          DELETE FROM place WHERE row = old.row AND number = old.number;
        END
        """)
    try db.delete(Seat.order(by: \.price).limit(2))
    #expect(try db.fetch(Seat.all).map(\.price) == [3])
    // A key of a view can be NULL, or differ from another one only in its type.
    try db.execute(
      sql: """
        CREATE TRIGGER change INSTEAD OF UPDATE ON seat BEGIN
          UPDATE place SET price = new.price WHERE row IS old.row AND number IS old.number;
        END;
        INSERT INTO place VALUES (NULL, 7, 1), ('1', 7, 2)
        """)
    try db.update(Seat.order(by: \.price).limit(1), .set(\.price, to: 9))
    #expect(try db.strings("SELECT price FROM place WHERE row IS NULL") == ["9"])
    #expect(try db.strings("SELECT price FROM place WHERE row = '1'") == ["2"])
    try db.execute(sql: "DELETE FROM place WHERE number = 7")
    // Two rows of the view have the same key.
    try db.execute(sql: "INSERT INTO place VALUES ('b', 2, 4)")
    #expect(try db.value(.sum(\.price), of: Seat.order(by: \.price).limit(1)) == 3)
  }
}
