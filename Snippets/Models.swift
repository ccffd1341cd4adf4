// Structs as table rows: created, inserted, updated and deleted.

import SluiceModels

struct Person: Codable, Model {
  static let table = ModelTable("person", key: \Person.id)
  var id: Int64?  // assigned by SQLite
  var name: String
  var age: Int?
}

let connection = try Connection()
try connection.createTable(of: Person.self)

// Inserts one model, or several models atomically. Returns them with the keys that SQLite assigned.
var ada = try connection.insert(Person(name: "Ada", age: 36))
let people = [Person(name: "Alan", age: 41), Person(name: "Eve")]
try connection.insert(people)

// Inserts the valid models, and returns the others with their errors.
let failed = try connection.insertEach([
  Person(id: 1, name: "Bob"), Person(name: "Grace"),
])
print(failed.map(\.model.name))  // ["Bob"]

ada.name = "Augusta"
try connection.update(ada)  // all columns; a missing row throws
try connection.update(ada, \.name, \.age)  // some columns
try connection.update(Person.self, key: 2, .set(\.age, to: nil))
try connection.upsert(Person(id: 9, name: "Charles", age: 79))

let adults = try connection.fetch(
  Person.where(\.age >= 18).order(by: \.name).limit(10))
print(adults.map(\.name))  // ["Augusta", "Charles"]
let second = try connection.fetch(Person.self, key: 2)

try connection.delete(ada)
let count = try connection.delete(Person.where(\.age == nil))
print(count)  // 3
try connection.deleteAll(Person.self)  // keeps the table; dropTable(of:) drops it
// snippet.hide
guard failed.map(\.model.name) == ["Bob"], adults.map(\.name) == ["Augusta", "Charles"],
  second?.name == "Alan", second?.age == nil, count == 3,
  try connection.count(Person.all) == 0
else { fatalError() }
