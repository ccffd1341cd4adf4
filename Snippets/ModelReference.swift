// The code samples in the documentation comments of SluiceModels.

// snippet.hide
import Foundation
import SluiceModels

struct Person: Codable, Model {
  static let table = ModelTable("person", key: \Person.id)
  var id: Int64?  // assigned by SQLite
  var name: String
  var age: Int?
}

struct Message: Codable, Model {
  static let table = ModelTable(
    "message", key: \Message.id, .strict,
    .column(\.person, .references(Person.self, onDelete: .cascade)),
    .column(\.text, .check(sql: "length(text) < 1000")),
    .index(\.person, \.sent))
  var id: Int64?
  var person: Int64
  var text: String
  var sent: Date
}

struct Site: Codable, Model {
  static let table = ModelTable("site", key: \Site.id, .columnNames(.snakeCase))
  var id: Int64?
  var homePage: String
}

/// A type that is not Codable.
struct Badge: Model {
  static let table = ModelTable(
    "badge", key: \Badge.id, columns: .column("id", \.id, .integer), .column("name", \.name, .text))
  var id: Int64
  var name: String

  init(id: Int64, name: String) { (self.id, self.name) = (id, name) }

  init(row: borrowing Row) throws {
    try self.init(id: row.get(.int64, named: "id"), name: row.get(.string, named: "name"))
  }

  func columnValues(for connection: Connection) -> ColumnValues {
    ["id": .int64(id), "name": .string(name)]
  }
}

enum Store {
  static let shared = ModelStore(creating: Person.self, Message.self) {
    try ConnectionQueue(path: "app.db", label: "app")
  }
}

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
guard FileManager.default.changeCurrentDirectoryPath(folder.path) else { fatalError() }

try migrations()
try rows(people: [Person(name: "Eve", age: 20), Person(id: 1, name: "Ada")])
queries(entered: "50%", ids: [1, 2])

extension Person: StoredModel {
  static var store: ModelStore { Store.shared }
}

let ada = try await Person.write { connection in
  try connection.insert(Person(name: "Ada"))
}
guard ada.id == 1 else { fatalError() }

func rows(people: [Person]) throws {
  let connection = try Connection()
  try connection.createTable(of: Person.self)
  try connection.createTable(of: Badge.self)
  try connection.insert(Badge(id: 7, name: "gold"))
  guard try connection.fetch(Badge.self, key: 7)?.name == "gold" else { fatalError() }
  try connection.execute("CREATE TABLE friend(id)")
  for failure in try connection.insertEach(people) {
    print(failure.model.name, failure.error)
  }
  try connection.update(Person.self, key: 1, .set(\.name, to: "Eve"), .set(\.age, to: nil))
  do {
    let adults = try connection.fetch(Person.where(\.age >= 18).order(by: \.name))
    print(adults.count)
  }
  let adults = Person.where(\.age >= 18 && .like(\.name, "A%")).order(by: \.name).limit(10)
  let found = try connection.fetch(adults)
  let friends = try connection.query(
    .model(Person.self), "SELECT person.* FROM person JOIN friend ON friend.id = person.id")
  guard found.isEmpty, friends.isEmpty else { fatalError() }
}

func queries(entered: String, ids: [Int64]) {
  let withA = Person.where(.like(\.name, "A%"))
  let found = Person.where(.like(\.name, .prefix(entered)))  // matches an entered "%" literally
  let condition: Condition<Person> = \.age >= 18 && (.like(\.name, "A%") || .in(\.id, ids))
  _ = (withA, found, condition)
}

struct Member: Codable, Model {
  static let table = ModelTable("member", key: \Member.id)
  var id: Int64
  var gender: String?
  var fullName: String?
  var messages: Int?
}

func migrations() throws {
  let connection = try Connection()
  try connection.execute(
    """
    CREATE TABLE member(
      id INTEGER PRIMARY KEY, sex TEXT, firstName TEXT, lastName TEXT, shoeSize INTEGER);
    CREATE TABLE message(member INTEGER);
    INSERT INTO member VALUES (1, 'f', 'Ada', 'Lovelace', 36);
    INSERT INTO message VALUES (1), (1)
    """)
  try connection.migrate(Member.self, to: 2) { migration in
    migration.rename("sex", to: \.gender)
    migration.combine("lastName", "firstName", into: \.fullName, separator: ", ")
    migration.fill(\.messages, sql: "(SELECT count(*) FROM message WHERE message.member = id)")
    migration.drop("shoeSize")
  }
  let ada = try connection.fetch(Member.self, key: 1)
  guard ada?.gender == "f", ada?.fullName == "Lovelace, Ada", ada?.messages == 2 else {
    fatalError()
  }
}

struct Contact: Codable, Model {
  struct Address: Codable { var street: String }
  static let table = ModelTable("contact", key: \Contact.id, .columns(\.address))
  var id: Int64?
  var address: Address
}

func reading(_ connection: Connection) throws {
  try connection.forEach(Person.order(by: \.name)) { person in print(person.name) }
}

func observing(_ queue: ConnectionQueue) async throws {
  for try await adults in queue.observe(Person.where(\.age >= 18).order(by: \.name)) {
    print(adults.map(\.name))
  }
}
