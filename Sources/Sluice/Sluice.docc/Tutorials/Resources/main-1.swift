import Sluice

let connection = try Connection()
let greeting = try connection.first(.column(.string), "SELECT 'Hello from SQLite'")
print(greeting ?? "")
