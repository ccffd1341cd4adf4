// A first program: a connection, a table, and rows written and read.

import Sluice

// A connection to a database in memory; Connection(path: "app.db") opens a file.
let connection = try Connection()

// Values belong into SQL without a label, which binds them; `sql:` takes a finished String.
try connection.execute(
  sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER)")
let name = "Ada"
try connection.execute("INSERT INTO person(name, age) VALUES (\(name), \(36))")
try connection.execute(
  sql: "INSERT INTO person(name, age) VALUES (:name, :age)",
  parameters: [":name": "Alan", ":age": nil])

// Each row is valid only inside the closure.
try connection.execute(sql: "SELECT id, name, age FROM person ORDER BY id") { row in
  let id = try row.get(.int64, at: 0)
  let name = try row.get(.string, named: "name")
  let age = try row.optional(.int, named: "age")
  print(id, name, age.map { "is \($0)" } ?? "is of unknown age")
}

// A single value; .optional reads NULL as nil.
if let oldest = try connection.first(.column(.optional(.int)), sql: "SELECT max(age) FROM person") {
  print("The oldest is", oldest ?? 0)
}

// A Swift function, called from SQL.
try connection.addFunction("initial") { (name: String) in String(name.prefix(1)) }
let initials = try connection.query(
  .column(.string), sql: "SELECT DISTINCT initial(name) FROM person")
print(initials)

// An error has a result code, a message, the SQL and the position in it.
do {
  try connection.execute(sql: "INSERT INTO person(id, name) VALUES (1, 'Eve')")
} catch SQLiteError.constraint {
  print("Person 1 already exists.")
}
