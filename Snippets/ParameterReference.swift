// Values for SQL parameters: variables and explicit representations, by position and by name.

// snippet.hide
import Foundation
import Sluice

let connection = try Connection()
try connection.execute("CREATE TABLE person(id BLOB, name TEXT, age INTEGER, born TEXT)")
let name = "Ada"
let age: Int? = 36
let id = UUID()
let born = Date(timeIntervalSince1970: 0)
// snippet.show
try connection.execute(
  sql: "INSERT INTO person(name, age, born) VALUES (?, ?, ?)",
  parameters: name, age, .date(born, as: .sqlite))

try connection.execute(
  sql: "INSERT INTO person(name, age) VALUES (:name, :age)",
  parameters: ["name": name, "age": nil])

try connection.execute(
  sql: "INSERT INTO person(id, age, born) VALUES (?, ?, ?)",
  parameters: .uuidBytes(id), age, .date(born, as: .sqlite))

let ordered: SQLParameters = [name, age, .date(born, as: .sqlite)]
let named: SQLParameters = ["name": name, "age": age, "born": nil]

let statement = try connection.prepare(sql: "INSERT INTO person(name, age, born) VALUES (?, ?, ?)")
try statement.bind(name, age, .date(born, as: .sqlite)).execute()
try statement.bind(ordered).execute()
try connection.execute(
  sql: "INSERT INTO person(name, age, born) VALUES (:name, :age, :born)", parameters: named)

// The statements of a script use the values in order.
let script =
  "INSERT INTO person(name) VALUES (?); UPDATE person SET age = ? WHERE name = ?"
try connection.execute(sql: script, parameters: "Alan", 41, "Alan")

let report = "SELECT count(*) FROM person; SELECT max(age) FROM person"
try connection.forEachStatement(of: report) { statement in
  if try statement.isReadOnly { print(try statement.rows()) } else { try statement.execute() }
}
// snippet.hide
let ages = try connection.query(
  .column(.optional(.int)), "SELECT age FROM person ORDER BY rowid")
guard ages == [36, nil, 36, 36, 36, 36, 41] else { fatalError("\(ages)") }
