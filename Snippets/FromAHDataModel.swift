// AHDataModel calls and their Sluice equivalents.

// snippet.hide
import Foundation
import SluiceModels

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
guard FileManager.default.changeCurrentDirectoryPath(folder.path) else { fatalError() }
// snippet.show
enum Store {
  static let shared = ModelStore(creating: User.self, Message.self) {
    try ConnectionQueue(path: "app.db", label: "app")
  }
}

struct User: Codable, StoredModel {
  static let table = ModelTable("user", key: \User.id)
  static var store: ModelStore { Store.shared }

  var id: Int
  var firstName: String
  var lastName: String?
  var age: Int
  var isVIP: Bool  // false is read back as false
  var balance: Double?
  var position = "PM"  // not stored, because it has no coding key

  enum CodingKeys: CodingKey { case id, firstName, lastName, age, isVIP, balance }
}

struct Message: Codable, StoredModel {
  static let table = ModelTable(
    "message", key: \Message.id,
    .column(\.userId, .references(User.self, onDelete: .cascade, onUpdate: .cascade)))
  static var store: ModelStore { Store.shared }

  var id: Int?  // assigned by SQLite
  var text: String
  var userId: Int
}

// A write is a transaction: an error rolls back all of its changes.
try User.syncWrite { connection in
  var ada = User(
    id: 42, firstName: "Ada", lastName: "Lovelace", age: 36, isVIP: false)
  try connection.insert(ada)
  guard try connection.fetch(User.self, key: 42)?.balance == nil else { return }
  ada.balance = 250
  try connection.update(ada)
}
let ada = try User.syncRead { connection in try connection.fetch(User.self, key: 42) }
print(ada?.balance ?? 0, ada?.isVIP ?? true, ada?.position ?? "")  // 250.0 false PM
// snippet.hide
guard ada?.balance == 250, ada?.isVIP == false, ada?.position == "PM" else { fatalError() }
// snippet.show

let lines = ["one", "two", "three", "four", "five"]
let failed = try Message.syncWrite { connection in
  try connection.insertEach(lines.map { Message(text: $0, userId: 42) })
}
if failed.isEmpty { print("All of them are in.") }

// The queue calls the completion handler on a separate thread.
let done = DispatchGroup()
done.enter()
Message.asyncWrite { connection in
  try connection.fetch(Message.where(.column("userId", .equal, 42)))
} completion: { result in
  if case .success(let messages) = result { print(messages.count) }  // 5
  // snippet.hide
  guard case .success(let messages) = result, messages.map(\.text) == lines,
    messages.map(\.id) == [1, 2, 3, 4, 5]
  else { fatalError("\(result)") }
  // snippet.show
  done.leave()
}
done.wait()
// snippet.hide
guard failed.isEmpty else { fatalError("\(failed)") }
try calls()
let waiting = DispatchGroup()
waiting.enter()
Task.detached {
  do { try await awaited() } catch { fatalError("\(error)") }
  waiting.leave()
}
waiting.wait()

func calls() throws {
  let users = [User(id: 1, firstName: "Eve", age: 12, isVIP: true)]
  let user = users[0]
  _ = try User.syncWrite { connection in
    try connection.insert(users)
    try connection.delete(user)
    try connection.insert(user)
    try connection.update(user)
    try connection.update(user, \.age)
    try connection.update(User.self, key: 1, .set(\.balance, to: nil))
    let failed = try connection.insertEach(users)
    let missing = try connection.updateEach(users) + (try connection.deleteEach(users))
    guard failed.count == 1, missing.isEmpty else { fatalError() }
    try connection.insert(user)
  }
  try User.syncRead { connection in
    guard try connection.exists(user), try connection.exists(User.self, key: 1),
      try connection.fetch(User.where(\.age == 12)).count == 1,
      try connection.fetch(User.where(!.in(\.age, [12, 30]))).count == 1,
      try connection.fetch(User.where(!.like(\.firstName, "Ada%"))).count == 1,
      try connection.fetch(User.where(.column("age", .equal, 12))).count == 1,
      try connection.fetch(User.where(\.balance != nil)).count == 1,
      try connection.fetch(User.where(\.age > 10 && \.isVIP == true)).count == 1,
      try connection.fetch(User.where(\.age > 100 || \.isVIP == true)).count == 1,
      try connection.count(User.where(\.age > 100 || \.isVIP == true && \.balance == nil)) == 1,
      try connection.fetch(User.where(.sql("age > \(10) AND firstName = \("Eve")"))).count == 1,
      try connection.fetch(User.all.order(by: .descending(\.id))).count == 2,
      try connection.lastVersion(of: User.self) == nil
    else { fatalError() }
  }
  try Message.syncWrite { connection in
    try connection.delete(User.self, key: 1)
    guard try connection.delete(User.self, keys: [1, 2]) == 0 else { fatalError() }
  }
  let connection = try Connection()
  try connection.createTable(of: Tag.self)
  try connection.transaction(.exclusive) { connection, command in
    try connection.insert(Tag(id: 1, name: "a"))
    command = .rollback
  }
  try connection.dropTable(of: Tag.self)
}

