import SluiceCore
import TestSupport

/// A queue with tables, and a recorder of the row changes in one of them.
class RowChangesFixture {
  let queue: ConnectionQueue
  let recorder = Recorder<RowChanges>(.unlimited)

  init() throws {
    queue = try ConnectionQueue()
    try queue.sync {
      try $0.execute(
        sql: """
          CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score REAL);
          CREATE TABLE other(a UNIQUE, b);
          CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
          """)
    }
  }

  // A subscription and its subscriber retain each other.
  deinit { recorder.subscription?.cancel() }

  func listen(_ table: String, limit: Int = 100) {
    queue.rowChanges(in: table, limit: limit).subscribe(recorder)
    queue.settle()
  }

  /// Runs `sql`, and returns the commits reported for it, with each change as text.
  func commits(after sql: String) throws -> [[String]] {
    let count = recorder.values.count
    try queue.sync { try $0.execute(sql: sql) }
    queue.settle()
    return recorder.values.dropFirst(count).map { $0.changes.map(Self.words) }
  }

  static func words(_ change: RowChanges.Change) -> String {
    switch change {
    case .inserted(let row): "+ \(row)"
    case .updated(let before, let after): "\(before) > \(after)"
    case .deleted(let row): "- \(row)"
    }
  }
}
