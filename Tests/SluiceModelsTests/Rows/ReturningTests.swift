import Foundation
import SluiceModels
import TestSupport
import Testing

/// A struct whose row has a default, a generated column and unique columns.
private struct Visit: Codable, Model, Equatable {
  static let table = ModelTable(
    "visit", key: \Visit.id, .column(\.page, .unique),
    .column(\.count, .default(1)), .column(\.double, .generated(sql: "count * 2")),
    .column("note", .text, .default("new")))
  var id: Int64?
  var page: String
  var count: Int
  var first: String?
  private(set) var double: Int?

  init(_ page: String, count: Int = 1, first: String? = nil, id: Int64? = nil) {
    self.id = id
    self.page = page
    self.count = count
    self.first = first
  }
}

/// A struct whose key has two columns.
private struct Seat: Codable, Model, Equatable {
  static let table = ModelTable("seat", key: \Seat.row, and: \.number, .withoutRowid)
  var row: String
  var number: Int
  var guest: String?
}

/// Another view of the table of visits.
private struct VisitNote: Decodable, Equatable {
  var page: String
  var note: String
}

@Suite(.tags(.models)) struct `writes that return rows` {
  private let db: Connection

  init() throws { db = try Connection.with(Visit.self, Seat.self) }

  private func stored() throws -> [Visit] { try db.fetch(Visit.order(by: \.id)) }

  @Test func `an insertion returns the row with defaults and generated columns`() throws {
    let visit = try db.insert(Visit("a", count: 3), returning: .model(Visit.self))
    #expect(visit.id == 1 && visit.double == 6)
    #expect(try stored() == [visit])
    let note = try db.insert(Visit("b"), returning: .decoding(VisitNote.self))
    #expect(note == VisitNote(page: "b", note: "new"))
    #expect(try db.insert(Visit("c", id: 9), returning: .column(.int, named: "id")) == 9)
    #expect(
      failure { try db.insert(Visit("a"), returning: .model(Visit.self)) }?.code
        == .constraintUnique)
    #expect(try stored().count == 3)
  }

  @Test func `changes of an object are found and written`() throws {
    final class Car: Codable, Model, @unchecked Sendable {
      static let table = ModelTable("car", key: \Car.id)
      let id: Int64
      var name: String
      init(_ name: String) { (id, self.name) = (1, name) }
    }
    try db.createTable(of: Car.self)
    var car = try db.insert(Car("a"))
    #expect(try db.updateChanges(of: &car) { $0.name = "b" })
    #expect(try db.fetch(Car.self, key: 1)?.name == "b")
    #expect(try !db.updateChanges(of: &car) { $0.name = "b" })
  }

  @Test func `an insertion of several values returns all rows, or inserts none`() throws {
    let pages = try db.insert([Visit("a"), Visit("b")], returning: .column(.string, named: "page"))
    #expect(pages == ["a", "b"])
    #expect(
      failure { try db.insert([Visit("c"), Visit("a")], returning: .model(Visit.self)) }?.code
        == .constraintUnique)
    #expect(
      failure { try db.insert([Visit("c")], returning: .column(.int, named: "page")) }?.code
        == .mismatch)
    #expect(try stored().count == 2)
  }

  @Test func `a write returns a property of the row`() throws {
    #expect(try db.insert(Visit("a", count: 3), returning: \.double) == 6)
    #expect(try db.upsert(Visit("a", count: 4), .on(\.page), returning: \.id) == 1)
    #expect(try db.update(Visit("a", count: 5, id: 1), returning: \.double) == 10)
    #expect(failure { try db.update(Visit("a", id: 1), returning: \.page.count) }?.code == .range)
    #expect(try stored().map(\.count) == [5])
  }

  @Test func `an update and a deletion return the row`() throws {
    let visit = try db.insert(Visit("a"))
    var changed = visit
    changed.count = 5
    #expect(try db.update(changed, returning: .model(Visit.self)).double == 10)
    #expect(
      try db.update(Visit.self, key: 1, .set(\.count, sql: "count + 1"), returning: .model())
        == stored()[0])
    try db.insert([Visit("b"), Visit("c")])
    let all = try db.update(
      Visit.where(\.page > "a"), .set(\.count, to: 7), returning: .model(Visit.self))
    #expect(Set(all.map(\.page)) == ["b", "c"] && all.allSatisfy { $0.double == 14 })
    #expect(try db.delete(all[0], returning: .model()) == all[0])
    #expect(try db.delete(Visit.self, key: 1, returning: .column(.string, named: "page")) == "a")
    #expect(
      try db.delete(Visit.order(by: \.id).limit(5), returning: .model(Visit.self)) == [all[1]])
    #expect(try stored() == [])
  }

  @Test func `a missing row throws`() throws {
    let missing = Visit("a", id: 7)
    #expect(failure { try db.update(missing, returning: .model(Visit.self)) }?.code == .notFound)
    #expect(failure { try db.delete(missing, returning: .model(Visit.self)) }?.code == .notFound)
    #expect(
      failure { try db.delete(Visit("a"), returning: .model(Visit.self)) }?.code == .notFound)
    #expect(
      failure {
        try db.update(Visit.self, key: 7, .set(\.count, to: 1), returning: .model(Visit.self))
      }?.code == .notFound)
    #expect(try db.delete(Visit.all, returning: .model(Visit.self)) == [])
  }

  @Test func `a trigger that ignores the row makes an insertion throw`() throws {
    try db.execute(
      sql: "CREATE TRIGGER ignores BEFORE INSERT ON visit BEGIN SELECT RAISE(IGNORE); END")
    #expect(failure { try db.insert(Visit("a"), returning: .model(Visit.self)) }?.code == .notFound)
    #expect(try db.insertIfAbsent(Visit("a"), returning: .model(Visit.self)) == nil)
    #expect(try db.insertIfAbsent(Visit("a")) == nil)
    #expect(failure { try db.upsert(Visit("a"), returning: .model(Visit.self)) }?.code == .notFound)
  }

  @Test func `a constraint that fails at the end of the statement is reported`() throws {
    try db.execute(
      sql: """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        DROP TABLE visit;
        CREATE TABLE visit(
          id INTEGER PRIMARY KEY, page, count, first, double, note,
          FOREIGN KEY (count) REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED)
        """)
    let error = failure { try db.insert(Visit("a", count: 5), returning: .model(Visit.self)) }
    #expect(error?.code == .constraintForeignKey)
    #expect(try stored() == [])
  }

  @Test func `a converter that throws leaves the row in a transaction that can be rolled back`()
    throws
  {
    let error = failure {
      try db.transaction { connection in
        _ = try connection.insert(Visit("a"), returning: .column(.int, named: "page"))
      }
    }
    #expect(error?.code == .mismatch)
    #expect(try stored() == [])
  }
}

