// Errors: the failed SQL, and the position in it.

// snippet.hide
import Sluice

let connection = try Connection()
try connection.execute("CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
try connection.execute("INSERT INTO person VALUES (1, 'Ada')")
let name = "Ada"
var isTaken = false
// snippet.show
do {
  try connection.execute("INSERT INTO person(name) VALUES (\(name))")
} catch SQLiteError.constraintUnique {
  isTaken = true
} catch SQLiteError.busy, SQLiteError.locked {
  print("Another connection is writing. Try again.")
}

do {
  try connection.execute("SELECT nam FROM person")
} catch {
  // no such column: nam [SQLITE_ERROR (1)] at byte 7 in: SELECT nam FROM person
  print(error)
}

do {
  _ = try connection.query(.column(.int), "SELECT name FROM person")
} catch {
  // Column 0 (name) is TEXT, and cannot be Int [SQLITE_MISMATCH (20)] in: …
  print(error)
}

try connection.addFunction("checked") { (age: Int) in
  guard age >= 0 else {
    throw SQLiteError(.constraint, "The age must not be negative (got \(age))")
  }
  return age
}
// snippet.hide
guard isTaken else { fatalError() }
