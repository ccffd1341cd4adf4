import Foundation
import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models)) struct `properties that need named columns` {
  @propertyWrapper
  struct Trimmed<Value: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    private var value: Value
    var wrappedValue: Value {
      get { value }
      set { value = newValue }
    }
    init(wrappedValue: Value) { value = wrappedValue }
    init(from decoder: any Decoder) throws {
      value = try decoder.singleValueContainer().decode(Value.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  struct Odd: Codable, Model, Equatable {
    static let table = ModelTable(
      "odd", key: \Odd.id,
      .column("id", \.id, .integer), .column("name", \.name, .text, .unique),
      .column("nick", \.nick, .text), .column("size", \.size, .text, .default("9")),
      .column(\.name, .check(sql: "name <> ''")), .index(\.nick))

    var plain: Int64 = 0
    var id: Int64? { didSet { changes += 1 } }
    var name: String { didSet { changes += 1 } }
    @Trimmed var nick: String?
    var size: Int
    private var changes = 0

    init(name: String, nick: String?, size: Int) {
      self.name = name
      _nick = Trimmed(wrappedValue: nick)
      self.size = size
    }

    enum CodingKeys: CodingKey { case plain, id, name, nick, size }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      plain = try values.decode(Int64.self, forKey: .plain)
      id = try values.decodeIfPresent(Int64.self, forKey: .id)
      name = try values.decode(String.self, forKey: .name)
      _nick = try values.decode(Trimmed<String?>.self, forKey: .nick)
      size = Int(try values.decode(String.self, forKey: .size)) ?? 0
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(plain, forKey: .plain)
      try values.encode(id, forKey: .id)
      try values.encode(name, forKey: .name)
      try values.encode(_nick, forKey: .nick)
      try values.encode("\(size)", forKey: .size)
    }
  }

  @Test func `the column of a property with observers, a wrapper or another type can be named`()
    throws
  {
    let db = try Connection.with(Odd.self)
    #expect(
      try db.tableSQL(of: Odd.self) == [
        #"CREATE TABLE "odd"("plain" INTEGER NOT NULL, "id" INTEGER PRIMARY KEY, "#
          + #""name" TEXT NOT NULL UNIQUE CHECK (name <> ''), "nick" TEXT, "#
          + #""size" TEXT NOT NULL DEFAULT ('9'))"#,
        #"CREATE INDEX "odd_nick" ON "odd"("nick")"#,
      ])
    let one = try db.insert(Odd(name: "a", nick: nil, size: 3))
    try db.insert(Odd(name: "b", nick: "x", size: 4))
    #expect(one.id == 1)
    #expect(try db.fetch(Odd.self, key: 1)?.name == "a")
    #expect(try db.fetch(Odd.where(\.nick == "x")).map(\.size) == [4])
    #expect(try db.fetch(Odd.where(\.nick == nil)).map(\.name) == ["a"])
    #expect(try db.fetch(Odd.where(\.name == "b").order(by: \.size)).map(\.id) == [2])
    try db.update(Odd.self, key: 1, .set(\.nick, to: "y"), .set(\.name, to: "c"))
    var changed = try #require(try db.fetch(Odd.self, key: 1))
    #expect(changed.nick == "y")
    changed.name = "d"
    try db.update(changed, \.name)
    #expect(try db.fetch(Odd.where(\.name == "d")).map(\.nick) == ["y"])
  }

  @Test
  func `the error for querying an unnamed property with observers or a wrapper suggests naming it`()
    throws
  {
    struct Plain: Codable, Model {
      static let table = ModelTable("plain", key: \Plain.id)
      var id: Int64?
      var name: String { didSet {} }
      @Trimmed var nick: String = ""
    }
    let db = try Connection.with(Plain.self)
    try db.insert(Plain(name: "a"))
    #expect(try db.fetch(Plain.all).map(\.name) == ["a"])
    for query in [Plain.where(\.name == "a"), Plain.where(\.nick == "")] {
      let message = try #require(failure { try db.fetch(query) }).message
      #expect(message.hasPrefix("Plain has no column for a property of the type String. "))
      #expect(message.contains(#".column("name", \.name, .text)"#))
      #expect(!message.contains("0x"))
    }
  }

  @Test func `a table that names a column twice throws`() {
    struct Twice: Codable, Model {
      static let table = ModelTable(
        "twice", key: \Twice.id, .column("id", \.id, .integer), .column("id", \.id, .integer))
      static let other = ModelTable("twice", key: \Twice.id, .column("id", .integer))
      var id: Int
    }
    for table in [Twice.table, Twice.other] {
      #expect(failure { try table.columnNames }?.code == .misuse)
    }
  }
}
