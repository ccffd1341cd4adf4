// Samples in the reference of `SluiceData`.

// snippet.hide
import Foundation
import SluiceData

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
_ = FileManager.default.changeCurrentDirectoryPath(folder.path)

struct Person: Codable {
  var name: String
}

let connection = try Connection()
try connection.execute(
  sql:
    "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO person VALUES (1, 'Ada')")
try Connection(path: "new.db").execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name)")
try export(to: URL(filePath: "people.csv"))
try importRows(from: URL(filePath: "people.csv"))
try read(URL(filePath: "people.csv"))
try Data("{\"name\": \"Ada\"}\n".utf8).write(to: URL(filePath: "people.jsonl"))
try readJSON(URL(filePath: "people.jsonl"))
try compare()
try dumpAndLoad()
try draw()
guard CSVFormat.semicolons.encoding == .windows1252 else { fatalError() }

@MainActor func export(to url: URL) throws {
  try connection.exportRows("SELECT * FROM person ORDER BY id", to: url)
}

@MainActor func importRows(from url: URL) throws {
  let result = try connection.importRows(from: url, into: "person", key: ["id"])
  print(result.rowCount)
  guard result.rowCount == 1 else { fatalError() }
}

@MainActor func read(_ url: URL) throws {
  let reader = try CSVReader(url)
  while let person = try reader.next(Person.self) {
    print(person.name)
  }
}

@MainActor func readJSON(_ url: URL) throws {
  let reader = try JSONReader(url)
  while let person = try reader.next(Person.self) {
    print(person.name)
  }
}

@MainActor func compare() throws {
  let diff = try DatabaseDiff(from: connection, to: URL(filePath: "new.db"))
  for change in diff.schemaChanges { print(change) }
  try diff.forEachRowChange { change in print(change.table, change.kind) }
  try diff.writeSQL(to: URL(filePath: "update.sql"))
}

@MainActor func dumpAndLoad() throws {
  try connection.dump(to: URL(filePath: "app.sql"))
  let file = try FileHandle(forReadingFrom: URL(filePath: "app.sql"))
  try load(into: Connection()) { connection in
    try connection.load { try file.read(upToCount: 65_536).map { [UInt8]($0) } }
  }
  try load(into: Connection()) { connection in
    try connection.load(from: URL(filePath: "app.sql"))
  }
}

func load(into connection: Connection, _ body: (Connection) throws -> Void) throws {
  try body(connection)
  guard try connection.first(.column(.string), sql: "SELECT name FROM person") == "Ada" else {
    fatalError()
  }
}

@MainActor func draw() throws {
  let diagram = try connection.schemaDiagram()
  print(diagram.mermaid)
}

extension CSVFormat {
  static var semicolons: CSVFormat {
    let format = CSVFormat(separator: ";", encoding: .windows1252)
    return format
  }
}
