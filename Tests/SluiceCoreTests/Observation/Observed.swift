import SluiceCore

/// A database that a test changes, and a live query on it.
final class Observed: Sendable {
  let queue: ConnectionQueue
  let recorder: Recorder<[RowValues]>

  /// Runs `setup`, and then starts observing `query`.
  init(
    _ setup: String, _ query: String, path: String? = nil, demand: ValueDemand = .unlimited
  ) throws {
    queue = try path.map { try ConnectionQueue(path: $0) } ?? ConnectionQueue()
    try queue.sync { try $0.execute(sql: setup) }
    recorder = Recorder(demand)
    queue.observe(.values, sql: query).subscribe(recorder)
    queue.settle()
  }

  /// The number of values received so far.
  var count: Int { recorder.values.count }

  /// Runs `body`, and returns the number of values emitted for its changes.
  func values(for body: sending (inout sending Connection) throws -> Void) throws -> Int {
    let before = count
    try queue.sync(body)
    queue.settle()
    return count - before
  }

  /// Runs an SQL script, and returns the number of values emitted for its changes.
  func values(for sql: String) throws -> Int { try values { try $0.execute(sql: sql) } }

  /// Returns whether the last value equals the current result of the query.
  func isCurrent(_ query: String) throws -> Bool {
    try queue.sync { try $0.query(.values, sql: query) } == recorder.values.last
  }
}
