// Settings, limits and status of a connection.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let connection = try Connection(url: folder.appending(path: "app.db"))
// snippet.show
try connection.setPragma(.journalMode, to: .wal)
try connection.setPragma(.synchronous, to: .normal)
try connection.setPragma(.cacheSize, to: .kibibytes(8_000))
print(try connection.pragma(.pageSize))
// snippet.hide
try connection.setPragma(.journalMode, to: .delete)
// snippet.show
try connection.vacuum(pageSize: 8_192, autoVacuum: .incremental)

let problems = try connection.integrityProblems()
guard problems.isEmpty else {
  throw SQLiteError(.corrupt, problems.joined(separator: "\n"))
}
print(try connection.foreignKeyViolations().count, "rows refer to nothing")
// Limits the size and depth of untrusted SQL.
try connection.setLimit(.sqlLength, to: 10_000)
try connection.setLimit(.expressionDepth, to: 50)

let hits = try connection.status(.cacheHits, reset: true).current
let misses = try connection.status(.cacheMisses, reset: true).current
print("\(hits) pages were in memory, and \(misses) were not")

try SQLiteLibrary.setHardHeapLimit(500_000_000)
