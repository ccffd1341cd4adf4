import SluiceCore

/// What a test changes, and a query that is observed meanwhile.
final class Observed: Sendable {
  let queue: ConnectionQueue
  let recorder: Recorder<[RowValues]>

  /// Runs `setup`, and observes `query` from then on.
  init(
    _ setup: String, _ query: String, path: String? = nil, demand: ValueDemand = .unlimited
  ) throws {
    queue = try path.map { try ConnectionQueue(path: $0) } ?? ConnectionQueue()
    try queue.sync { try $0.execute(sql: setup) }
    recorder = Recorder(demand)
    queue.observe(.values, sql: query).subscribe(recorder)
    queue.settle()
  }

  /// How many values have come so far.
  var count: Int { recorder.values.count }

  /// How many values come for what `body` does.
  func values(for body: sending (inout sending Connection) throws -> Void) throws -> Int {
    let before = count
    try queue.sync(body)
    queue.settle()
    return count - before
  }

  /// How many values come for a script.
  func values(for sql: String) throws -> Int { try values { try $0.execute(sql: sql) } }

  /// Whether the last value is what the query finds now.
  func isCurrent(_ query: String) throws -> Bool {
    try queue.sync { try $0.query(.values, sql: query) } == recorder.values.last
  }
}
