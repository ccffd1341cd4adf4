// The differences between two databases.

// snippet.hide
import Foundation
// snippet.show
import SluiceData

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
_ = FileManager.default.changeCurrentDirectoryPath(folder.path)
for path in ["app.db", "new.db"] {
  try Connection(path: path).execute(
    sql: """
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      INSERT INTO person VALUES (1, 'Ada')
      """)
}
try Connection(path: "new.db").execute(
  sql: "CREATE INDEX person_name ON person(name); UPDATE person SET name = 'Alan'")
// snippet.show
let connection = try Connection(path: "app.db", readOnly: true)
let diff = try DatabaseDiff(from: connection, to: URL(filePath: "new.db"))

for change in diff.schemaChanges { print(change) }  // added index "person_name"
for table in try diff.summary() { print(table.table, table.updatedCount) }
try diff.forEachRowChange { change in
  print(change.table, change.kind, change.old ?? [], change.new ?? [])
}
try diff.writeSQL(to: URL(filePath: "update.sql"))
// snippet.hide
try diff.forEachRowChange { change in print(change.table, change.kind) }
_ = FileManager.default.createFile(atPath: "pieces.sql", contents: nil)
let file = try FileHandle(forUpdating: URL(filePath: "pieces.sql"))
try diff.writeSQL { piece in try file.write(contentsOf: piece) }
try diff.close()
let changed = try Connection(path: "app.db")
try changed.load(from: URL(filePath: "update.sql"))
guard try DatabaseDiff(from: changed, to: URL(filePath: "new.db")).isEmpty else { fatalError() }
