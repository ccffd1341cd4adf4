import Foundation

extension Operation.Clock {
  /// The time in seconds since an arbitrary moment.
  fileprivate var seconds: Double {
    switch self {
    case .processor: Double(clock()) / Double(CLOCKS_PER_SEC)
    case .wall: Double(DispatchTime.now().uptimeNanoseconds) / 1e9
    }
  }
}

extension Operation {
  /// Runs both sides alternately, and compares their times in each round by the operation's clock.
  func timing(rounds: Int) throws -> Finding {
    let match = try Match(self, count: count)
    var times: [Side: [Double]] = [:]
    for round in 0..<rounds {
      // Alternate the side that runs first.
      for side in round.isMultiple(of: 2) ? [Side.c, .sluice] : [.sluice, .c] {
        times[side, default: []].append(try nanoseconds(match, side))
      }
    }
    return Finding(
      self, .nanoseconds, count: count, c: times[.c] ?? [], sluice: times[.sluice] ?? [])
  }

  private func nanoseconds(_ match: Match, _ side: Side) throws -> Double {
    var seconds = 0.0
    try match.run(side) { body in
      let start = clock.seconds
      defer { seconds = clock.seconds - start }
      return try body()
    }
    return match.cost(side) ?? seconds * 1e9 / Double(count)
  }
}
