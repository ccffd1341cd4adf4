import SluiceCore
import Testing

/// Runs each test of a suite twice: on connections with SQLite's mutex, and on connections without it.
///
/// Connections with a mutex read rows through different C functions. The tests open their connections with
/// ``SluiceCore/Connection/inTestedMode()``.
struct ThreadingModes: SuiteTrait, TestTrait, TestScoping {
  static let all = [Configuration.ThreadingMode.multiThread, .serialized]
  @TaskLocal static var tested: Configuration.ThreadingMode?

  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    for mode in Self.all {
      let naming = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("The connection is \(mode).")
        return issue
      }
      try await Self.$tested.withValue(mode) {
        try await naming.provideScope(for: test, testCase: testCase, performing: function)
      }
    }
  }
}

extension Trait where Self == ThreadingModes {
  static var inEachThreadingMode: Self { Self() }
}

extension Connection {
  /// Opens a connection in the tested mode, which the trait ``ThreadingModes`` must have set.
  static func inTestedMode() throws -> Connection {
    let mode = try #require(ThreadingModes.tested)
    var configuration = Configuration()
    configuration.threadingMode = mode
    return try Connection(configuration: configuration)
  }
}
