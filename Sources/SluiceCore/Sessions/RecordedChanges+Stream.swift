import CSluice

extension RecordedChanges {
  /// Recorded changes that arrive in chunks, so that they are never all in memory.
  ///
  /// ```swift
  /// let stream = Changeset.Stream { try file.read(upToCount: 65_536).map(Array.init) }
  /// try connection.apply(stream)
  /// ```
  ///
  /// A stream can be used only once, because reading consumes it. Reading throws ``ResultCode/corrupt`` if the
  /// bytes are damaged or truncated.
  public struct Stream {
    let next: () throws -> [UInt8]?

    /// Creates a stream of the chunks that `next` returns, until it returns nil.
    ///
    /// Chunks can have any size. An error that `next` throws is rethrown by the method that reads the stream.
    public init(_ next: @escaping () throws -> [UInt8]?) { self.next = next }

    /// Creates a stream of the chunks in a sequence.
    public init<Chunks: Sequence>(_ chunks: Chunks) where Chunks.Element == [UInt8] {
      let reader = Reader(chunks.makeIterator())
      next = { try reader.next() }
    }

    /// An iterator that throws if the stream is read while the sequence computes a chunk.
    private final class Reader<Chunks: IteratorProtocol> where Chunks.Element == [UInt8] {
      private var chunks: Chunks
      private var isReading = false
      init(_ chunks: Chunks) { self.chunks = chunks }

      func next() throws -> [UInt8]? {
        guard !isReading else { throw SQLiteError(.misuse, "The stream is already being read") }
        isReading = true
        defer { isReading = false }
        return chunks.next()
      }
    }
  }
}

extension RecordedChanges.Stream {
  /// Calls `body` with each change, in the order of the stream.
  ///
  /// The corresponding C function is `sqlite3changeset_start_v2_strm`.
  public func forEachChange(_ body: (_ change: Changeset.Change) throws -> Void) throws {
    try walk(inverted: false, body)
  }

  /// Combines these changes with the changes of `next`, and writes the result to `output`, in chunks.
  ///
  /// During the call, all changes are in memory. In all other respects, this method behaves like
  /// ``RecordedChanges/appending(_:)``.
  ///
  /// The corresponding C function is `sqlite3changeset_concat_strm`.
  public func appending(
    _ next: RecordedChanges.Stream, to output: (_ chunk: [UInt8]) throws -> Void
  ) throws {
    try SessionModule.enter()
    let (first, second) = (input(), next.input())
    try unsafe withOutput(output, first, second) { output in
      unsafe sluice_changeset_concat_strm(
        ChangesInput.read, first.pointer, ChangesInput.read, second.pointer, ChangesOutput.write,
        output)
    }
  }

  /// Returns the input for SQLite; `call` runs the closure that supplies the next chunk.
  func input(
    known: [[UInt8]: ChangesCheck.Table] = [:], inverted: Bool = false,
    by call: @escaping (() throws -> [UInt8]?) throws -> [UInt8]? = { try $0() }
  ) -> ChangesInput {
    ChangesInput(
      { [next] in try call(next) },
      ChangesCheck(
        Format.isPatchset ? .patchset : .changeset, known: known, isInvertible: inverted))
  }

  fileprivate func walk(inverted: Bool, _ body: (Changeset.Change) throws -> Void) throws {
    try SessionModule.enter()
    let input = input(inverted: inverted)
    try withExtendedLifetime(input) {
      var iterator: OpaquePointer?
      try SessionModule.check(
        unsafe sluice_changeset_start_v2_strm(
          &iterator, ChangesInput.read, input.pointer, inverted ? invertFlag : 0))
      do { try unsafe readAll(iterator, body) } catch { throw input.failure ?? error }
    }
  }
}

extension RecordedChanges.Stream where Format == Session.ChangesetFormat {
  /// Calls `body` with the inverse of each change, in the order of the stream.
  ///
  /// Throws ``ResultCode/constraintPrimaryKey`` for an update whose key became an equal value, as
  /// ``RecordedChanges/inverted()`` explains.
  public func forEachInvertedChange(_ body: (_ change: Changeset.Change) throws -> Void) throws {
    try walk(inverted: true, body)
  }

  /// Writes the inverse of each change to `output`, in chunks.
  ///
  /// At the end of the call, SQLite 3.53 has all changes of the stream in memory. Throws
  /// ``ResultCode/constraintPrimaryKey`` for an update whose key became an equal value, as
  /// ``RecordedChanges/inverted()`` explains.
  ///
  /// The corresponding C function is `sqlite3changeset_invert_strm`.
  public func inverted(to output: (_ chunk: [UInt8]) throws -> Void) throws {
    try SessionModule.enter()
    let input = input(inverted: true)
    try unsafe withOutput(output, input) { output in
      unsafe sluice_changeset_invert_strm(
        ChangesInput.read, input.pointer, ChangesOutput.write, output)
    }
  }
}