struct Tag: Codable, Model {
  static let table = ModelTable("tag", key: \Tag.id, .column(\.name, .unique))
  var id: Int
  var name: String
}

func awaited() async throws {
  try await User.write { connection in
    try connection.insert(User(id: 7, firstName: "Bob", age: 1, isVIP: false))
  }
  let users = try await User.read { connection in try connection.fetch(User.all) }
  guard users.count == 2 else { fatalError() }
  try await User.write { connection in try connection.delete(User.self, key: 7) }
}
struct Master: Codable, Model, Equatable {
  static let table = ModelTable("master", key: \Master.id)
  var id: Int
  var name: String
  var age: Int?
  var score: Double
}
let connection = try Connection()
try connection.createTable(of: Master.self)
try connection.insert([
  Master(id: 1, name: "mar_1", age: 30, score: 95),
  Master(id: 2, name: "mar_2", age: 60, score: 85),
  Master(id: 3, name: "Mar_3", age: 77, score: 123),
  Master(id: 4, name: "mar_4", age: 90, score: 99),
  Master(id: 5, name: "mar_5", age: 9, score: 65), Master(id: 6, name: "dull", age: 9, score: 70),
  Master(id: 7, name: "mar_7", score: 80),
])
// snippet.show

let master = try connection.fetch(Master.self, key: 2)
let aged = try connection.fetch(Master.where(.column("age", .isNot, nil as Int?)))
let ageless = try connection.fetch(Master.where(\.age == nil))
let some = try connection.fetch(Master.where(.in(\.age, [30, 60, 90])))

let last = Master.all.order(by: .descending(\.id))
let two = try connection.fetch(last.limit(2))
let three = try connection.fetch(last.limit(3, offset: 2))

let best = Master.where(.like(\.name, "mar%")).where(
  .column("age", .lessOrEqual, "77")
)
.where(\.score > 65).order(by: .descending(\.score))
print(try connection.fetch(best).map(\.score))  // [123.0, 95.0, 85.0]
// snippet.hide
guard master?.name == "mar_2", aged.count == 6, ageless.map(\.id) == [7],
  some.map(\.id) == [1, 2, 4], two.map(\.id) == [7, 6], three.map(\.id) == [5, 4, 3],
  try connection.fetch(best).map(\.score) == [123, 95, 85],
  try connection.fetch(Master.where(.column("age", .equal, 9)).order(by: \.name)).map(\.id) == [
    6, 5,
  ]
else { fatalError() }
// snippet.show

// A failed insert throws. insert(_:) with several models inserts all or none. insertEach inserts
// the valid models, and returns the failed ones.
var first = Master(id: 1, name: "mar_1", age: 34, score: 95)
do {
  try connection.insert(first)
} catch SQLiteError.constraintPrimaryKey {
  try connection.update(first)
}
let others = [
  Master(id: 8, name: "new", score: 0), Master(id: 9, name: "newer", score: 0),
]
try connection.insert(others)
let there = try connection.insertEach(others)
print(there.map(\.model.id))  // [8, 9]
let missing = try connection.updateEach([Master(id: 100, name: "nobody", score: 0)])

first.age = 99
first.score = 122
try connection.update(first, \.age, \.score)
try connection.update(first, columns: ["age", "score"])
try connection.update(
  Master.self, key: 1, .set(\.age, to: nil), .set(\.score, to: 122))
// snippet.hide
guard there.map(\.model.id) == [8, 9], missing.map(\.model.id) == [100],
  try connection.fetch(Master.self, key: 1)
    == Master(id: 1, name: "mar_1", age: nil, score: 122)
else { fatalError() }
// snippet.show

try connection.delete(first)
let notThere = try connection.deleteEach([first])
try connection.delete(Master.self, keys: [2, 3])
print(try connection.deleteAll(Master.self))  // 6; the table is not dropped
// snippet.hide
guard notThere.count == 1, try connection.count(Master.all) == 0,
  try connection.hasTable(of: Master.self)
else { fatalError() }
// snippet.show

// A type that reads and writes its own rows.
struct Badge: Model {
  static let table = ModelTable(
    "badge", key: \Badge.id,
    columns: .column("id", \.id, .integer), .column("gold", \.isGold, .integer),
    .column("note", \.note, .text))
  var id: Int
  var isGold: Bool
  var note: String?
  var isSelected = false

  init(id: Int, isGold: Bool) { (self.id, self.isGold) = (id, isGold) }

  init(row: borrowing Row) throws {
    id = try row.get(.int, named: "id")
    isGold = try row.get(.bool, named: "gold")
    note = try row.optional(.string, named: "note")
  }

  func columnValues(for connection: Connection) -> ColumnValues {
    ["id": .int(id), "gold": .bool(isGold), "note": .string(note)]
  }
}
// snippet.hide
try connection.createTable(of: Badge.self)
try connection.insert([Badge(id: 1, isGold: true), Badge(id: 2, isGold: false)])
let badges = try connection.fetch(Badge.order(by: \.id))
guard badges.map(\.isGold) == [true, false], badges.allSatisfy({ $0.note == nil }) else {
  fatalError("\(badges)")
}
