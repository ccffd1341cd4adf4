import Sluice

/// The newest notes, now and after each commit that changes them, for server-sent events.
///
/// A client that is slower than the commits receives the latest notes, and skips the states in between. The sequence
/// ends with ``NotesError/shuttingDown`` when the service shuts down.
public struct LiveNotes: AsyncSequence, Sendable {
  let publisher: ValuePublisher<[Note]>
  let gate: Gate

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: ValuePublisher<[Note]>.Iterator
    let gate: Gate

    public mutating func next() async throws -> [Note]? {
      do { return try await base.next() } catch { throw gate.answer(for: error) }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: publisher.makeAsyncIterator(), gate: gate)
  }
}
