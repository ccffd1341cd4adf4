import Foundation
import SluiceModels
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.models)) struct `model rows` {
  private let db: Connection

  init() throws { db = try Connection.with(Person.self, Entry.self) }

  @Test func `an inserted model has the key that SQLite assigned`() throws {
    let ada = try db.insert(Person("Ada", age: 36))
    #expect(ada == Person("Ada", age: 36, id: 1))
    #expect(try db.insert(Person("Eve", id: 7)).id == 7)
    #expect(try db.insert([Person("Bob"), Person("Alan")]).map(\.id) == [8, 9])
    #expect(try db.fetch(Person.self, key: 1) == ada)
    #expect(try db.fetch(Person.self, keys: [9, 99, 1]).map(\.name) == ["Alan", "Ada"])
    #expect(try db.fetch(Person.self, key: 2) == nil)
    #expect(try db.strings("SELECT name FROM person ORDER BY id") == ["Ada", "Eve", "Bob", "Alan"])
  }

  @Test func `the inserted model keeps the value of a property that is not stored`() throws {
    var entry = Entry(order: 1, line: "a", text: "x", amount: 2)
    entry.mark = "marked"
    #expect(try db.insert(entry).mark == "marked")
    #expect(try db.fetch(Entry.self, key: (1, "a"))?.mark == "unmarked")
  }

  @Test func `a generated column is read into its property but never written`() throws {
    var entry = try db.insert(Entry(order: 1, line: "a", text: "x", amount: 2, twice: 99))
    #expect(try db.fetch(Entry.self, key: (1, "a"))?.twice == 4)
    entry.amount = 5
    try db.update(entry)
    try db.upsert(entry)
    #expect(try db.fetch(Entry.where(\.twice == 10)).map(\.amount) == [5])
    #expect(failure { try db.update(entry, \.twice) }?.code == .misuse)
    #expect(
      failure { try db.update(Entry.self, key: (1, "a"), .set(\.twice, to: 3)) }?.code == .misuse)
  }

  @Test func `inserting a model sets a column without a property to its default`() throws {
    try db.insert(Entry(order: 1, line: "a", text: "x", amount: 2))
    #expect(
      try db.first(.column(.string), #"SELECT note FROM "a ""b"" c""#) == "it's \0 new")
  }

  @Test func `an insertion or update that violates a constraint throws its extended result code`()
    throws
  {
    try db.insert(Entry(order: 1, line: "a", text: "x", amount: 2))
    let broken: [(Entry, ResultCode)] = [
      (Entry(order: 1, line: "a", text: "y", amount: 3), .constraintPrimaryKey),
      (Entry(order: 2, line: "a", text: "X", amount: 3), .constraintUnique),
      (Entry(order: 2, line: "a", text: "y", amount: -1), .constraintCheck),
      (Entry(order: 2, line: "a", person: 5, text: "y", amount: 3), .constraintForeignKey),
    ]
    for (entry, code) in broken {
      #expect(failure { try db.insert(entry) }?.code == code)
    }
    let failed = try db.insertEach(
      broken.map(\.0) + [Entry(order: 3, line: "", text: "z", amount: 9)])
    #expect(failed.map(\.model) == broken.map(\.0))
    #expect(failed.map { ($0.error as? SQLiteError)?.code } == broken.map(\.1))
    #expect(try db.count(Entry.all) == 2)
  }

  @Test func `inserting several models inserts all of them or none`() throws {
    let people = [Person("Ada"), Person("Eve", id: 1), Person("Bob")]
    #expect(failure { try db.insert(people) }?.code == .constraintPrimaryKey)
    #expect(try db.count(Person.all) == 0)
    try db.transaction { db, _ in
      try db.insert(Person("Alan", id: 5))
      // The insertion fails halfway, and the transaction continues without it.
      #expect(failure { try db.insert([Person("Ada"), Person("Eve", id: 5)]) } != nil)
      #expect(try db.insertEach(people).isEmpty)
    }
    #expect(try db.strings("SELECT name FROM person ORDER BY id") == ["Eve", "Alan", "Ada", "Bob"])
  }

  @Test
  func `insertEach rethrows an error that is not a constraint violation, and inserts nothing`()
    throws
  {
    try db.execute(
      """
      CREATE TRIGGER full BEFORE INSERT ON person WHEN NEW.name = 'Eve'
      BEGIN SELECT missing(); END
      """)
    #expect(failure { try db.insertEach([Person("Ada"), Person("Eve")]) }?.code == .error)
    #expect(try db.count(Person.all) == 0)
  }

  @Test func `updating a model writes all columns or only the given columns`() throws {
    var ada = try db.insert(Person("Ada", age: 36))
    let eve = try db.insert(Person("Eve", age: 20))
    (ada.name, ada.age) = ("Augusta", nil)
    #expect(try db.update(ada) == 1)
    #expect(try db.fetch(Person.self, key: 1) == ada)
    (ada.name, ada.age) = ("Ada", 36)
    #expect(try db.update(ada, \.age) == 1)
    #expect(try db.fetch(Person.self, key: 1) == Person("Augusta", age: 36, id: 1))
    #expect(try db.update(ada, columns: ["name"]) == 1)
    #expect(try db.fetch(Person.self, key: 1) == ada)
    #expect(try db.fetch(Person.self, key: 2) == eve)
    #expect(failure { try db.update(ada, columns: ["nam"]) }?.code == .range)
    #expect(failure { try db.update(ada, columns: [#"name" = 'x'; --"#]) }?.code == .range)
  }

  @Test func `an update by key can set columns, even to NULL`() throws {
    try db.insert([Person("Ada", age: 36), Person("Eve", age: 20)])
    #expect(
      try db.update(Person.self, key: 1, .set(\.name, to: "Augusta"), .set(\.age, to: nil)) == 1)
    #expect(try db.update(Person.self, key: 2, .set(\.age, sql: "age + \(1)")) == 1)
    #expect(
      try db.fetch(Person.all) == [Person("Augusta", id: 1), Person("Eve", age: 21, id: 2)])
    let age: Int? = nil
    #expect(try db.update(Person.self, key: 2, .column("age", to: age)) == 1)
    #expect(try db.fetch(Person.self, key: 2)?.age == nil)
    #expect(
      failure { try db.update(Person.self, key: 2, .column("x", to: 1)) }?.code == .range)
    #expect(failure { try db.update(Person.self, key: 9, .set(\.age, to: 1)) }?.code == .notFound)
  }

  @Test func `updating or deleting a missing row throws notFound or returns the failed model`()
    throws
  {
    let nobody = Person("Nobody", id: 9)
    #expect(failure { try db.update(nobody) }?.code == .notFound)
    #expect(failure { try db.update(nobody, \.age) }?.code == .notFound)
    #expect(failure { try db.delete(nobody) }?.code == .notFound)
    #expect(failure { try db.delete(Person.self, key: 9) }?.code == .notFound)
    let unborn = failure { try db.update(Person("Unborn")) }
    #expect(unborn?.code == .notFound)
    #expect(unborn?.message.contains("insert returns the model with its key") == true)
    #expect(failure { try db.delete(Person("Unborn")) }?.code == .notFound)
    #expect(try !db.exists(nobody))
    #expect(try !db.exists(Person("Unborn")))
    let ada = try db.insert(Person("Ada"))
    #expect(failure { try db.update([ada, nobody]) }?.code == .notFound)
    #expect(try db.updateEach([ada, nobody]).map(\.model) == [nobody])
    #expect(failure { try db.delete([ada, nobody]) }?.code == .notFound)
    #expect(try db.exists(ada))
    #expect(try db.deleteEach([ada, nobody]).map(\.model) == [nobody])
    #expect(try db.count(Person.all) == 0)
  }

  @Test func `an upsert inserts a new row and updates an existing row`() throws {
    let ada = try db.upsert(Person("Ada"))
    #expect(ada.id == 1)
    #expect(try db.upsert(Person("Augusta", age: 36, id: 1)) == Person("Augusta", age: 36, id: 1))
    try db.upsert([Person("Eve"), Person("Bob", id: 1), Person("Alan", id: 7)])
    #expect(try db.fetch(Person.all.order(by: \.id)).map(\.name) == ["Bob", "Eve", "Alan"])
  }

  @Test func `an upsert preserves the rows that refer to the updated row`() throws {
    try db.insert(Person("Ada", id: 1))
    try db.insert(Entry(order: 1, line: "a", person: 1, text: "x", amount: 2))
    try db.upsert(Person("Augusta", id: 1))
    #expect(try db.count(Entry.all) == 1)
  }

  @Test func `rows can be deleted by value, by key, by several keys, by query or all at once`()
    throws
  {
    let people = try db.insertPeople(1...10)
    #expect(try db.delete(people[0]) == 1)
    #expect(try db.delete(Person.self, key: 2) == 1)
    #expect(try db.delete(Person.self, keys: [3, 4, 99]) == 2)
    #expect(try db.delete([people[4], people[5]]) == 2)
    #expect(try db.delete(Person.where(\.age >= 9)) == 2)
    #expect(try db.delete(Person.where(\.age >= 9)) == 0)
    #expect(try db.fetch(Person.all).map(\.id) == [7, 8])
    #expect(try db.deleteAll(Person.self) == 2)
    #expect(try db.hasTable(of: Person.self))
    #expect(try db.deleteAll(Person.self) == 0)
  }

  @Test func `updates and deletions respect the order, limit and offset of a query`() throws {
    try db.insertPeople(1...6)
    #expect(try db.update(Person.where(\.age > 4), .set(\.name, to: "Old")) == 2)
    let oldest = Person.all.order(by: .descending(\.age))
    #expect(try db.update(oldest.limit(3, offset: 1), .set(\.name, to: "x")) == 3)
    #expect(
      try db.fetch(Person.all.order(by: \.id)).map(\.name)
        == ["Person 1", "Person 2", "x", "x", "x", "Old"])
    #expect(try db.delete(oldest.offset(2)) == 4)
    try db.insert((1...4).map { Entry(order: $0, line: "a", text: "\($0)", amount: Double($0)) })
    #expect(try db.delete(Entry.order(by: \.amount).limit(1)) == 1)
    #expect(try db.fetch(Entry.order(by: \.order)).map(\.order) == [2, 3, 4])
  }

  @Test
  func `a cascade deletes rows or sets NULL, and the returned count includes only direct changes`()
    throws
  {
    let ada = try db.insert(Person("Ada", id: 1))
    try db.insert(
      (1...3).map {
        Entry(order: $0, line: "a", person: 1, text: "\($0)", amount: Double($0))
      })
    try db.execute("UPDATE person SET id = 2")
    #expect(try db.fetch(Entry.all).map(\.person) == [nil, nil, nil])
    try db.update(Entry.all, .set(\.person, to: 2))
    #expect(failure { try db.delete(ada) }?.code == .notFound)
    #expect(try db.delete(Person.self, key: 2) == 1)
    #expect(try db.count(Entry.all) == 0)
  }
}

