/// The repetitions of a measurement.
enum Rounds {
  private static let count = 3
  private static let duration = Duration.seconds(2)

  /// Calls `body` from some tasks for two seconds, three times, and returns how often it was called a second.
  static func rates(
    tasks: Int, _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> [Double] {
    // The first call pays for the connections and the statements.
    try await body()
    var rates: [Double] = []
    for _ in 0..<count {
      let begin = ContinuousClock.now
      let calls = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<tasks {
          group.addTask {
            var calls = 0
            while .now - begin < duration {
              try await body()
              calls += 1
            }
            return calls
          }
        }
        return try await group.reduce(0, +)
      }
      rates.append(Double(calls) / ((ContinuousClock.now - begin) / .seconds(1)))
    }
    return rates
  }

  /// Calls `body` five times after one call that does not count, and returns the durations.
  static func durations(_ body: () async throws -> Void) async throws -> [Duration] {
    try await body()
    var durations: [Duration] = []
    for _ in 0..<5 { durations.append(try await ContinuousClock().measure { try await body() }) }
    return durations
  }
}
