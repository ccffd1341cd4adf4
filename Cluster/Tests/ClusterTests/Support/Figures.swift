import Foundation
import Synchronization

/// The figures of all tests with real nodes, which are printed when the process ends.
enum Figures {
  /// A number that the tests add up.
  enum Count: String, CaseIterable {
    case leaderKills = "kills of the leader"
    case followerKills = "kills of a follower"
    case fullKills = "kills of all three nodes at once"
    case leaderStops = "stops of the leader"
    case followerStops = "stops of a follower"
    case transfers = "transfers"
    case partitions = "partitions"
    case disturbances = "times that the network worked badly"
    case diskFailures = "nodes that ended because their disk was full"
    case slowStatementFailures = "nodes that ended because a statement was slow"
    case cutCommits = "connections cut during COMMIT"
    case acknowledged = "acknowledged transactions"
    case lost = "acknowledged transactions that were lost"
    case doubled = "transactions that took effect twice"
    case unknown = "transactions with an unknown outcome"
    case committedUnknown = "of these, committed"
    case refused = "transactions that failed with another error"
    case committedRefused = "of these, committed all the same"
    case checkedReads = "reads while the leader was stopped or cut off"
    case answeredConfirmedReads = "of these, with confirmedRead, and answered"
    case staleReads = "of these, stale with read"
    case staleConfirmedReads = "of these, stale with confirmedRead"
    case comparisons = "comparisons of all copies"
  }

  private struct State {
    var counts: [Count: Int] = [:]
    var durations: [String: [Duration]] = [:]
    var notes: [String] = []
  }

  private static let state: Mutex<State> = {
    atexit { Figures.print() }
    return Mutex(State())
  }()

  static func add(_ count: Int = 1, to figure: Count) {
    state.withLock { $0.counts[figure, default: 0] += count }
  }

  /// Adds a duration to those with the same description.
  static func add(_ duration: Duration, to description: String) {
    state.withLock { $0.durations[description, default: []].append(duration) }
  }

  /// Adds a sentence.
  static func note(_ text: String) { state.withLock { $0.notes.append(text) } }

  private static func print() {
    let state = state.withLock { $0 }
    var lines = ["Figures of the tests with real nodes:"]
    for count in Count.allCases {
      guard let number = state.counts[count] else { continue }
      lines.append("  \(count.rawValue): \(number)")
    }
    for (description, durations) in state.durations.sorted(by: { $0.key < $1.key }) {
      let sorted = durations.sorted()
      lines.append(
        "  \(description): median \(seconds(sorted[sorted.count / 2])), longest "
          + "\(seconds(sorted[sorted.count - 1])), of \(sorted.count)")
    }
    lines += state.notes.map { "  " + $0 }
    FileHandle.standardOutput.write(Data((lines.joined(separator: "\n") + "\n").utf8))
  }

  private static func seconds(_ duration: Duration) -> String {
    duration.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 2)))
  }
}
