// Writes that return the row, conflicts, and changes of a value.

// snippet.hide
import SluiceModels

// snippet.show
struct Visit: Codable, Model {
  static let table = ModelTable(
    "visit", key: \Visit.id, .column(\.page, .unique), .column(\.count, .default(1)),
    .column(\.isPopular, .generated(sql: "count > 100")))
  var id: Int64?
  var page: String
  var count = 1
  var first = "today"
  private(set) var isPopular: Bool?  // computed by SQLite
}
// snippet.hide
struct Person: Codable, Model {
  static let table = ModelTable("person", key: \Person.id, .column(\.name, .unique))
  var id: Int64?
  var name: String
  var age: Int?
}

struct Page: Codable, Model {
  static let table = ModelTable("page", key: \Page.name)
  var name: String
  var version = 1
}

let connection = try Connection()
try connection.createTable(of: Visit.self)
try connection.createTable(of: Page.self)
try connection.createTable(of: Person.self)
// snippet.show
// The row, with the key, defaults and generated columns.
var visit = try connection.insert(
  Visit(page: "home", count: 101), returning: .model(Visit.self))
print(visit.isPopular ?? false)  // true

// If there is a row with this page, it keeps its key and `first`, and adds 1 to `count`.
let again = try connection.upsert(
  Visit(page: "home"), .on(\.page), .keep(\.first),
  .set(\.count, sql: "visit.count + 1"),
  returning: .model(Visit.self))
print(again.count)  // 102

// Inserts nothing if the page is known.
let added = try connection.insertIfAbsent(Visit(page: "home"), on: \.page)
print(added == nil)  // true

// Writes only the properties that change.
try connection.updateChanges(of: &visit) { $0.first = "yesterday" }

// Any converter can read the returned rows.
let counts = try connection.update(
  Visit.where(\.count > 10), .set(\.count, to: 0),
  returning: .column(.int, named: "count"))
let deleted = try connection.delete(visit, returning: .model(Visit.self))
// The keys that had no row.
let missing = try connection.deleteEach(Visit.self, keys: [1, 2])

// One property of the row.
let count = try connection.upsert(
  Visit(page: "news"), .on(\.page), returning: \.count)

// Updates the row with the same page or the same key, but only if its count is smaller.
let larger = try connection.upsert(
  Visit(page: "news", count: 5), .onAnyConflict, where: "excluded.count > visit.count"
)
print(larger?.count ?? 0)  // 5

// Deletes the rows that conflict, as INSERT OR REPLACE does.
try connection.insert(Visit(page: "news", count: 7), or: .replace)
// snippet.hide
guard larger?.count == 5, try connection.fetch(Visit.all).map(\.count) == [7],
  visit.isPopular == true, again.count == 102, again.id == 1, added == nil, counts == [0],
  deleted.first == "yesterday", missing == [1, 2], count == 1
else { fatalError() }
try connection.deleteAll(Visit.self)
var person = try connection.insert(Person(name: "Ada", age: 36))
let draft = visit

@MainActor func comments() throws {
  try connection.upsert(person)
  try connection.upsert(person, .on(\.name), .keep(\.age))
  do {
    let added = try connection.insertIfAbsent(Person(name: "Ada"), on: \.name)
    guard added == nil else { fatalError() }
  }
  let page = Page(name: "home")
  try connection.insert(page, or: .replace)
  try connection.upsert(page, where: "excluded.version > page.version")
  var edited = person
  edited.name = "Eve"
  try connection.updateChanges(of: edited, from: person)
  try connection.updateChanges(of: &person) { $0.name = "Eve" }
  let message = try connection.insert(draft, returning: .model(Visit.self))
  guard message.id == 1 else { fatalError() }
  try connection.delete(message)
  let count = try connection.insert(draft, returning: \.count)
  guard count == 101 else { fatalError() }
  try connection.upsert(
    visit, .on(\.page), .keep(\.first), .set(\.count, sql: "visit.count + excluded.count"))
}
try comments()
