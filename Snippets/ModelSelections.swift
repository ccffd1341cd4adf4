// Values of rows and groups instead of models, and full-text search.

// snippet.hide
import SluiceModels

struct Person: Codable, Model {
  static let table = ModelTable("person", key: \Person.id)
  var id: Int64?
  var name: String
  var age: Int?
}

struct Note: Codable, Model {
  static let table = ModelTable("note", key: \Note.id)
  var id: Int64?
  var text: String
}

let connection = try Connection()
try connection.createTable(of: Person.self)
try connection.createTable(of: Note.self)
try connection.createFullTextIndex("note_index", on: "note", columns: ["text"])
try connection.insert([
  Person(name: "Ada", age: 36), Person(name: "Alan", age: 41), Person(name: "Eve", age: 36),
])
try connection.insert([Note(text: "Buy milk"), Note(text: "Milk and milk"), Note(text: "Sleep")])
let pattern = FTS5Pattern.allWords("milk")
// snippet.show
let oldest = try connection.value(.max(\.age), of: Person.all)
let sum = try connection.value(.sum(\.age), of: Person.where(\.name != "Eve"))
print(oldest ?? 0, sum ?? 0)  // 41 77

// Columns: a value for one property, a tuple for several.
let names = try connection.fetch(Person.where(\.age >= 18).select(\.name).distinct())
for (id, name) in try connection.fetch(Person.order(by: \.name).select(\.id, \.name)) {
  print(id ?? 0, name)
}

// Groups, largest first.
let groups = Person.all.select(\.age, .count).group(by: \.age).order(
  by: .descending(.count))
for (age, count) in try connection.fetch(groups.having("count(*) > \(1)")) {
  print(age ?? 0, count)  // 36 2
}

// Full-text search, best match first, with an index that createFullTextIndex has created.
let found = try connection.fetch(
  Note.where(.matches(pattern, in: "note_index")).order(
    by: .relevance(of: pattern, in: "note_index")))
// snippet.hide
guard oldest == 41, sum == 77, names == ["Ada", "Alan", "Eve"],
  found.map(\.text) == ["Milk and milk", "Buy milk"],
  try connection.fetch(groups.having("count(*) > \(1)")).map(\.1) == [2]
else { fatalError("\(found)") }

@MainActor func comments() throws {
  do {
    let counts = try connection.fetch(Person.all.select(\.age, .count).group(by: \.age))
    guard counts.map(\.1) == [2, 1] else { fatalError() }
  }
  let counts = Person.all.select(.column(\.name), .count).group(by: \.name)
  let lengths = Person.all.select(.sql("length(name)", .int))
  let ages = try connection.fetchFirst(Person.all.select(.min(\.age), .max(\.age)))
  guard try connection.fetch(counts).count == 3, try connection.fetch(lengths) == [3, 4, 3],
    ages?.0 == 36
  else { fatalError() }
  do {
    let names = try connection.fetch(Person.all.select(\.id, \.name))
    let counts = try connection.fetch(
      Person.all.order(by: .descending(.count)).select(.column(\.age), .count).group(by: \.age)
        .having("count(*) > \(1)"))
    guard names.count == 3, counts.count == 1 else { fatalError() }
  }
  do {
    let oldest = try connection.value(.max(\.age), of: Person.all)
    guard oldest == 41 else { fatalError() }
  }
}
try comments()

func streams(_ pool: ConnectionPool) async throws {
  for try await person in pool.rows(Person.order(by: \.name)) { print(person.name) }
}

@MainActor func live(_ queue: ConnectionQueue) {
  let adults = queue.live(Person.where(\.age >= 18).order(by: \.name))
  let page = queue.live(window: 0..<50, Person.order(by: \.name))
  page.observe(Person.where(.like(\.name, .containing("ad"))).order(by: \.name))
  _ = adults
}
