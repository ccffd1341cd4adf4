// Migrations of model tables that AHDataModel created.

// snippet.hide
import SluiceModels

let connection = try Connection()
try connection.execute(
  """
  CREATE TABLE dog(id INTEGER PRIMARY KEY, masterId INTEGER, name TEXT NOT NULL);
  INSERT INTO dog VALUES (1, 7, 'Rex');
  CREATE TABLE cat(id INTEGER PRIMARY KEY, first TEXT NOT NULL, last TEXT NOT NULL);
  INSERT INTO cat VALUES (1, 'Tom', 'Katz')
  """)
// snippet.show
// New columns are added automatically. Dropped columns must be named.
struct Dog: Codable, Model {
  static let table = ModelTable("dog", key: \Dog.id)
  var id: Int?
  var name: String
  var age: Int?
}
try connection.migrate(Dog.self, to: 1) { migration in
  migration.drop("masterId")
}
// snippet.hide
let dog = try connection.fetch(Dog.self, key: 1)
guard dog?.name == "Rex", dog?.age == nil else { fatalError() }
// snippet.show

// The body migrates the table from any version; nil means that the table was never migrated.
struct Cat: Codable, Model {
  static let table = ModelTable("cat", key: \Cat.id)
  var id: Int?
  var fullName: String
  var initial: String
  var length: Int
}
try connection.migrate(Cat.self, to: 3) { migration in
  let last = migration.lastVersion ?? 0
  if last < 1 { migration.combine("last", "first", into: \.fullName, separator: ", ") }
  if last < 2 { migration.fill(\.initial, sql: "substr(first, 1, 1)") }
  if last < 3 { migration.fill(\.length, sql: "length(first) + length(last)") }
}
print(try connection.lastVersion(of: Cat.self) ?? 0)  // 3
// snippet.hide
let cat = try connection.fetch(Cat.self, key: 1)
guard cat?.fullName == "Katz, Tom", cat?.initial == "T", cat?.length == 7,
  try connection.lastVersion(of: Cat.self) == 3, try connection.lastVersion(of: Dog.self) == 1
else { fatalError("\(cat, default: "nobody")") }

// The other operations of a migration body.
struct Person: Codable, Model {
  static let table = ModelTable("person", key: \Person.id)
  var id: Int
  var gender: String
  var fullName: String
  var count: Int
}
try connection.execute(
  """
  CREATE TABLE person(id INTEGER PRIMARY KEY, sex TEXT NOT NULL, first TEXT, last TEXT);
  INSERT INTO person VALUES (1, 'f', 'Ada', NULL);
  CREATE TABLE note(personId INTEGER);
  INSERT INTO note VALUES (1), (1)
  """)
let plan = try connection.migrationPlan(of: Person.self, to: 1, change)
try connection.migrate(Person.self, to: 1, change)

func change(_ migration: inout TableMigration<Person>) {
  migration.rename("sex", to: \.gender)
  migration.combine("last", "first", into: \.fullName, separator: ", ")
  migration.fill(
    \.count,
    sql: """
      (SELECT count(*) FROM note
        WHERE personId = \(identifier: migration.oldTable).\(identifier: migration.keyNames[0]))
      """)
  migration.run("DELETE FROM \(identifier: migration.newTable) WHERE gender IS NULL")
}
let person = try connection.fetch(Person.self, key: 1)
guard person?.gender == "f", person?.fullName == "Ada", person?.count == 2, !plan.statements.isEmpty
else { fatalError("\(person, default: "nobody")") }

struct Place: Codable, Model {
  static let table = ModelTable("place", key: \Place.id)
  var id: Int
  var label: String
}
try connection.execute("CREATE TABLE place(id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
let archived = 2
// snippet.show

// AHDataModel archived version 2 for this table, so only one step remains.
try connection.migrate(Place.self, to: 3, adopting: archived) { migration in
  if migration.lastVersion == 2 { migration.rename("title", to: \.label) }
}
// snippet.hide
guard try connection.lastVersion(of: Place.self) == 3 else { fatalError() }
