// The first lines of the documentation.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
guard FileManager.default.changeCurrentDirectoryPath(folder.path) else { fatalError() }
let (name, age) = ("Ada", 36)
// snippet.show
let connection = try Connection(path: "app.db")
try connection.execute("CREATE TABLE IF NOT EXISTS person(name TEXT, age INTEGER)")
try connection.execute("INSERT INTO person(name, age) VALUES (\(name), \(age))")
let adults = try connection.query(
  .columns(.string, .int), "SELECT name, age FROM person WHERE age >= \(18)")
for (name, age) in adults { print(name, age) }
