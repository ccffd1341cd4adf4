import Foundation
import SluiceTesting

/// A line of the table: an attempt, its count and its failures.
struct Figure {
  /// The name of the attempt.
  let name: String
  /// The unit of the count.
  let unit: String
  var count = 0
  var failureCount = 0
  /// The number of times that SQLite's own behavior was the outcome: see `Accepted/README.md`.
  var acceptedCount = 0
  private var failures: [String] = []
  /// Whether the canary's deliberate mistake was found; nil before the canary has run.
  ///
  /// Unless the mistake was found, the other results do not count.
  var foundCanary: Bool?

  init(_ name: String, _ unit: String) {
    self.name = name
    self.unit = unit
  }

  var isSound: Bool { count > 0 && failureCount == 0 && foundCanary == true }

  mutating func fail(_ text: @autoclosure () -> String) {
    failureCount += 1
    if failures.count < 5 { failures.append(text()) }
  }

  func print(_ options: Options) {
    let canary =
      switch foundCanary {
      case true?: "canary found"
      case false?: "CANARY NOT FOUND"
      case nil: "NO CANARY"
      }
    say(
      "\(name): \(count) \(unit), seed \(options.seed), SQLite \(SQLiteLibrary.version): "
        + "\(failureCount) failures, \(acceptedCount > 0 ? "\(acceptedCount) accepted, " : "")\(canary)"
    )
    for failure in failures { say("  \(failure)") }
  }
}

/// A state that must not occur after any failure.
struct Wrong: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func require(_ isTrue: Bool, _ text: @autoclosure () -> String) throws {
  guard isTrue else { throw Wrong(text()) }
}