@Suite(.tags(.models)) struct `upserts of models` {
  private let db: Connection

  init() throws {
    db = try Connection.with(Visit.self, Seat.self)
    try db.insert(Visit("a", count: 1, first: "monday", id: 4))
  }

  private func stored() throws -> [Visit] { try db.fetch(Visit.order(by: \.id)) }

  @Test func `an upsert on unique properties keeps the key of the row`() throws {
    let visit = try db.upsert(Visit("a", count: 2, first: "friday"), .on(\.page))
    #expect(visit.id == 4)
    #expect(try stored().map(\.count) == [2] && stored()[0].first == "friday")
    // A key that differs from the key of the row is replaced as well.
    #expect(try db.upsert(Visit("a", id: 77), .on(\.page)).id == 4)
    #expect(try db.upsert(Visit("b"), .on(\.page)).id == 5)
    #expect(
      try db.upsert([Visit("a", count: 8), Visit("c")], .on(\.page)).map(\.id) == [4, 6])
  }

  @Test func `an upsert keeps the values of the properties whose conflict it resolves`() throws {
    struct Tag: Codable, Model, Equatable {
      static let table = ModelTable("tag", key: \Tag.id)
      var id: Int64?
      var name: String
      var n: Int
    }
    try db.execute(
      sql: """
        CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT UNIQUE COLLATE NOCASE, n INTEGER);
        INSERT INTO tag VALUES (1, 'A', 1)
        """)
    try db.upsert(Tag(name: "a", n: 2), .on(\.name))
    #expect(try db.fetch(Tag.all) == [Tag(id: 1, name: "A", n: 2)])
  }

  @Test func `an upsert returns the existing row if its key differs from an assigned one`() throws {
    struct Label: Codable, Model, Equatable {
      static let table = ModelTable("label", key: \Label.code, .unique(\.name))
      let code: String
      var name: String
      var n: Int
    }
    struct Spot: Codable, Model, Equatable {
      static let table = ModelTable("spot", key: \Spot.x, and: \Spot.y, .unique(\.name))
      var x: Int
      var y: Int
      var name: String
    }
    try db.createTable(of: Label.self)
    try db.createTable(of: Spot.self)
    let new = Label(code: "a", name: "one", n: 1)
    #expect(try db.upsert(new, .on(\.name)) == new)
    let old = try db.upsert(Label(code: "b", name: "one", n: 2), .on(\.name), .keep(\.n))
    #expect(old == new)
    let changed = try db.upsert(
      [Label(code: "c", name: "one", n: 3), Label(code: "d", name: "two", n: 4)], .on(\.name))
    #expect(
      changed == [Label(code: "a", name: "one", n: 3), Label(code: "d", name: "two", n: 4)])
    #expect(try db.fetch(Label.order(by: \.code)) == changed)
    try db.update(changed)
    let spot = try db.upsert(Spot(x: 1, y: 1, name: "home"), .on(\.name))
    #expect(try db.upsert(Spot(x: 1, y: 2, name: "home"), .on(\.name)) == spot)
    #expect(try db.fetch(Spot.all) == [spot])
  }

  @Test func `rules keep or compute columns of the row`() throws {
    let rules: [UpsertRule<Visit>] = [
      .keep(\.first), .set(\.count, sql: "visit.count + excluded.count"),
    ]
    try db.upsert(Visit("a", count: 10, first: "friday"), .on(\.page), rules[0], rules[1])
    #expect(try stored().map(\.count) == [11] && stored()[0].first == "monday")
    let row = try db.upsert(
      Visit("a", count: 5), .on(\.page), .keep(\.count, \.first), returning: .model(Visit.self))
    #expect(row.id == 4 && row.count == 11 && row.double == 22)
    // The key is kept as well if the conflict is in the key.
    #expect(try db.upsert(Visit("b", count: 3, id: 4), returning: .model(Visit.self)).double == 6)
    #expect(try db.upsert(Visit("x", id: 4), .keep(\.page, \.count, \.first)).page == "x")
    #expect(try stored().map(\.page) == ["b"])
  }

  @Test func `an upsert resolves a conflict in an index on expressions`() throws {
    try db.execute(sql: "CREATE UNIQUE INDEX lower_page ON visit(lower(page)) WHERE count < 100")
    let row = try db.upsert(
      Visit("A", count: 2), .on(sql: "lower(page)", where: "count < 100"),
      returning: .model(Visit.self))
    #expect(row.id == 4 && row.page == "A" && row.count == 2)
  }

  @Test func `an upsert without a matching unique constraint throws`() throws {
    #expect(failure { try db.upsert(Visit("a"), .on(\.count)) }?.code == .error)
    #expect(failure { try db.upsert(Visit("a")) }?.code == .constraintUnique)
    #expect(try stored().count == 1)
  }

  @Test func `contradictory rules throw`() throws {
    let rules: [[UpsertRule<Visit>]] = [
      [.on(\.page), .keep(\.count), .set(\.count, sql: "1")],
      [.on(\.page), .set(\.page, sql: "'b'")],
      [.on(\.page), .set(\.count, sql: "1"), .set(\.count, sql: "2")],
      [.on(\.page), .set(\.double, sql: "2")],
    ]
    for rules in rules {
      let last = rules.count > 2 ? rules[2] : .keep(\.first)
      let error = failure { _ = try db.upsert(Visit("a"), rules[0], rules[1], last) }
      #expect(error?.code == .misuse, "\(rules)")
    }
    #expect(
      failure { try db.upsert(Visit("a"), .on(\.page), .set(\.id, sql: "7")) }?.message
        == "An upsert cannot set \"id\", because the existing row keeps its key")
    let computed = failure { _ = try db.upsert(Visit("a"), .keep(\.page.count)) }
    #expect(computed?.code == .range)
    #expect(try stored().map(\.count) == [1])
  }

  @Test func `an insertion of an absent row returns nil if there is one`() throws {
    #expect(try db.insertIfAbsent(Visit("a")) == nil)
    #expect(try db.insertIfAbsent(Visit("a"), on: \.page) == nil)
    #expect(try db.insertIfAbsent(Visit("x", id: 4)) == nil)
    #expect(
      failure { try db.insertIfAbsent(Visit("x", id: 4), on: \.page) }?.code
        == .constraintPrimaryKey)
    #expect(try db.insertIfAbsent(Visit("b"))?.id == 5)
    #expect(try db.insertIfAbsent(Visit("c", id: 9))?.id == 9)
    #expect(
      try db.insertIfAbsent(Visit("d", count: 4), on: \.page, returning: .model(Visit.self))?.double
        == 8)
    #expect(try db.insertIfAbsent(Visit("d"), returning: .model(Visit.self)) == nil)
    #expect(try stored().map(\.page) == ["a", "b", "c", "d"])
  }

  @Test func `a composite key can be upserted and inserted if absent`() throws {
    let seat = Seat(row: "A", number: 1, guest: "Ada")
    #expect(try db.insertIfAbsent(seat) == seat)
    #expect(try db.insertIfAbsent(Seat(row: "A", number: 1)) == nil)
    #expect(try db.upsert(Seat(row: "A", number: 1), .keep(\.guest), returning: .model()) == seat)
    #expect(try db.upsert(Seat(row: "A", number: 1), returning: .model(Seat.self)).guest == nil)
  }
}

