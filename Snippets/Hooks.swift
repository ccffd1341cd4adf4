// Hooks and an authorizer.

// snippet.hide
import Foundation
import Sluice

try SQLiteLibrary.onLog { entry in Messages.all.add("\(entry.code) \(entry.message)") }
// snippet.show
// SQLite's own log, for all connections. Install it before the first connection.
try SQLiteLibrary.onLog { entry in print("SQLite:", entry.message, entry.code) }
// snippet.hide

final class Messages: @unchecked Sendable {
  static let all = Messages()
  private let lock = NSLock()
  private var texts: [String] = []
  func add(_ text: String) { lock.withLock { texts.append(text) } }
  var read: [String] { lock.withLock { texts } }
}

let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).db").path
var configuration = Configuration()
configuration.journalMode = .wal
configuration.deletesFileOnClose = true
let connection = try Connection(path: path, configuration: configuration)
defer { try? connection.close() }
try connection.execute(
  sql: """
    CREATE TABLE account(id INTEGER PRIMARY KEY, amount INTEGER);
    INSERT INTO account VALUES (1, 100), (2, 0)
    """)
struct Closed: Error {}
struct TooLate: Error {}
var isOpenForBusiness = true
var changes: [RowChange] = []
var checkpoints = 0
var history: [(DatabaseValue, DatabaseValue)] = []
let deadline = ContinuousClock.now + .seconds(60)
// snippet.show
// Throwing refuses the commit: the statement throws this error, and the transaction rolls back.
let opening = try connection.onCommit {
  guard isOpenForBusiness else { throw Closed() }
}

// Several closures can share a hook. A rollback discards the recorded changes.
try connection.onUpdate { change in changes.append(change) }
try connection.onRollback { changes.removeAll() }

// Records the values before and after the update.
try connection.onPreUpdate { change in
  guard change.table == "account", change.operation == .update else { return }
  history.append((try change.old(at: 1), try change.new(at: 1)))
}

// Stops statements that run past the deadline.
try connection.onProgress(every: 10_000) {
  if ContinuousClock.now > deadline { throw TooLate() }
}

// Reports slow statements. Events that are not requested cost nothing.
try connection.trace(.profile) { event in
  guard let duration = event.duration, duration > .milliseconds(50) else { return }
  print(event.sql ?? "", duration)
}

// Restricts untrusted SQL to reading.
let reading = try connection.authorize { request in
  switch request.action {
  case .select, .read, .function: .allow
  default: .deny
  }
}
reading.cancel()
// snippet.hide
try connection.execute(sql: "UPDATE account SET amount = amount + 1 WHERE id = 1")
guard changes.map(\.rowid) == [1], history.count == 1, history[0] == (100, 101) else {
  fatalError("\(changes) \(history)")
}
isOpenForBusiness = false
do {
  try connection.execute(sql: "UPDATE account SET amount = 0")
  fatalError("It was refused")
} catch is Closed {
  guard changes.isEmpty else { fatalError("\(changes)") }
}
opening.cancel()
try connection.execute(sql: "UPDATE account SET amount = 0")

_ = try? connection.execute(sql: "SELECT missing")
try SQLiteLibrary.log(.warning, "said by the program")
for _ in 0..<1000 where Messages.all.read.count < 2 { Thread.sleep(forTimeInterval: 0.01) }
guard Messages.all.read.contains(where: { $0.contains("no such column: missing") }),
  Messages.all.read.last?.hasSuffix("said by the program") == true
else { fatalError("\(Messages.all.read)") }
// More handlers can be added later, because the first was installed before any connection.
try SQLiteLibrary.onLog { _ in }.cancel()

try connection.setWALAutocheckpoint(0)
// snippet.show

try connection.onWALCommit { connection, commit in
  guard commit.frames >= 2_000 else { return }
  let checkpoint = try? connection.checkpoint(database: commit.schema)
  print(checkpoint?.isComplete ?? false)
  // snippet.hide
  guard checkpoint?.isComplete == true else { fatalError() }
  checkpoints += 1
  // snippet.show
}
// snippet.hide
try connection.execute(sql: "CREATE TABLE page(a); INSERT INTO page VALUES (zeroblob(9000000))")
guard checkpoints == 1 else { fatalError() }
try connection.execute(sql: "CREATE TABLE invoice(amount)")
var isStored = false
// snippet.show

try connection.transaction { connection in
  try connection.execute(sql: "INSERT INTO invoice(amount) VALUES (100)")
  try connection.afterCommit { _ in print("The invoice is stored.") }
  // snippet.hide
  try connection.afterCommit { isStored = $0.isInAutocommit }
  // snippet.show
}
// snippet.hide
guard isStored else { fatalError() }
// snippet.show

final class ChangeLog: TransactionObserver {
  private var rows: [RowChange] = []

  func databaseDidChange(with change: RowChange) { rows.append(change) }
  func databaseDidCommit(_ connection: Connection) {
    print("\(rows.count) rows have changed.")
    rows.removeAll()
  }
  func databaseDidRollback(_ connection: Connection) { rows.removeAll() }
}
let observation = try connection.add(transactionObserver: ChangeLog())
// snippet.hide
try connection.execute(sql: "DELETE FROM invoice")
observation.cancel()
let queue = try ConnectionQueue()
// snippet.show

// The token of a hook can leave the queue, and any thread can cancel it.
let token = try queue.sync { connection in
  try connection.onRollback { print("rolled back") }
}
token.cancel()
