// Monitors, which observe the activity of a database.

// snippet.hide
import Foundation
import Sluice
// snippet.show
import Synchronization

final class SlowStatements: ConnectionMonitor {
  private let count = Atomic(0)

  func statementDidEnd(_ statement: StatementRecord) {
    if statement.sortCount > 0 { count.add(1, ordering: .relaxed) }
  }

  var sorted: Int { count.load(ordering: .relaxed) }
}
// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "app.db").path
// snippet.show
var configuration = Configuration()
configuration.monitor = JSONLinesMonitor(threshold: .milliseconds(50)) { line in
  FileHandle.standardError.write(Data("\(line)\n".utf8))
}
let queue = try ConnectionQueue(
  path: path, label: "app", configuration: configuration)
// snippet.hide

// snippet.show
enum Request {
  @TaskLocal static var id: String?
}

configuration.monitor = JSONLinesMonitor(traceID: { Request.id })
// snippet.hide

// snippet.show
configuration.monitor = SlowStatementMonitor(
  threshold: .milliseconds(100), reportingTo: JSONLinesMonitor(threshold: .milliseconds(100)))
// snippet.hide
try queue.sync { try $0.execute(sql: "CREATE TABLE event(title)") }
let slow = SlowStatements()
var other = Configuration()
other.monitor = slow
let connection = try Connection(configuration: other)
try connection.execute(sql: "SELECT column1 FROM (VALUES (2), (1)) ORDER BY 1")
guard slow.sorted == 1 else { fatalError() }
