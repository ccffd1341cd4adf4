// Opening, configuring and closing a connection.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "app.db").path
// snippet.show
var configuration = Configuration()
configuration.journalMode = .wal
configuration.busyTimeout = .seconds(1)
let connection = try Connection(path: path, configuration: configuration)

let reader = try Connection(path: path, readOnly: true)
let scratch = try Connection()

try connection.close()
// snippet.hide
do {
  try reader.execute("CREATE TABLE t(x)")
  fatalError()
} catch SQLiteError.readOnly {}
do {
  try connection.execute("SELECT 1")
  fatalError()
} catch SQLiteError.misuse {}
try scratch.execute("CREATE TABLE t(x)")
