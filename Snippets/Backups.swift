// Copies of databases: to a file, into memory, step by step, as bytes.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
guard FileManager.default.changeCurrentDirectoryPath(folder.path) else { fatalError() }
let connection = try Connection(path: "app.db")
try connection.execute(sql: "CREATE TABLE event(id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
try connection.execute(sql: "INSERT INTO event(title) VALUES ('Note G')")
// snippet.show
// To a new file, while others use the database.
try connection.backup(to: "copy.db") { remaining, total in
  print("\(total - remaining) of \(total) pages")
}

// And back: all of it, or nothing.
try connection.restore(from: "copy.db")

// To another connection, here into memory.
let memory = try Connection()
try connection.backup(to: memory)

// Step by step, with anything in between; what is not finished leaves the target as it was.
let other = try Connection(path: "other.db")
let backup = try Backup(of: connection, to: other)
while try backup.step(pages: 100) {
  print(backup.remainingPages, "of", backup.pageCount)
}

// Smaller, as nothing is left in it of what was deleted.
try connection.vacuum(into: "small.db")

// As bytes.
if SQLiteLibrary.has(.serialization) {
  let bytes = try connection.serialize()
  let twin = try Connection()
  try twin.deserialize(bytes, readOnly: true)
}
// snippet.hide
for name in ["copy.db", "other.db", "small.db"] {
  let copy = try Connection(path: name, create: false)
  guard try copy.first(.column(.string), sql: "SELECT title FROM event") == "Note G" else {
    fatalError(name)
  }
}