@Suite(.tags(.models)) struct `changes of a value` {
  private let db: Connection

  init() throws { db = try Connection.with(Visit.self, Seat.self) }

  @Test func `only changed properties are written`() throws {
    let visit = try db.insert(Visit("a", count: 1, first: "monday"))
    try db.execute(sql: "UPDATE visit SET count = 50")
    var edited = visit
    edited.first = nil
    #expect(try db.updateChanges(of: edited, from: visit))
    let stored = try db.fetch(Visit.self, key: 1)
    #expect(stored?.count == 50 && stored?.first == nil)
  }

  @Test func `no change writes nothing`() throws {
    let visit = try db.insert(Visit("a"))
    let count = db.totalChanges
    #expect(try !db.updateChanges(of: visit, from: visit))
    var same = visit
    #expect(try !db.updateChanges(of: &same) { $0.count = 1 })
    #expect(db.totalChanges == count)
    #expect(try !db.updateChanges(of: Visit("a", id: 99), from: Visit("a", id: 99)))
  }

  @Test func `a closure changes the value and its row`() throws {
    var visit = try db.insert(Visit("a"))
    #expect(try db.updateChanges(of: &visit) { $0.count += 4 })
    #expect(visit.count == 5)
    #expect(try db.fetch(Visit.self, key: 1)?.count == 5)
  }

  @Test func `an error leaves the value as it was`() throws {
    var visit = try db.insert(Visit("a"))
    try db.insert(Visit("b"))
    #expect(
      failure { try db.updateChanges(of: &visit) { $0.page = "b" } }?.code == .constraintUnique)
    #expect(visit.page == "a")
    #expect(
      foreignFailure {
        try db.updateChanges(of: &visit) { visit in
          visit.page = "c"
          throw ForeignError()
        }
      } != nil)
    #expect(visit.page == "a")
    #expect(failure { try db.updateChanges(of: &visit) { $0.id = 3 } }?.code == .misuse)
    #expect(visit.id == 1)
    try db.delete(visit)
    #expect(failure { try db.updateChanges(of: &visit) { $0.page = "c" } }?.code == .notFound)
    #expect(visit.page == "a")
  }

  @Test func `a deletion by keys returns the keys without a row`() throws {
    try db.insert([Visit("a"), Visit("b"), Visit("c")])
    #expect(try db.deleteEach(Visit.self, keys: [3, 99, 1, 3, -1]) == [99, 3, -1])
    #expect(try db.fetch(Visit.all).map(\.page) == ["b"])
    #expect(try db.deleteEach(Visit.self, keys: []) == [])
    try db.insert(Seat(row: "A", number: 1))
    #expect(try db.deleteEach(Seat.self, keys: [("A", 1), ("A", 2)]).map(\.1) == [2])
  }
}
