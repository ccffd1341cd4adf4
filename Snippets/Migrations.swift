// Schema migrations: each step runs once on every copy of the database.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
guard FileManager.default.changeCurrentDirectoryPath(folder.path) else { fatalError() }
try Data("CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL)".utf8)
  .write(to: folder.appending(path: "0001_create_person.sql"))
try Data("ALTER TABLE person ADD COLUMN family TEXT".utf8)
  .write(to: folder.appending(path: "0002_add_family.sql"))
// snippet.show
let migrator = try Migrator([
  Migration(
    1, "create person",
    sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL)"),
  Migration(2, "split names") { connection in
    try connection.execute(
      """
      ALTER TABLE person ADD COLUMN family TEXT;
      UPDATE person SET
        family = substr(name, instr(name, ' ') + 1), name = substr(name, 1, instr(name, ' ') - 1)
      WHERE instr(name, ' ') > 0
      """)
  },
])
let connection = try Connection(path: "app.db")
let report = try migrator.migrate(connection)
print("Applied \(report.applied.count): the schema has version \(report.version)")
// snippet.hide
guard report.version == 2 else { fatalError() }
// snippet.show
// Pending and applied migrations, and manual schema changes.
let pending = try migrator.pending(on: connection)
let dryRun = try migrator.dryRun(on: connection)  // runs them on a copy of the file
let applied = try migrator.applied(on: connection)
for difference in try migrator.drift(on: connection) { print(difference) }
// snippet.hide
guard try !migrator.shouldMigrate(connection) else { fatalError() }
// snippet.show
if try migrator.shouldMigrate(connection) { try connection.backup(to: "before.db") }
// snippet.hide
guard pending.isEmpty, dryRun.steps.isEmpty, applied.count == 2 else { fatalError() }
// snippet.show
let queue = try ConnectionQueue(path: "queue.db")
let version = try await migrator.migrate(queue).version
// snippet.hide
guard version == 2 else { fatalError() }
let scratch = try Connection()
// snippet.show
// 0001_create_person.sql, 0002_add_family.sql
let files = try Migrator(folder: folder)
try files.migrate(scratch) { progress in
  print("\(progress.step), \(progress.completed) of \(progress.total) done")
}
// snippet.hide
let names = try scratch.query(.column(.string), "SELECT name FROM sluice_migration")
guard names == ["create_person", "add_family"] else { fatalError("\(names)") }
let grdbFile = try Connection()
try grdbFile.execute(
  """
  CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
  ALTER TABLE person ADD COLUMN age INTEGER;
  CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
  INSERT INTO grdb_migrations VALUES ('people'), ('ages')
  """)
// snippet.show
// GRDB has applied the first two migrations under these names.
let continued = try Migrator(
  [
    Migration(
      "people", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)"),
    Migration("ages", sql: "ALTER TABLE person ADD COLUMN age INTEGER"),
    Migration(
      "adults", sql: "CREATE VIEW adult AS SELECT * FROM person WHERE age >= 18"),
  ], adopting: .grdb)
print(try continued.dryRun(on: grdbFile).adopted.map(\.name))  // ["people", "ages"]
let continuation = try continued.migrate(grdbFile)
print(continuation.adopted.count, continuation.applied.map(\.name))  // 2 ["adults"]
// snippet.hide
guard continuation.adopted.count == 2, continuation.applied.count == 1 else { fatalError() }
let old = try Connection()
try old.execute("CREATE TABLE person(id, name); PRAGMA user_version = 1")
let migrations = migrator.migrations
// snippet.show
var drafts = try Migrator(migrations)
#if DEBUG
  drafts.erasesOnSchemaChange = true
#endif
// snippet.hide
guard try !drafts.migrate(connection).isErased else { fatalError() }
// snippet.show
let adopting = try Migrator(migrations, adopting: .userVersion)
try adopting.migrate(old)
print(try old.userVersion)  // 2
// snippet.hide
guard try old.userVersion == 2 else { fatalError() }
let other = try Connection()
// snippet.show
let named = try Migrator([
  Migration(
    "people", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL)"),
  Migration("pets", sql: "CREATE TABLE pet(name TEXT, owner REFERENCES person)"),
])
do {
  try named.migrate(other, atomically: true)
} catch MigrationError.fromTheFuture(let step) {
  print("A newer version of this program has applied \(step). Please update.")
}
// snippet.hide
let grown = try Connection()
try Migrator([
  Migration(1, "create person", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY)"),
  Migration(2, "add name", sql: "ALTER TABLE person ADD COLUMN name TEXT"),
  Migration(3, "add age", sql: "ALTER TABLE person ADD COLUMN age INTEGER"),
]).migrate(grown)
// snippet.show
// Replaces the migrations 1 to 3; the next migration still has the number 4.
let merged = try Migrator([
  Migration(
    1...3, "schema",
    sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INTEGER)"),
  Migration(4, "add city", sql: "ALTER TABLE person ADD COLUMN city TEXT"),
])
let outcome = try merged.migrate(grown)
print(outcome.applied.map(\.name))  // ["add city"]
// snippet.hide
guard outcome.applied.map(\.number) == [4] else { fatalError() }
let notes = try Connection(path: "notes.db")
// snippet.show
let reversible = try Migrator([
  Migration(
    1, "notes", sql: "CREATE TABLE note(text TEXT)", revert: "DROP TABLE note"),
  Migration(2, "colors") { connection in
    try connection.execute("ALTER TABLE note ADD COLUMN color TEXT")
  } revert: { connection in
    try connection.execute("ALTER TABLE note DROP COLUMN color")
  },
  Migration(
    3, "smaller pages", inTransaction: false, sql: "PRAGMA page_size = 1024; VACUUM",
    revert: "PRAGMA page_size = 4096; VACUUM"),
])
try reversible.migrate(notes)
let reverted = try reversible.revert(notes, to: 1)
print(reverted.map(\.name))  // ["smaller pages", "colors"]
// snippet.hide
guard reverted.map(\.number) == [3, 2] else { fatalError() }
// snippet.show
let mergedNames = Migration(
  "pets", merging: ["people", "pets"],
  sql: "CREATE TABLE person(name TEXT); CREATE TABLE pet(name TEXT)")
// snippet.hide
guard mergedNames.merging.count == 2 else { fatalError() }
