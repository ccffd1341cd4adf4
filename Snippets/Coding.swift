// Codable types as rows and as parameters.

// snippet.hide
import Foundation
import Sluice

let connection = try Connection()
try connection.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name, born, tags)")
// snippet.show
struct Person: Codable {
  var id: Int64
  var name: String
  var born: Date?
  var tags: [String]
}

let ada = Person(
  id: 1, name: "Ada", born: Date(timeIntervalSince1970: 0), tags: ["first"])
try connection.execute(
  sql: "INSERT INTO person VALUES (:id, :name, :born, :tags)", encoding: ada)
let people = try connection.query(
  Person.self, sql: "SELECT * FROM person ORDER BY name")
let found = try connection.first(
  Person.self, "SELECT * FROM person WHERE name = \(ada.name)")

// Strategies determine how dates, UUIDs, nested values and names are stored.
connection.codingStrategies = CodingStrategies(
  dates: .timeIntervalSince1970, keys: .snakeCase)

// GRDB's default strategies.
connection.codingStrategies = .grdb
// snippet.hide
connection.codingStrategies = CodingStrategies()
precondition(people.count == 1 && found?.tags == ["first"])
// snippet.show

let statement = try connection.prepare(
  sql: "INSERT INTO person VALUES (:id, :name, :born, :tags)")
for id in 2...4 {
  let person = Person(id: Int64(id), name: "Person \(id)", tags: [])
  try statement.bind(encoding: person).execute()
}

try connection.execute(sql: "SELECT * FROM person") { row in
  let person = try row.decode(Person.self)
  print(person.name, person.tags)
}

let mapper = TableMapper("person", .decoding(Person.self))
let tagged = try mapper.all(in: connection, where: "tags <> \("[]")")

// The statement has parameters for only some of the properties.
let update = try connection.prepare(
  sql: "UPDATE person SET name = :name WHERE id = :id")
update.codingStrategies.propertiesWithoutParameter = .leftOut
try update.bind(encoding: ada).execute()

let decoder = RowDecoder(CodingStrategies(dates: .sqlite))
let all = try connection.query(
  .decoding(Person.self, by: decoder), sql: "SELECT * FROM person")

// The other dates keep the strategy of the connection.
var strategies = connection.codingStrategies
strategies.representations["born"] = .date(as: .julianDay)
let byDay = RowDecoder(strategies)
let born = try connection.first(
  .decoding(Person.self, by: byDay),
  sql: "SELECT id, name, tags, julianday(born) AS born FROM person WHERE id = 1")
// snippet.hide
precondition(born?.born == ada.born && born?.born != nil)
// snippet.show

do {
  _ = try connection.query(
    Person.self, sql: "SELECT id, NULL AS name, '[]' AS tags FROM person")
} catch DecodingError.valueNotFound(let type, let context) {
  // No String at ["name"].
  print("No \(type) at", context.codingPath.map(\.stringValue))
}

// A custom representation that stores only the year.
let years = DateStrategy.custom(
  encode: { date in .integer(Int64(Calendar.current.component(.year, from: date))) },
  decode: { value in
    guard let year = Int(databaseValue: value),
      let date = Calendar.current.date(from: DateComponents(year: year))
    else { throw SQLiteError(.mismatch, "That is no year") }
    return date
  })
// snippet.hide
connection.codingStrategies = CodingStrategies(dates: years)
precondition(tagged.count == 1 && all.count == 4)
let date = try connection.first(Date.self, sql: "SELECT 2001")
precondition(date.map { Calendar.current.component(.year, from: $0) } == 2001)
