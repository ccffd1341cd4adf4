// Changes that are recorded in one database and applied to another.

// snippet.hide
import Sluice

let schema = """
  CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
  CREATE TABLE log(id INTEGER PRIMARY KEY, text TEXT);
  INSERT INTO person VALUES (1, 'ada'), (2, 'Eve')
  """
let connection = try Connection()
let other = try Connection()
try connection.execute(sql: schema)
try other.execute(sql: schema)
// snippet.show
let session = try connection.session { table in table != "log" }
try connection.execute(sql: "UPDATE person SET name = 'Ada' WHERE id = 1")
let changeset = try session.changeset()

for change in try changeset.changes() {
  print(change.table, change.operation, change.old, change.new)
}
// UPDATE "person" SET "name" = 'Ada' WHERE "id" = 1;
print(try connection.sql(for: changeset))

let rebase = try other.apply(changeset) { conflict in
  switch conflict {
  case .data, .conflict: .replace
  case .notFound: .omit
  case .constraint, .foreignKeys: .abort
  }
} filter: { table in
  table != "log"
}
try other.apply(changeset.inverted())
// snippet.hide
guard rebase.isEmpty,
  try connection.sql(for: changeset) == #"UPDATE "person" SET "name" = 'Ada' WHERE "id" = 1;"#
    + "\n",
  try other.first(.column(.string), sql: "SELECT name FROM person WHERE id = 1") == "ada"
else { fatalError("\(changeset)") }

let (first, second, today) = (changeset, try changeset.inverted(), [changeset])
// snippet.show
let both = try first.appending(second)
let group = try Changeset.Group()
for changeset in today { try group.add(changeset) }
let all = try group.output()
// snippet.hide
guard both.isEmpty, all == changeset else { fatalError("\(all)") }
let (ours, theirs) = (changeset, try Changeset(bytes: []))
// snippet.show
let resolutions = try connection.apply(theirs) { _ in .omit }
let rebaser = try Rebaser()
try rebaser.add(resolutions)
let rebased = try rebaser.rebase(ours)
// snippet.hide
guard rebased == ours else { fatalError("\(rebased)") }
// snippet.show
var chunks: [[UInt8]] = []
try session.changeset { chunk in chunks.append(chunk) }
try other.apply(Changeset.Stream(chunks)) { _ in .replace }
// snippet.hide
try connection.execute(sql: "INSERT INTO person VALUES (4, 'Zoe')")
let recorded = [try session.changeset()]
try session.close()
// snippet.show
try connection.execute(
  sql: "ALTER TABLE person ADD COLUMN isActive INTEGER DEFAULT 1")
let upgrades = try Changeset.Group()
for changeset in recorded { try upgrades.add(connection.upgraded(changeset)) }

let insertion = try Changeset.Change(
  .insert, in: "person", primaryKey: [0], new: [3, "Grace"])
let update = try Changeset.Change(
  .update, in: "person", primaryKey: [0], old: [2, "Eve"], new: [nil, "Eva"])
let deletion = try Changeset.Change(
  .delete, in: "person", primaryKey: [0], old: [1, "Ada"])
try other.apply(Changeset(changes: [insertion, update, deletion]))

let direct = try changeset.filter { change in !change.isIndirect }
// snippet.hide
guard direct == changeset, try upgrades.output().changes().count == 2,
  try other.query(.column(.string), sql: "SELECT name FROM person") == ["Eva", "Grace"]
else { fatalError("\(direct)") }
try connection.execute(sql: "ALTER TABLE person DROP COLUMN isActive")
// snippet.show
try connection.execute(
  sql:
    "ATTACH ':memory:' AS old; CREATE TABLE old.person(id INTEGER PRIMARY KEY, name)")
let difference = try connection.session(tables: [])
try difference.diff(from: "old", table: "person")
print(try difference.changeset())
