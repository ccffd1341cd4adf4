import Foundation
import SluiceModels
import TestSupport
import Testing

private struct Point: Codable, Equatable {
  var x: Double
  var y: Double
}

private struct Address: Codable, Equatable {
  var street: String
  var houseNumber: Int?
  var since = Date(timeIntervalSince1970: 60)
  var position = Point(x: 1, y: 2)
  var label: String { "\(street) \(houseNumber ?? 0)" }
}

private struct Resident: Codable, Equatable, Model {
  static let table = ModelTable(
    "person", key: \Resident.id, .columns(\.home), .columns(\.home.position, prefix: "at_"),
    .columns(\.work, prefix: "job "), .column(\.home.street, .collate("NOCASE")),
    .column(\.home.since, .date(as: .timeIntervalSince1970)), .index(\.home.street))
  var id: Int64?
  var name: String
  var home: Address
  var work: Address?
  /// A property whose name begins like the columns of a nested value.
  var homePage: String?

  enum CodingKeys: String, CodingKey {
    case id, name, home, work
    case homePage = "home_page"
  }
}

/// A model that converts the names of its properties.
private struct Site: Codable, Equatable, Model {
  static let table = ModelTable(
    "site", key: \Site.id, .columnNames(.snakeCase), .columns(\.mainAddress))
  var id: Int64
  var mainAddress: Address?
}

