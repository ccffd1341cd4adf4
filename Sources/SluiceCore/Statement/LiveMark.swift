import Synchronization

/// A mark for the cached statements of a live query, which keep their places until the query ends.
final class LiveMark: Sendable {
  private let hasEnded = Atomic(false)

  /// Whether the live query has ended, so that its statements are like any other.
  var isOver: Bool { hasEnded.load(ordering: .relaxed) }

  /// Ends the mark, on any thread.
  func end() { hasEnded.store(true, ordering: .relaxed) }
}

/// Returns the result of calling `body`, in which the statements that the connection puts into its cache receive the mark.
func marking<T>(
  _ connection: inout sending Connection, _ mark: LiveMark,
  _ body: (inout sending Connection) throws -> T
) rethrows -> T {
  // The closure may replace the connection.
  let marked = connection
  marked.cache.mark = mark
  defer { marked.cache.mark = nil }
  return try body(&connection)
}
