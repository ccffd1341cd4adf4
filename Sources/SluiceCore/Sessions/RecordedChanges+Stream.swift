import CSluice

extension RecordedChanges {
  /// Changes that come piece by piece, so that they are never in memory as a whole.
  ///
  /// ```swift
  /// let stream = Changeset.Stream { try file.read(upToCount: 65_536).map(Array.init) }
  /// try connection.apply(stream)
  /// ```
  ///
  /// It is used once: what has been read has gone. Bytes that are damaged, or that end too early, throw
  /// ``ResultCode/corrupt`` when they come.
  public struct Stream {
    let next: () throws -> [UInt8]?

    /// The changes in the chunks that `next` returns, until it returns nil.
    ///
    /// Chunks can have any size. What `next` throws is thrown by what reads the stream.
    public init(_ next: @escaping () throws -> [UInt8]?) { self.next = next }

    /// The changes in the chunks of a sequence.
    public init<Chunks: Sequence>(_ chunks: Chunks) where Chunks.Element == [UInt8] {
      let reader = Reader(chunks.makeIterator())
      next = { try reader.next() }
    }

    /// An iterator, which could come back to its own stream.
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
  /// Gives each change to `body`, in the order in which they come.
  ///
  /// The corresponding C function is `sqlite3changeset_start_v2_strm`.
  public func forEachChange(_ body: (_ change: Changeset.Change) throws -> Void) throws {
    try walk(inverted: false, body)
  }

  /// Writes these changes and then those of `next` to `output`, as one.
  ///
  /// All changes are in memory meanwhile. In all else it is like ``RecordedChanges/appending(_:)``.
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

  /// The chunks for SQLite, each from `call`, which gets the closure of the stream.
  func input(
    known: [[UInt8]: ChangesCheck.Table] = [:], inverted: Bool = false,
    by call: @escaping (() throws -> [UInt8]?) throws -> [UInt8]? = { try $0() }
  ) -> ChangesInput {
    ChangesInput(
      { [next] in try call(next) },
      ChangesCheck(
        Format.isPatchset ? .patchset : .changeset, known: known, dropsNewKeys: inverted))
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
  /// Gives what undoes each change to `body`, in the order in which they come.
  public func forEachInvertedChange(_ body: (_ change: Changeset.Change) throws -> Void) throws {
    try walk(inverted: true, body)
  }

  /// Writes the changes that undo these to `output`, in chunks.
  ///
  /// SQLite 3.53 has all of these in memory at its end.
  ///
  /// The corresponding C function is `sqlite3changeset_invert_strm`.
  public func inverted(to output: (_ chunk: [UInt8]) throws -> Void) throws {
    try SessionModule.enter()
    let input = input()
    try unsafe withOutput(output, input) { output in
      unsafe sluice_changeset_invert_strm(
        ChangesInput.read, input.pointer, ChangesOutput.write, output)
    }
  }
}
