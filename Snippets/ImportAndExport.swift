// Rows from files, and rows to files.

// snippet.hide
import Foundation
// snippet.show
import SluiceData

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
_ = FileManager.default.changeCurrentDirectoryPath(folder.path)
let connection = try Connection()
try connection.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INTEGER)")
try Data("id,name,age\n1,Ada,36\n2,Alan,\n".utf8).write(to: URL(filePath: "people.csv"))
try Data("{\"name\": \"Ada\"}\n".utf8).write(to: URL(filePath: "people.jsonl"))
let url = URL(filePath: "data.csv")
try Data("id;name;age\n1;Ada;37\n2;Alan;old\n2;Alan;41;x\n".utf8).write(to: url)
// snippet.show
try connection.importRows(from: URL(filePath: "people.csv"), into: "person")
// snippet.hide
guard try connection.first(.column(.int), sql: "SELECT count(*) FROM person") == 2 else {
  fatalError()
}
// snippet.show
// A row whose key exists updates that row. Refused rows go to a file.
let result = try connection.importRows(
  from: url, as: .separated(CSVFormat(separator: ";")), into: "person", key: ["id"],
  refusals: .write(to: URL(filePath: "refused.csv"))
) { progress in
  print(progress.rowCount, progress.fraction ?? 0)
}
print(result.rowCount, result.refusedCount)
// snippet.hide
guard result.refusedCount == 1 else { fatalError() }
// snippet.show
struct Person: Codable {
  var name: String
  var age: Int?
}

let reader = try CSVReader(URL(filePath: "people.csv"))
while let person = try reader.next(Person.self) {
  print(person.name)
}
let all = try JSONReader(URL(filePath: "people.jsonl")).decode(Person.self)
// snippet.hide
let table = "person"
try connection.execute(sql: "UPDATE person SET age = 41")
guard all.map(\.name) == ["Ada"] else { fatalError() }
try FileManager.default.removeItem(atPath: "people.csv")
// snippet.show
try connection.exportRows(
  "SELECT * FROM person ORDER BY id", to: URL(filePath: "people.csv"))
try connection.exportRows(
  "SELECT * FROM \(identifier: table)", as: .jsonLines, to: url, overwriting: true)
// snippet.hide
guard try String(contentsOf: url, encoding: .utf8).hasPrefix("{\"id\":1,") else { fatalError() }
// snippet.show
print(try connection.text(of: "SELECT id, name FROM person"))
// ┌────┬──────┐
// │ id │ name │
// ├────┼──────┤
// │  1 │ Ada  │
// └────┴──────┘
// snippet.hide
guard try connection.text(of: "SELECT id, name FROM person", as: .list).hasPrefix("1|Ada\n") else {
  fatalError()
}