@Suite(.tags(.models)) struct `values of each type` {
  private static func random(_ generator: inout some RandomNumberGenerator) -> Sample {
    func text(_ generator: inout some RandomNumberGenerator) -> String {
      let scalars = Array("aZ0'\"\\%_\0é한😀\u{301}\n;-".unicodeScalars)
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...8, using: &generator) {
        text.append(scalars.randomElement(using: &generator)!)
      }
      return String(text)
    }
    func integer<T: FixedWidthInteger>(
      _ type: T.Type, _ generator: inout some RandomNumberGenerator
    ) -> T {
      [T.min, 0, 1, T.max, T.random(in: T.min...T.max, using: &generator)]
        .randomElement(using: &generator)!
    }
    func point(_ generator: inout some RandomNumberGenerator) -> Sample.Point {
      Sample.Point(x: integer(Int.self, &generator), y: integer(Int.self, &generator))
    }
    func data(_ generator: inout some RandomNumberGenerator) -> Data {
      Data(
        (0..<Int.random(in: 0...5, using: &generator)).map { _ in integer(UInt8.self, &generator) })
    }
    let real = [
      0, -0.5, 1e300, Double.leastNonzeroMagnitude, Double.infinity,
      Double.random(in: -9...9, using: &generator),
    ]
    return Sample(
      id: UUID(), int: integer(Int64.self, &generator), byte: integer(UInt8.self, &generator),
      double: real.randomElement(using: &generator)!,
      float: Float.random(in: -9...9, using: &generator), text: text(&generator),
      data: data(&generator), isOn: .random(using: &generator),
      date: Date(
        timeIntervalSince1970: Double(Int.random(in: -9_999_999...9_999_999, using: &generator))),
      url: URL(string: "https://example.org/\(UInt.random(in: 0...9, using: &generator))?a=b%20c")!,
      color: .allCases.randomElement(using: &generator)!,
      level: .allCases.randomElement(using: &generator)!,
      shape: Bool.random(using: &generator) ? .round : .square,
      points: (0..<Int.random(in: 0...3, using: &generator)).map { _ in point(&generator) },
      point: Bool.random(using: &generator) ? nil : point(&generator),
      tags: Bool.random(using: &generator) ? [:] : [text(&generator): 1],
      missing: Bool.random(using: &generator) ? nil : data(&generator),
      isMaybe: [nil, true, false].randomElement(using: &generator)!)
  }

  @Test func `random values round-trip and can be found by each property`()
    throws
  {
    let db = try Connection.with(Sample.self)
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      let sample = Self.random(&generator)
      try db.insert(sample)
      #expect(try db.fetch(Sample.self, key: sample.id) == sample)
      let conditions: [Condition<Sample>] = [
        \.int == sample.int, \.byte == sample.byte, \.double == sample.double,
        \.float == sample.float, \.text == sample.text, \.data == sample.data,
        \.isOn == sample.isOn, \.date == sample.date, \.url == sample.url,
        \.color == sample.color, \.level == sample.level, \.shape == sample.shape,
        \.points == sample.points, \.point == sample.point, \.tags == sample.tags,
        \.missing == sample.missing, \.isMaybe == sample.isMaybe,
      ]
      for condition in conditions {
        #expect(try db.exists(Sample.where(\.id == sample.id && condition)))
        #expect(try !db.exists(Sample.where(\.id == sample.id && !condition)))
      }
    }
    #expect(try db.fetch(Sample.all).count == 300)
  }

  @Test func `the values of each property are stored in the documented form`() throws {
    let db = try Connection.with(Sample.self)
    let id = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    try db.insert(
      Sample(
        id: id, int: -5, byte: 255, double: 1.5, float: 0.25, text: "a'b", data: Data([0, 255]),
        isOn: false, date: Date(timeIntervalSince1970: 12.5), url: #require(URL(string: "a:b")),
        color: .green, level: .high, shape: .square, points: [.init(x: 1, y: 2)], point: nil,
        tags: ["k": 1], missing: nil, isMaybe: false))
    let row = try #require(try db.first(.values, "SELECT * FROM sample"))
    #expect(
      row.values == [
        "00112233-4455-6677-8899-AABBCCDDEEFF", -5, 255, 1.5, 0.25, "a'b", .blob([0, 255]), 0,
        "1970-01-01 00:00:12.500",
        "a:b", "green", 7, "square", #"[{"x":1,"y":2}]"#, nil, #"{"k":1}"#, nil, 0,
      ])
  }

  @Test func `the connection's strategies determine how values are stored, found and typed`() throws
  {
    let db = try Connection()
    db.codingStrategies = CodingStrategies(
      dates: .millisecondsSince1970, data: .base64, uuids: .bytes, nested: .propertyList)
    try db.createTable(of: Sample.self)
    var generator = SeededGenerator(seed: 6)
    for _ in 0..<50 {
      let sample = try db.insert(Self.random(&generator))
      let same = Sample.where(
        \.id == sample.id && \.date == sample.date && \.data == sample.data
          && .in(\.points, [sample.points]) && .between(\.date, sample.date...sample.date))
      #expect(try db.fetch(same) == [sample])
      #expect(try db.update(same, .set(\.date, to: sample.date), .set(\.missing, to: nil)) == 1)
    }
    #expect(
      try db.strings("SELECT DISTINCT typeof(id) || typeof(date) || typeof(data) FROM sample")
        == ["blobintegertext"])
    let types = try db.strings(
      "SELECT type FROM pragma_table_info('sample') WHERE name IN ('id', 'data', 'date', 'points')")
    #expect(types == ["BLOB", "TEXT", "INTEGER", "BLOB"])
  }

  @Test func `fetching a row that does not match its model throws`() throws {
    let db = try Connection.with(Person.self)
    try db.execute("INSERT INTO person(name, age) VALUES ('Ada', 'old')")
    #expect(throws: DecodingError.self) { try db.fetch(Person.all) }
    try db.execute("DROP TABLE person; CREATE TABLE person(id, name)")
    #expect(failure { try db.fetch(Person.all) }?.code == .error)
    #expect(failure { try db.insert(Person("Ada")) }?.code == .error)
    #expect(throws: DecodingError.self) {
      try db.query(.model(Person.self), "SELECT 1 AS id")
    }
  }
}
