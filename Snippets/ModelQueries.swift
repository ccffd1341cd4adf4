// Selecting, ordering and limiting model rows.

// snippet.hide
import SluiceModels

struct Person: Codable, Model {
  static let table = ModelTable("person", key: \Person.id)
  var id: Int64?
  var name: String
  var age: Int?
}

struct Message: Codable, Model {
  static let table = ModelTable("message", key: \Message.id)
  var id: Int64?
  var text: String
  var isRead = false
}

let connection = try Connection()
try connection.createTable(of: Person.self)
try connection.createTable(of: Message.self)
try connection.insert([Message(text: "Hi, Ada"), Message(text: "Hi, Ada", isRead: true)])
try connection.insert([
  Person(name: "Ada", age: 36), Person(name: "Alan", age: 41), Person(name: "Eve"),
])
let ids: [Int64] = [1, 3]
let entered = "A"
let column = "age"
// snippet.show
let adults = Person.where(\.age >= 18 && .like(\.name, "A%")).order(by: \.name).limit(
  10)
let found = try connection.fetch(adults)
let first = try connection.fetchFirst(adults)
let count = try connection.count(adults)
let areThereAny = try connection.exists(adults)

let conditions: [Condition<Person>] = [
  \.age == nil,  // IS NULL
  \.age != 36,  // as in Swift, includes rows without an age
  .in(\.id, ids),  // an empty array matches nothing
  .between(\.age, 18...65),
  .like(\.name, .prefix(entered)),  // matches an entered "%" literally
  .like(\.name, .suffix(entered)),
  !(\.age < 18 || \.name == "Eve"),
  .sql("length(name) > \(3)"),  // custom SQL; values are bound
]
for condition in conditions {
  print(try connection.fetch(Person.where(condition)).map(\.name))
}

let byAge = Person.order(by: .descending(\.age, nulls: .first), .ascending(\.name))
let page = try connection.fetch(byAge.limit(20, offset: 40))

// A column name from user input throws if the table has no such column.
let chosen = try connection.fetch(Person.where(.column(column, .lessOrEqual, 36)))

// A search field. A Boolean property needs a comparison: \.isRead == false.
let unread = Message.where(\.isRead == false && .like(\.text, .containing(entered)))
print(try connection.count(unread))  // 1

try connection.update(adults, .set(\.age, sql: "age + 1"))
try connection.delete(Person.where(\.age > 100))
// snippet.hide
let names = try conditions.map { try connection.fetch(Person.where($0)).map(\.name).joined() }
guard found.map(\.name) == ["Ada", "Alan"], first?.name == "Ada", count == 2, areThereAny,
  page.isEmpty, chosen.map(\.name) == ["Ada"],
  try connection.count(unread) == 1,
  names == ["Eve", "AdaAlanEve", "AdaEve", "AdaAlan", "AdaAlan", "Ada", "AdaAlan", "Alan"]
else { fatalError("\(names)") }
