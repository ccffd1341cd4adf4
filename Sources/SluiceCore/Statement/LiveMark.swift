import Synchronization

/// A mark for the cached statements of a live query, which keep their places until the query ends.
final class LiveMark: Sendable {
  private let hasEnded = Atomic(false)

  /// Whether the live query has ended, so that its statements are like any other.
  var isOver: Bool { hasEnded.load(ordering: .relaxed) }

  /// Ends the mark, on any thread.
  func end() { hasEnded.store(true, ordering: .relaxed) }
}
