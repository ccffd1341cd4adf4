import Sluice

/// The newest notes, now and after each commit that changes them, for server-sent events.
///
/// A client that is slower than the commits receives the latest notes, and skips the states in between. The sequence
/// ends without an error when the service shuts down.
public struct LiveNotes: AsyncSequence, Sendable {
  let publisher: ValuePublisher<[Note]>

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: ValuePublisher<[Note]>.Iterator

    public mutating func next() async throws -> [Note]? {
      do { return try await base.next() } catch {
        let answer = NotesError(error)
        // The end of an event stream is not a failure.
        if answer == .shuttingDown { return nil }
        throw answer
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: publisher.makeAsyncIterator())
  }
}
