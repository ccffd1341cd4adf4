// JSON values, paths, indexes and JSONB.

// snippet.hide
import Sluice

let connection = try Connection()
// snippet.show
struct Settings: Codable {
  var theme: Theme
  var languages: [String]

  struct Theme: Codable {
    var name: String
    var colors: [String]
  }
}

try connection.execute(
  sql: "CREATE TABLE account(id INTEGER PRIMARY KEY, settings TEXT NOT NULL)")
let settings = Settings(
  theme: Settings.Theme(name: "dark", colors: ["#123456"]), languages: ["en", "de"])
try connection.execute("INSERT INTO account VALUES (\(7), \(.json(settings)))")
let stored = try connection.first(
  .column(.json(Settings.self)), sql: "SELECT settings FROM account WHERE id = 7")
// snippet.hide
precondition(stored?.languages == ["en", "de"])
// snippet.show

let path: JSONPath = ["theme", "colors", 0]
let color = try connection.first(
  .column(.string), "SELECT settings ->> \(path) FROM account WHERE id = \(7)")
// snippet.hide
precondition(color == "#123456")
// snippet.show

// Change one value, and append one to an array, without reading the document.
try connection.execute(
  """
  UPDATE account SET settings = json_set(
    settings, \(path), \("#654321"), \(["languages", .end] as JSONPath), \("fr"))
  WHERE id = \(7)
  """)

// Find the accounts whose array contains a value.
let ids = try connection.query(
  .column(.int),
  """
  SELECT DISTINCT account.id FROM account, json_each(settings, \(["languages"] as JSONPath)) AS language
  WHERE language.value = \("fr")
  """)
// snippet.hide
precondition(ids == [7])
// snippet.show

// An index on a value in the document. A query uses the index if it contains the same expression.
try connection.execute(
  sql: "CREATE INDEX account_theme ON account(settings ->> '$.theme.name')")
let dark = try connection.query(
  .column(.int),
  "SELECT id FROM account WHERE settings ->> '$.theme.name' = \("dark")")
// snippet.hide
precondition(dark == [7])
let plan = try connection.queryPlan(
  sql: "SELECT id FROM account WHERE settings ->> '$.theme.name' = 'dark'")
precondition("\(plan)".contains("account_theme"), "\(plan)")
// snippet.show

try connection.execute(
  "INSERT INTO account(id, settings) VALUES (1, \(jsonb: settings))")
let first = try connection.first(
  .column(.json(Settings.self)),
  sql: "SELECT json(settings) FROM account WHERE id = 1")
// snippet.hide
precondition(first?.theme.name == "dark")
