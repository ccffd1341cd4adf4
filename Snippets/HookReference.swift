// The code samples in the documentation comments about hooks; all compile and run.

// snippet.hide
import Foundation
import Sluice

try SQLiteLibrary.onLog { entry in print("SQLite:", entry.message, entry.code) }
try observers()
try handlers()
try waiting()

func observers() throws {
  struct Overdrawn: Error {}
  struct TooLate: Error {}
  let connection = try Connection()
  try connection.execute(sql: "CREATE TABLE account(id INTEGER PRIMARY KEY, amount)")
  let balance = 1
  let deadline = ContinuousClock.now + .seconds(60)
  var pending: [RowChange] = []
  var history: [(DatabaseValue, DatabaseValue)] = []
  do {
    let token = try connection.onRollback { pending.removeAll() }
    token.cancel()
  }
  try connection.onCommit {
    guard balance >= 0 else { throw Overdrawn() }
  }
  try connection.onUpdate { change in
    print(change.operation, change.table, change.rowid)
  }
  try connection.onPreUpdate { change in
    guard change.table == "account", change.operation == .update else { return }
    history.append((try change.old(at: 1), try change.new(at: 1)))
  }
  try connection.execute(sql: "CREATE TABLE invoice(amount)")
  try connection.transaction { connection in
    try connection.execute(sql: "INSERT INTO invoice(amount) VALUES (100)")
    try connection.afterCommit { _ in print("The invoice is stored.") }
  }
  do {
    final class ChangeLog: TransactionObserver {
      private var rows: [RowChange] = []

      func databaseDidChange(with change: RowChange) { rows.append(change) }
      func databaseDidCommit(_ connection: Connection) {
        print("\(rows.count) rows have changed.")
        rows.removeAll()
      }
      func databaseDidRollback(_ connection: Connection) { rows.removeAll() }
    }
    let token = try connection.add(transactionObserver: ChangeLog())
    token.cancel()
  }
  try connection.onWALCommit { connection, commit in
    if commit.frames > 10_000 { print("The WAL of \(commit.schema) grows") }
  }
  try connection.onProgress(every: 10_000) {
    if ContinuousClock.now > deadline { throw TooLate() }
  }
  try connection.trace(.profile) { event in
    guard let duration = event.duration, duration > .milliseconds(50) else { return }
    print(event.sql ?? "", duration)
  }
  try connection.execute("INSERT INTO account VALUES (1, 1); UPDATE account SET amount = 2")
  guard history.count == 1, pending.isEmpty else { fatalError() }
  let token = try connection.authorize { request in
    switch request.action {
    case .select, .read, .function: .allow
    default: .deny
    }
  }
  token.cancel()
}

func handlers() throws {
  let connection = try Connection()
  try connection.setBusyHandler { count in
    Thread.sleep(forTimeInterval: 0.01)
    return count < 100
  }
  try connection.setAutovacuumHandler { file in file.freePageCount / 2 }
}

func waiting() throws {
  let connection = try Connection()
  let statement = try connection.prepare(sql: "SELECT 1")
  while true {
    do { return try statement.execute() } catch SQLiteError.lockedSharedCache {
      try connection.waitForUnlock()
    }
  }
}
