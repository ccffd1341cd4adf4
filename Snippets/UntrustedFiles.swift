// Reading an untrusted database file.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "upload.db").path
try Connection(path: path).execute(
  sql: "CREATE TABLE place(name TEXT); INSERT INTO place VALUES ('Rome')")
// snippet.show
let upload = try ConnectionQueue(path: path, configuration: .untrusted)
let names = try upload.sync(deadline: .now + .seconds(2)) { connection in
  let problems = try connection.integrityProblems(isQuick: true)
  guard problems.isEmpty else {
    throw SQLiteError(.corrupt, problems.joined(separator: "\n"))
  }
  return try connection.query(
    .column(.string), sql: "SELECT name FROM place LIMIT 1000")
}
print(names)
let notes = try Connection(path: path, configuration: .untrusted(allowing: [.fts5]))
// snippet.hide
print(try notes.tables().count)
// snippet.show
var withJSON = Configuration.untrusted
withJSON.trustedSchema = true
let document = try Connection(path: path, configuration: withJSON)
// snippet.hide
print(try document.integrityProblems())
let queryOfAStranger = "SELECT name FROM place"
// snippet.show
var configuration = Configuration.untrusted
configuration.limits[.sqlLength] = 2000
configuration.prepareConnection { connection in
  try connection.authorize { request in
    switch request.action {
    case .select, .function, .read(table: "place", _): .allow
    default: .deny
    }
  }
}
let places = try ConnectionQueue(path: path, configuration: configuration)
let found = try places.sync(deadline: .now + .seconds(2)) { connection in
  try connection.query(.values, sql: queryOfAStranger)
}
print(found.count)
// snippet.hide
do {
  // The sample in the documentation comment of the configuration.
  let upload = try Connection(path: path, configuration: .untrusted)
  let problems = try upload.integrityProblems(isQuick: true)
  print(problems.count)
}
