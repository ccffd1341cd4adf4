import Sluice

/// The measured cost of running a statement once.
struct RunCost {
  /// The number of steps of SQLite's virtual machine.
  private(set) var steps = 0
  /// The time, which is the shorter one of two runs.
  private(set) var microseconds = 0.0

  /// Runs a statement with each of the values, and undoes its changes; the cost is the average.
  ///
  /// A run ends after `maximumSteps`.
  init(
    of sql: String, _ samples: [SQLParameters], maximumSteps: Int, on connection: Connection
  ) throws {
    for sample in samples {
      let first = try Self.run(sql, sample, maximumSteps, connection)
      let isSlow = first.steps > maximumSteps / 10
      let second = isSlow ? first : try Self.run(sql, sample, maximumSteps, connection)
      steps += first.steps
      microseconds += min(first.microseconds, second.microseconds)
    }
    steps /= max(1, samples.count)
    microseconds /= Double(max(1, samples.count))
  }

  private static func run(
    _ sql: String, _ parameters: SQLParameters, _ maximumSteps: Int, _ connection: Connection
  ) throws -> (steps: Int, microseconds: Double) {
    try connection.savepoint { connection, command in
      command = .rollback
      let statement = try connection.prepare(sql: sql).bind(parameters)
      var isStopped = false
      let token = try connection.onProgress(every: maximumSteps) {
        isStopped = true
        throw SQLiteError(.interrupt, "The statement takes too many steps")
      }
      defer { token.cancel() }
      let clock = ContinuousClock()
      let start = clock.now
      do { try statement.execute() } catch  where isStopped {
        // SQLite has rolled back the transaction of a statement that writes. The steps of any other statement are its
        // least cost.
        guard try statement.isReadOnly else {
          throw SQLiteError(.abort, "the statement takes more than \(maximumSteps) steps")
        }
      }
      let duration = (clock.now - start).components
      let microseconds =
        Double(duration.seconds) * 1e6 + Double(duration.attoseconds) / 1e12
      return (try statement.count(of: .machineSteps), microseconds)
    }.value
  }
}
