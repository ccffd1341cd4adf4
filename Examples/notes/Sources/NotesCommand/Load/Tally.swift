import Notes
import Synchronization

/// The outcomes and durations of all requests, and the invariants that were violated.
final class Tally: Sendable {
  /// The kinds of requests, in the order of the table.
  enum Kind: String, CaseIterable {
    case read, list, search, complete, overview, create, update, move, delete
    case live = "ten live lists"
    case cancelled = "move, cancelled"
    case late = "move, short deadline"
    case health = "health and metrics"
  }

  struct Row {
    var durations = Histogram()
    /// The requests that another task has anticipated: the note has changed, or was deleted.
    var refused = 0
    /// The requests that ended because of their deadline or cancellation.
    var stopped = 0
    var errors = 0
  }

  private let state = Mutex((rows: [Kind: Row](), problems: [String](), problemCount: 0))

  var rows: [Kind: Row] { state.withLock { $0.rows } }
  /// The first errors and violated invariants.
  var problems: [String] { state.withLock { $0.problems } }
  var problemCount: Int { state.withLock { $0.problemCount } }

  /// Runs a request, and records its duration and outcome.
  ///
  /// - Returns: The answer, or nil if the request has failed.
  func measure<Answer: Sendable>(
    _ kind: Kind, stops: Bool = false, _ request: () async throws -> Answer
  ) async -> Answer? {
    let start = ContinuousClock.now
    do {
      let answer = try await request()
      record(kind, start) { _ in }
      return answer
    } catch NotesError.conflict, NotesError.notFound {
      record(kind, start) { $0.refused += 1 }
    } catch NotesError.cancelled where stops, NotesError.timedOut where stops {
      record(kind, start) { $0.stopped += 1 }
    } catch {
      record(kind, start) { $0.errors += 1 }
      report("\(kind.rawValue): \(error)")
    }
    return nil
  }

  private func record(
    _ kind: Kind, _ start: ContinuousClock.Instant, _ outcome: (inout Row) -> Void
  ) {
    let duration = start.duration(to: .now)
    state.withLock { state in
      state.rows[kind, default: Row()].durations.record(duration)
      outcome(&state.rows[kind, default: Row()])
    }
  }

  /// Records an error or a violated invariant.
  func report(_ problem: String) {
    state.withLock { state in
      state.problemCount += 1
      if state.problems.count < 20 { state.problems.append(problem) }
    }
  }
}
