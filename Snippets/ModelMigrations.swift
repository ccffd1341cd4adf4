// Migrating a table to the current form of its model.

// snippet.hide
import SluiceModels

let connection = try Connection()
try connection.execute(
  """
  CREATE TABLE user(
    id INTEGER PRIMARY KEY, firstName TEXT NOT NULL, lastName TEXT NOT NULL, sex TEXT, vip INTEGER);
  CREATE TABLE message(id INTEGER PRIMARY KEY, user INTEGER REFERENCES user(id));
  INSERT INTO user VALUES (1, 'Michael', 'Jackson', 'm', 1);
  INSERT INTO message(user) VALUES (1), (1)
  """)
// snippet.show
struct User: Codable, Model {
  static let table = ModelTable("user", key: \User.id, .column(\.level, .default(1)))
  var id: Int64?
  var fullName: String
  var gender: String?
  var messages: Int
  var level: Int
}

func change(_ migration: inout TableMigration<User>) {
  migration.rename("sex", to: \.gender)
  migration.combine("lastName", "firstName", into: \.fullName, separator: ", ")
  migration.count("message", referringBy: "user", into: \.messages)
  migration.drop("vip")
}

// A custom helper.
extension TableMigration {
  mutating func count(
    _ table: String, referringBy column: String, into count: KeyPath<M, Int>
  ) {
    let key: SQL = "\(identifier: oldTable).\(identifier: keyNames[0])"
    fill(
      count,
      sql:
        "(SELECT count(*) FROM \(identifier: table) WHERE \(identifier: column) = \(key))"
    )
  }
}

// The SQL; nothing is changed.
print(try connection.migrationPlan(of: User.self, to: 1, change))
try connection.migrate(User.self, to: 1, change)
let version = try connection.lastVersion(of: User.self)  // 1

// Renames a model's table, and its entry in the history.
try connection.transaction { connection in
  try connection.execute(
    """
    ALTER TABLE user RENAME TO member;
    UPDATE sluice_model_history SET table_name = 'member' WHERE table_name = 'user'
    """)
}
// snippet.hide
try connection.execute("ALTER TABLE member RENAME TO user")
struct Visit: Codable, Model {
  static let table = ModelTable("visit", key: \Visit.id)
  var id: Int64?
  var date: String
}
try connection.execute("CREATE TABLE visit(id INTEGER PRIMARY KEY, day TEXT NOT NULL)")
// snippet.show
// The version of each table, as stored outside the database.
let versions = ["visit": 2]
try connection.migrate(Visit.self, to: 3, adopting: versions["visit"]) { migration in
  // The table has version 2, so only one step remains.
  if migration.lastVersion == 2 { migration.rename("day", to: \.date) }
}
// snippet.hide
guard try connection.lastVersion(of: Visit.self) == 3 else { fatalError() }
let user = try connection.fetch(User.self, key: 1)
guard user?.fullName == "Jackson, Michael", user?.gender == "m", user?.messages == 2,
  user?.level == 1, version == 1
else { fatalError("\(user, default: "nobody")") }
