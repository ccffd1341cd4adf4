import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models)) struct `values of columns` {
  @Test func `a property that one value does not encode is NULL, not the value before`() throws {
    struct Gap: Codable, Model, Equatable {
      static let table = ModelTable("gap", key: \Gap.id)
      var id: Int
      var a: Int?
      var b: String?
      var isReversed = false

      enum CodingKeys: String, CodingKey { case id, a, b }

      init(id: Int, a: Int?, b: String?, isReversed: Bool = false) {
        (self.id, self.a, self.b, self.isReversed) = (id, a, b, isReversed)
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if isReversed, let b { try container.encode(b, forKey: .b) }
        if let a { try container.encode(a, forKey: .a) }
        if !isReversed, let b { try container.encode(b, forKey: .b) }
        try container.encode(id, forKey: .id)
      }
    }
    let db = try Connection.with(Gap.self)
    let gaps = [
      Gap(id: 1, a: 1, b: "1"), Gap(id: 2, a: nil, b: "2"), Gap(id: 3, a: 3, b: nil),
      Gap(id: 4, a: 4, b: "4", isReversed: true), Gap(id: 5, a: nil, b: nil),
      Gap(id: 6, a: 6, b: "6"),
    ]
    try db.insert(gaps)
    let stored = try db.fetch(Gap.order(by: \.id))
    #expect(stored.map(\.a) == gaps.map(\.a) && stored.map(\.b) == gaps.map(\.b))
    for gap in gaps { try db.update(Gap(id: gap.id, a: gap.a, b: nil)) }
    #expect(try db.fetch(Gap.all).map(\.a) == [1, nil, 3, 4, nil, 6])
    #expect(try db.fetch(Gap.all).allSatisfy { $0.b == nil })
  }

  @Test func `an update finds the row of a value that does not store its key`() throws {
    struct Hidden: Codable, Model {
      static let table = ModelTable("hidden", key: \Hidden.id)
      var id: Int
      var text: String
      enum CodingKeys: String, CodingKey { case id, text }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
      }
      init(id: Int, text: String) { (self.id, self.text) = (id, text) }
    }
    let db = try Connection()
    try db.execute(
      sql:
        "CREATE TABLE hidden(id INTEGER PRIMARY KEY, text); INSERT INTO hidden VALUES (1, 'a'), (2, 'b')"
    )
    #expect(try db.update(Hidden(id: 2, text: "c")) == 1)
    #expect(try db.query(.column(.string), "SELECT text FROM hidden ORDER BY id") == ["a", "c"])
  }

  @Test func `two models with different names for the same columns share their statements`() throws
  {
    struct Plain: Codable, Model, Equatable {
      static let table = ModelTable("page", key: \Plain.id)
      var id: Int
      var page: String
      var time: Int?
      enum CodingKeys: String, CodingKey {
        case id
        case page = "home_page"
        case time = "last_seen"
      }
    }
    struct Converted: Codable, Model, Equatable {
      static let table = ModelTable("page", key: \Converted.id, .columnNames(.snakeCase))
      var id: Int
      var homePage: String
      var lastSeen: Int?
    }
    let db = try Connection.with(Plain.self)
    for id in 0..<4 {
      try db.insert(Plain(id: 2 * id, page: "plain", time: id))
      try db.insert(Converted(id: 2 * id + 1, homePage: "converted", lastSeen: id))
    }
    try db.update(Converted(id: 0, homePage: "changed", lastSeen: nil))
    try db.update(Plain(id: 1, page: "changed", time: nil))
    let pages = try db.fetch(Plain.order(by: \.id))
    let rest = [1, 2, 3].flatMap { _ in ["plain", "converted"] }
    #expect(pages.map(\.page) == ["changed", "changed"] + rest)
    #expect(pages.map(\.time) == [nil, nil, 1, 1, 2, 2, 3, 3])
  }

  @Test func `a value can insert another one while it is encoded`() throws {
    struct Nested: Codable, Model {
      static let table = ModelTable("nested", key: \Nested.id)
      @TaskLocal static var write: (@Sendable () throws -> Void)?
      var id: Int
      var text: String
      enum CodingKeys: String, CodingKey { case id, text }
      init(id: Int, text: String) { (self.id, self.text) = (id, text) }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try Nested.$write.withValue(nil) { [write = Nested.write] in try write?() }
        try container.encode(text, forKey: .text)
      }
    }
    let db = try Connection.with(Nested.self)
    // The closure is called on the thread that uses the connection.
    nonisolated(unsafe) let other = db
    let write = { @Sendable () throws -> Void in
      _ = try unsafe other.insert(Nested(id: 2, text: "inner"))
    }
    try Nested.$write.withValue(write) { _ = try db.insert(Nested(id: 1, text: "outer")) }
    #expect(try db.fetch(Nested.order(by: \.id)).map(\.text) == ["outer", "inner"])
  }

  @Test func `values that a type lists can come from a literal, a dictionary or a part of it`()
    throws
  {
    struct Part: Encodable { var homePage: String }
    struct Listed: Model {
      static let table = ModelTable(
        "listed", key: \Listed.id, columns: .column("id", \.id, .integer),
        .column("homePage", \.homePage, .text))
      var id: Int
      var homePage: String
      var form = 0
      init(id: Int, homePage: String, form: Int) {
        (self.id, self.homePage, self.form) = (id, homePage, form)
      }
      init(row: borrowing Row) throws {
        try self.init(
          id: row.get(.int, named: "id"), homePage: row.get(.string, named: "homePage"), form: 0)
      }
      func columnValues(for connection: Connection) throws -> ColumnValues {
        switch form {
        case 0: return ["id": .int(id), "homePage": .string(homePage)]
        case 1:
          var values = try connection.parameters(encoding: Part(homePage: homePage))
          values["id"] = .int(id)
          return ColumnValues(values)
        case 2: return ColumnValues(encoding: ["homePage": homePage])
        default: return ["id": .int(id), "homepage": .string(homePage)]
        }
      }
    }
    let db = try Connection.with(Listed.self)
    for form in 0...2 { try db.insert(Listed(id: form + 1, homePage: "\(form)", form: form)) }
    #expect(try db.fetch(Listed.order(by: \.id)).map(\.homePage) == ["0", "1", "2"])
    try db.update(Listed(id: 3, homePage: "three", form: 2))
    #expect(try db.fetch(Listed.self, key: 3)?.homePage == "three")
    #expect(failure { try db.insert(Listed(id: 9, homePage: "", form: 3)) }?.code == .range)
    #expect(try db.fetch(Listed.self, key: 9) == nil)
  }

  @Test func `an update looks for the key of the model, not for what its column stores`() throws {
    struct Folded: Model {
      static let table = ModelTable(
        "folded", key: \Folded.id, columns: .column("id", \.id, .text), .column("v", \.v, .text))
      var id: String
      var v: String
      init(id: String, v: String) { (self.id, self.v) = (id, v) }
      init(row: borrowing Row) throws {
        try self.init(id: row.get(.string, named: "id"), v: row.get(.string, named: "v"))
      }
      func columnValues(for connection: Connection) -> ColumnValues {
        ["id": .string(id.lowercased()), "v": .string(v)]
      }
    }
    let db = try Connection.with(Folded.self)
    try db.execute("INSERT INTO folded VALUES ('Ada', 'upper'), ('ada', 'lower')")
    #expect(try db.update(Folded(id: "Ada", v: "new"), \.v) == 1)
    #expect(try db.query(.column(.string), "SELECT v FROM folded ORDER BY id") == ["new", "lower"])
  }

  @Test func `a column that an update names twice is written`() throws {
    let db = try Connection.with(Person.self)
    try db.insert(Person("a", id: 1))
    try db.update(Person("b", age: 2, id: 1), columns: ["name", "age", "name"])
    #expect(try db.fetch(Person.self, key: 1) == Person("b", age: 2, id: 1))
    try db.update(Person("c", age: 3, id: 1), \.age, \.age)
    #expect(try db.fetch(Person.self, key: 1) == Person("b", age: 3, id: 1))
  }

  @Test func `a value for a column that is not written is still checked`() throws {
    struct Twice: Codable, Model {
      static let table = ModelTable("twice", key: \Twice.id)
      var id: Int
      var v: [Int]
      var w: Int
      enum CodingKeys: String, CodingKey { case id, v, w }
      init(id: Int) { (self.id, v, w) = (id, [], 0) }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(w, forKey: .w)
        try container.encode(v, forKey: .v)
        if id > 1 {
          var part = container.nestedUnkeyedContainer(forKey: .v)
          try part.encode(1)
        }
      }
    }
    let db = try Connection.with(Twice.self)
    try db.execute("INSERT INTO twice VALUES (1, '[]', 0), (2, '[]', 0)")
    #expect(throws: EncodingError.self) { try db.update(Twice(id: 2), \.v) }
    #expect(throws: EncodingError.self) { try db.update(Twice(id: 2), \.w) }
    #expect(try db.update(Twice(id: 1), \.w) == 1)
  }

  @Test func `more columns than the bits of a word can be written`() throws {
    struct Wide: Codable, Model {
      static let table = ModelTable("wide", key: \Wide.id)
      var id: Int
      var part: [Int]
      var c: Columns
      enum CodingKeys: String, CodingKey { case id, part }
      struct Columns: Codable, Equatable {
        var values: [Int]
        struct Key: CodingKey {
          var intValue: Int? { nil }
          let stringValue: String
          init(stringValue: String) { self.stringValue = stringValue }
          init?(intValue: Int) { nil }
        }
        init(_ first: Int) { values = (0..<64).map { first + $0 } }
        init(from decoder: any Decoder) throws {
          let container = try decoder.container(keyedBy: Key.self)
          values = try (1...64).map {
            try container.decode(Int.self, forKey: Key(stringValue: "c\($0)"))
          }
        }
        func encode(to encoder: any Encoder) throws {
          var container = encoder.container(keyedBy: Key.self)
          for (index, value) in values.enumerated() {
            try container.encode(value, forKey: Key(stringValue: "c\(index + 1)"))
          }
        }
      }
      init(id: Int, _ first: Int) { (self.id, part, c) = (id, [first], Columns(first)) }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        part = try container.decode([Int].self, forKey: .part)
        c = try Columns(from: decoder)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        var values = container.nestedUnkeyedContainer(forKey: .part)
        for value in part { try values.encode(value) }
        try c.encode(to: encoder)
      }
    }
    let db = try Connection.with(Wide.self)
    try db.insert(Wide(id: 1, 100))
    #expect(try db.update(Wide(id: 1, 200), columns: (1...64).map { "c\($0)" }) == 1)
    let wide = try #require(try db.fetch(Wide.self, key: 1))
    #expect(wide.part == [100] && wide.c == Wide.Columns(200))
  }
}