/// Nested values that have columns of their own.
@Suite(.tags(.models)) struct NestedColumnsTests {
  let db: Connection
  private let ada = Resident(
    id: 1, name: "Ada", home: Address(street: "Dorset", houseNumber: 3), homePage: "x")
  private let bob = Resident(
    id: 2, name: "Bob", home: Address(street: "Main"),
    work: Address(street: "Side", houseNumber: 4, position: Point(x: 3, y: 4)))

  init() throws {
    db = try Connection()
    try db.createTable(of: Resident.self)
    try db.createTable(of: Site.self)
  }

  @Test func `each property of a nested value has a column`() throws {
    let columns = try db.columns(of: "person")
    #expect(
      columns.map(\.name) == [
        "id", "name", "home_street", "home_houseNumber", "home_since", "at_x", "at_y",
        "job street", "job houseNumber", "job since", "job position", "home_page",
      ])
    let nullable = columns.filter { !$0.isNotNull }.map(\.name)
    #expect(
      nullable == [
        "id", "home_houseNumber", "job street", "job houseNumber", "job since", "job position",
        "home_page",
      ])
    #expect(
      columns.map(\.declaredType) == [
        "INTEGER", "TEXT", "TEXT", "INTEGER", "REAL", "REAL", "REAL", "TEXT", "INTEGER", "TEXT",
        "TEXT", "TEXT",
      ])
  }

  @Test func `nested values are written and read`() throws {
    try db.insert([ada, bob])
    #expect(try db.fetch(Resident.order(by: \.id)) == [ada, bob])
    #expect(try db.query(Resident.self, "SELECT * FROM person ORDER BY id DESC") == [bob, ada])
    let row = try #require(try db.first(.values, "SELECT * FROM person WHERE id = 2"))
    #expect(row["home_street"] == "Main")
    #expect(row["home_since"] == .real(60))
    #expect(row["at_x"] == .real(1))
    #expect(row["job houseNumber"] == .integer(4))
    #expect(row["job since"] == "1970-01-01 00:01:00.000")
    #expect(row["job position"] == #"{"x":3,"y":4}"#)
    #expect(
      try db.first(.column(.bool), #"SELECT "job street" IS NULL FROM person WHERE id = 1"#) == true
    )
  }

  @Test func `an optional nested value becomes NULL, and returns`() throws {
    try db.insert([ada, bob])
    var changed = bob
    changed.work = nil
    #expect(try db.updateChanges(of: changed, from: bob))
    #expect(try db.fetch(Resident.self, key: 2) == changed)
    try db.update(bob)
    #expect(try db.fetch(Resident.self, key: 2) == bob)
    #expect(try db.upsert(changed) == changed)
    #expect(try db.fetch(Resident.self, key: 2)?.work == nil)
  }

  @Test func `key paths refer to the columns of a nested value`() throws {
    try db.insert([ada, bob])
    #expect(try db.fetch(Resident.where(\.home.street == "DORSET")) == [ada])
    #expect(try db.fetch(Resident.where(\.work?.street == "Side")) == [bob])
    #expect(try db.fetch(Resident.where(\.work?.houseNumber == nil)) == [ada])
    #expect(try db.fetch(Resident.order(by: \.id).select(\.work?.street)) == [nil, "Side"])
    #expect(
      try db.fetch(Resident.where(\.home.position.y >= 2).order(by: \.home.street)).count == 2)
    #expect(
      try db.fetch(Resident.where(\.home.since <= Date(timeIntervalSince1970: 60))).count == 2)
    #expect(try db.fetch(Resident.order(by: \.id).select(\.home.houseNumber)) == [3, nil])
    #expect(
      try db.value(.max(\.home.since), of: Resident.all) == Date(timeIntervalSince1970: 60))
    try db.update(Resident.where(\.id == 1), .set(\.home.street, to: "Oak"))
    #expect(try db.fetch(Resident.self, key: 1)?.home.street == "Oak")
    var moved = ada
    moved.home.street = "Elm"
    moved.name = "not written"
    try db.update(moved, \.home.street)
    let stored = try db.fetch(Resident.self, key: 1)
    #expect(stored?.home.street == "Elm")
    #expect(stored?.name == "Ada")
    #expect(
      try db.update(Resident.where(.column("job street", .equal, "Side")), .set(\.name, to: "B"))
        == 1
    )
    #expect(try db.indexes(of: "person").map(\.name) == ["person_home_street"])
  }

  @Test func `names are converted after the prefix`() throws {
    #expect(
      try db.columns(of: "site").map(\.name) == [
        "id", "main_address_street", "main_address_house_number", "main_address_since",
        "main_address_position",
      ])
    let sites = [
      Site(id: 1), Site(id: 2, mainAddress: Address(street: "Main", houseNumber: 7)),
    ]
    try db.insert(sites)
    #expect(try db.fetch(Site.order(by: \.id)) == sites)
  }

  @Test func `a nested value is read from a joined row, under its prefix or in its place`() throws {
    struct Pair: Decodable, Equatable {
      var site: Site
      var person: Resident?
    }
    try db.insert([ada, bob])
    let site = Site(id: 2, mainAddress: Address(street: "Main"))
    try db.insert(site)
    let rows = try db.query(
      Pair.self,
      """
      SELECT \(columns: Site.self, as: "site"), \(columns: Resident.self, as: "person")
      FROM site LEFT JOIN person ON person.id = site.id
      """)
    #expect(rows == [Pair(site: site, person: bob)])
    let pairs = try db.query(
      .models(Site.self, Resident?.self),
      """
      SELECT \(columns: Site.self), \(columns: Resident.self)
      FROM site JOIN person ORDER BY person.id
      """)
    #expect(pairs.map(\.0) == [site, site])
    #expect(pairs.map(\.1) == [ada, bob])
  }

  @Test func `a row without some of the columns is refused, because writing it would lose them`()
    throws
  {
    try db.insert([ada, bob])
    for column in ["job street", "home_since", "at_y", "home_houseNumber"] {
      let names = try db.columns(of: "person").map(\.name).filter { $0 != column }
      let list = names.map { "\(identifier: $0)" as SQL }.joined(separator: ", ")
      #expect(throws: DecodingError.self, "without \(column)") {
        try db.query(Resident.self, "SELECT \(list) FROM person")
      }
    }
    #expect(throws: DecodingError.self) {
      try db.query(Resident.self, "SELECT id, name, home_page FROM person")
    }
    #expect(throws: DecodingError.self) {
      try db.query(Site.self, "SELECT 1 AS id")
    }
  }

  @Test func `an error names the property of the nested value`() throws {
    try db.insert(bob)
    try db.execute("UPDATE person SET home_since = x'00'")
    let error = #expect(throws: DecodingError.self) { try db.fetch(Resident.all) }
    let path: [any CodingKey]? =
      switch error {
      case .dataCorrupted(let context), .typeMismatch(_, let context): context.codingPath
      default: nil
      }
    #expect(path?.map(\.stringValue) == ["home", "since"])

    var wrong = ada
    wrong.home.position.x = .nan
    let refusal = #expect(throws: EncodingError.self) { try db.insert(wrong) }
    guard case .invalidValue(_, let context) = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["home", "position", "x"])
  }

  @Test func `a property that cannot have columns is refused`() throws {
    struct Single: Codable, Model {
      static let table = ModelTable("single", key: \Single.id, .columns(\.day))
      var id: Int64?
      var day: Date
    }
    #expect(failure { try db.createTable(of: Single.self) }?.code == .misuse)

    struct Listed: Codable, Model {
      static let table = ModelTable("listed", key: \Listed.id, .columns(\.tags))
      var id: Int64?
      var tags: [String]
    }
    #expect(failure { try db.createTable(of: Listed.self) }?.code == .misuse)

    struct Twice: Codable, Model {
      static let table = ModelTable(
        "twice", key: \Twice.id, .columns(\.home, prefix: "na"), .column("x", .text))
      struct Home: Codable { var me: String }
      var id: Int64?
      var name: String
      var home: Home
    }
    let twice = failure { try db.createTable(of: Twice.self) }
    #expect(twice?.code == .misuse)
    #expect(twice?.message.contains("are both named \"name\"") == true)

    struct Manual: Model {
      static let table = ModelTable(
        "manual", key: \Manual.id, columns: .column("id", \.id, .integer), .columns(\.home))
      var id: Int64
      var home: Point
      init(row: borrowing Row) throws { (id, home) = (1, Point(x: 1, y: 2)) }
      func columnValues(for connection: Connection) -> ColumnValues { ["id": .int64(id)] }
    }
    #expect(failure { try db.createTable(of: Manual.self) }?.code == .misuse)

    // Neither a computed property nor a whole value has a column to compare.
    #expect(failure { try db.fetch(Resident.where(\.work?.label == "Side 4")) }?.code == .range)
    #expect(failure { try db.fetch(Resident.where(\.home.label == "Side 4")) }?.code == .range)
    #expect(failure { try db.fetch(Resident.where(\.home == ada.home)) }?.code == .range)
  }

  @Test func `the rules of the table hold for a struct that is a model itself`() throws {
    struct Owner: Codable, Equatable, Model {
      static let table = ModelTable(
        "owner", key: \Owner.id, .columns(\.place), .column(\.born, .date(as: .julianDay)))
      var id: Int64?
      var born: Date
      var place = Point(x: 1, y: 2)
    }
    struct Dog: Codable, Equatable, Model {
      static let table = ModelTable(
        "dog", key: \Dog.id, .columns(\.owner),
        .column(\.owner.born, .date(as: .timeIntervalSince1970)))
      var id: Int64?
      var owner: Owner
    }
    try db.createTable(of: Dog.self)
    let dog = try db.insert(Dog(owner: Owner(id: 3, born: Date(timeIntervalSince1970: 5))))
    #expect(try db.first(.column(.value), "SELECT owner_born FROM dog") == .real(5))
    #expect(try db.fetch(Dog.all) == [dog])
  }

  @Test func `coding keys with a period, and structs without properties, are refused`() throws {
    struct Beside: Codable, Model {
      static let table = ModelTable("beside", key: \Beside.id, .columns(\.home))
      struct Home: Codable { var x: String }
      var id: Int64?
      var home: Home
      var odd: String
      enum CodingKeys: String, CodingKey {
        case id, home
        case odd = "home.x"
      }
    }
    struct Inside: Codable, Model {
      static let table = ModelTable("inside", key: \Inside.id, .columns(\.home))
      struct Home: Codable {
        var x: String
        enum CodingKeys: String, CodingKey { case x = "a.b" }
      }
      var id: Int64?
      var home: Home
    }
    struct Keyed: Codable, Model {
      static let table = ModelTable("keyed", key: \Keyed.id, .columns(\.all))
      var id: Int64?
      var all: [String: Int]
    }
    let beside = failure { try db.createTable(of: Beside.self) }
    #expect(beside?.code == .misuse)
    #expect(beside?.message.contains("home.x contains a period") == true)
    #expect(failure { try db.createTable(of: Inside.self) }?.code == .misuse)
    let keyed = failure { try db.createTable(of: Keyed.self) }
    #expect(keyed?.code == .misuse)
    #expect(keyed?.message.contains("\"all\" of Keyed has no properties") == true)
  }

  @Test func `a struct inside of another one can be declared first`() throws {
    struct Early: Codable, Equatable, Model {
      static let table = ModelTable(
        "early", key: \Early.id, .columns(\.home.position, prefix: "at_"), .columns(\.home))
      var id: Int64?
      var home: Address
    }
    try db.createTable(of: Early.self)
    #expect(try db.columns(of: "early").map(\.name).suffix(2) == ["at_x", "at_y"])
    let early = try db.insert(Early(home: Address(street: "a")))
    #expect(try db.fetch(Early.where(\.home.position.x == 1)) == [early])
  }

  @Test func `key paths of a class go through its structs`() throws {
    final class House: Codable, Model, @unchecked Sendable {
      static let table = ModelTable(
        "house", key: \House.id, .columns(\.home), .columns(\.home.position, prefix: ""))
      var id: Int64?
      var home = Address(street: "a")
    }
    try db.createTable(of: House.self)
    try db.insert(House())
    let found = try db.fetch(House.where(\.home.street == "a" && \.home.position.y == 2))
    #expect(found.count == 1)
    #expect(failure { try db.fetch(House.where(\.home.label == "a 0")) }?.code == .range)
  }
}
