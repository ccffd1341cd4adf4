import Foundation
import SluiceModels
import Testing

/// A plain struct.
struct Person: Codable, Model, Equatable {
  static let table = ModelTable("person", key: \Person.id)
  var id: Int64?
  var name: String
  var age: Int?

  init(_ name: String, age: Int? = nil, id: Int64? = nil) {
    self.id = id
    self.name = name
    self.age = age
  }
}

/// A struct with every option that a table can have, and with names that need quoting.
struct Entry: Codable, Model, Equatable {
  static let table = ModelTable(
    #"a "b" c"#, key: \Entry.order, and: \.line, .strict, .withoutRowid,
    .column(\.person, .references(Person.self, onDelete: .cascade, onUpdate: .setNull)),
    .column(\.text, .unique, .collate("NOCASE"), .check(sql: "length(text) < 100")),
    .column(\.amount, .default(2.5), .check(sql: "amount > 0")),
    .column(\.twice, .type(.real), .generated(sql: "amount * 2", isStored: true)),
    .unique(\.line, \.text),
    .check(sql: #""group" <> '13'"#),
    .index(\.person, \.amount, where: "amount > 10"),
    .index(\.amount, unique: true, named: "the amount"),
    .index(sql: "lower(text)", named: "by lower"),
    .column("note", .text, .default("it's \0 new")))

  let order: Int
  let line: String
  var person: Int64?
  var text: String
  var amount: Double
  var twice: Double?
  /// A property that is not stored.
  var mark = "unmarked"

  enum CodingKeys: String, CodingKey {
    case order, person, text, amount, twice
    case line = "group"
  }
}

/// A struct with a property of every type.
struct Sample: Codable, Model, Equatable {
  static let table = ModelTable("sample", key: \Sample.id)

  enum Color: String, Codable, CaseIterable { case red, green }
  enum Level: Int, Codable, CaseIterable {
    case low = 3
    case high = 7
  }
  enum Shape: String, Codable, ModelExamples {
    case round, square
    static var modelExamples: (Shape, Shape) { (.round, .square) }
  }
  struct Point: Codable, Equatable { var x, y: Int }

  var id: UUID
  var int: Int64
  var byte: UInt8
  var double: Double
  var float: Float
  var text: String
  var data: Data
  var isOn: Bool
  var date: Date
  var url: URL
  var color: Color
  var level: Level
  var shape: Shape
  var points: [Point]
  var point: Point?
  var tags: [String: Int]
  var missing: Data?
  var isMaybe: Bool?
}

extension Connection {
  /// Returns a connection to an in-memory database with the tables of the models.
  static func with(_ models: any Model.Type...) throws -> Connection {
    let connection = try Connection()
    for model in models { try connection.createTable(of: model) }
    return connection
  }

  /// Inserts a person of each age.
  @discardableResult
  func insertPeople(_ ages: ClosedRange<Int>) throws -> [Person] {
    let people = ages.map { age in Person("Person \(age)", age: age) }
    return try insert(people)
  }

  func strings(_ sql: SQL) throws -> [String] { try query(.column(.string), sql) }
}
