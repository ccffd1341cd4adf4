import SluiceCluster
import Synchronization
import Testing

/// The outcomes of transactions, each of which has a number.
final class Ledger: Sendable {
  private let state = Mutex(State())

  private struct State {
    var acknowledged: Set<Int> = []
    var unknown: Set<Int> = []
    var refused: [Int: String] = [:]
  }

  /// Calls `body`, which runs the transaction with this number, and records the outcome.
  ///
  /// - Returns: Whether the transaction was acknowledged.
  func record(_ number: Int, _ body: () async throws -> Void) async -> Bool {
    do {
      try await body()
      state.withLock { _ = $0.acknowledged.insert(number) }
      return true
    } catch ClusterError.outcomeUnknown {
      state.withLock { _ = $0.unknown.insert(number) }
    } catch {
      state.withLock { $0.refused[number] = "\(error)" }
    }
    return false
  }

  var acknowledgedCount: Int { state.withLock { $0.acknowledged.count } }

  var unknownCount: Int { state.withLock { $0.unknown.count } }

  /// The errors of the transactions that certainly had no effect.
  var errors: Set<String> { state.withLock { Set($0.refused.values) } }

  /// Expects the transactions that were found in the database to be those that were acknowledged, and perhaps those with
  /// an unknown outcome.
  func verify(_ found: [Int], sourceLocation: SourceLocation = #_sourceLocation) {
    let state = state.withLock { $0 }
    let numbers = Set(found)
    let lost = state.acknowledged.subtracting(numbers)
    let wrong = numbers.intersection(state.refused.keys)
    #expect(lost.isEmpty, "acknowledged, but lost", sourceLocation: sourceLocation)
    #expect(
      wrong.isEmpty, "committed, although it failed: \(wrong.map { state.refused[$0] ?? "" })",
      sourceLocation: sourceLocation)
    #expect(numbers.count == found.count, "took effect twice", sourceLocation: sourceLocation)
    #expect(
      numbers.subtracting(state.acknowledged).subtracting(state.unknown).subtracting(wrong).isEmpty,
      "nobody wrote these", sourceLocation: sourceLocation)
    Figures.add(state.acknowledged.count, to: .acknowledged)
    Figures.add(lost.count, to: .lost)
    Figures.add(found.count - numbers.count, to: .doubled)
    Figures.add(state.unknown.count, to: .unknown)
    Figures.add(state.unknown.intersection(numbers).count, to: .committedUnknown)
    Figures.add(state.refused.count, to: .refused)
    Figures.add(wrong.count, to: .committedRefused)
  }
}
