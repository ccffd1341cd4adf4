// Copies of databases: to a file, to memory, step by step, and as bytes.

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
// Copies to a new file, while other connections use the database.
try connection.backup(to: "copy.db") { remaining, total in
  print("\(total - remaining) of \(total) pages")
}

// Restores the copy, completely or not at all.
try connection.restore(from: "copy.db")

// Copies to another connection, here an in-memory database.
let memory = try Connection()
try connection.backup(to: memory)

// Copies in steps, with other work in between. An unfinished copy leaves the target unchanged.
let other = try Connection(path: "other.db")
let backup = try Backup(of: connection, to: other)
while try backup.step(pages: 100) {
  print(backup.remainingPages, "of", backup.pageCount)
}

// Writes a smaller copy, which contains no deleted data.
try connection.vacuum(into: "small.db")

// Copies the database as bytes.
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
