// A database as SQL, and the SQL as a database.

// snippet.hide
import Foundation
// snippet.show
import SluiceData

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
_ = FileManager.default.changeCurrentDirectoryPath(folder.path)
let connection = try Connection(path: "app.db")
try connection.execute(
  sql: "CREATE TABLE person(name TEXT NOT NULL); INSERT INTO person VALUES ('Ada')")
// snippet.show
// Writes a new file, while other connections use the database. With overwriting: true, it
// replaces a file.
try connection.dump(to: URL(filePath: "app.sql"))

// Executes the file in one transaction, in an empty database.
let copy = try Connection(path: "copy.db")
try copy.load(from: URL(filePath: "app.sql"))
// snippet.hide
guard try copy.query(.column(.string), sql: "SELECT name FROM person") == ["Ada"] else {
  fatalError()
}
try copy.execute(sql: "DROP TABLE person")
_ = FileManager.default.createFile(atPath: "pieces.sql", contents: nil)
let file = try FileHandle(forUpdating: URL(filePath: "pieces.sql"))
// snippet.show
try connection.dump { piece in try file.write(contentsOf: piece) }
// snippet.hide
try file.seek(toOffset: 0)
// snippet.show
try copy.load { try file.read(upToCount: 65_536).map { [UInt8]($0) } }
// snippet.hide
guard try copy.query(.column(.string), sql: "SELECT name FROM person") == ["Ada"] else {
  fatalError()
}
