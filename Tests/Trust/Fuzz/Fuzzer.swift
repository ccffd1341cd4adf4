import SluiceTesting

/// A random check in rounds, each of which can be repeated from its seed.
protocol Fuzzer {
  static var name: String { get }
  /// The number of rounds in the short form.
  static var shortCount: Int { get }

  /// Creates the fuzzer. If `isCanary`, it makes a mistake that rounds have to find.
  init(isCanary: Bool) throws

  /// Throws for a wrong result.
  mutating func round(_ random: inout SeededGenerator) throws
}

/// The rounds of a fuzzer, limited by time or count.
struct Fuzzing {
  let options: Options

  init(_ options: Options) { self.options = options }

  func figures<F: Fuzzer>(_ type: F.Type) throws -> [Figure] {
    Watchdog.start()
    LastWords.start()
    var figure = Figure("fuzz, \(F.name)", "rounds")
    var canary = try F(isCanary: true)
    var fuzzer = try F(isCanary: false)
    figure.foundCanary = false
    for round in 0..<UInt64(max(F.shortCount, 1000))
    where problem(&canary, options.seed &+ round) != nil {
      figure.foundCanary = true
      break
    }
    fuzzer = try F(isCanary: false)
    let count = options.rounds ?? (options.isShort ? F.shortCount : .max)
    let end = ContinuousClock.now + .seconds(count == .max ? options.seconds : 86_400)
    while figure.count < count, figure.count % 16 != 0 || .now < end {
      let seed = options.seed &+ UInt64(figure.count)
      if let problem = problem(&fuzzer, seed) {
        figure.fail("seed \(seed): \(problem)")
        // Later rounds must not depend on the failed one.
        fuzzer = try F(isCanary: false)
      }
      figure.count += 1
    }
    return [figure]
  }

  private func problem<F: Fuzzer>(_ fuzzer: inout F, _ seed: UInt64) -> (any Error)? {
    Watchdog.hear("\(F.name), seed \(seed)")
    LastWords.seed = seed
    var random = SeededGenerator(seed: seed)
    do {
      try fuzzer.round(&random)
      return nil
    } catch { return error }
  }
}
