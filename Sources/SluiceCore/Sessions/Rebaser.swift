import CSluice

extension Changeset {
  /// How conflicts were resolved when a changeset was applied, for a ``Rebaser``.
  ///
  /// Those who apply a changeset to a connection get it.
  public struct Rebase: Hashable, Sendable {
    /// The resolutions in SQLite's format; empty if there was no conflict.
    public let bytes: [UInt8]

    /// The resolutions that `bytes` hold, which came from ``bytes``.
    ///
    /// Bytes that are damaged throw ``ResultCode/corrupt``.
    public init(bytes: [UInt8]) throws {
      var check = ChangesCheck(.rebase)
      try check.feed(bytes)
      try check.finish()
      self.bytes = bytes
    }

    /// The resolutions that SQLite has written.
    init(written bytes: [UInt8]) { self.bytes = bytes }

    /// Whether there was no conflict.
    public var isEmpty: Bool { bytes.isEmpty }
  }
}

/// Rewrites changes that were made here as if they had been made after those of others.
///
/// ```swift
/// let rebase = try connection.apply(theirs) { _ in .omit }
/// let rebaser = try Rebaser()
/// try rebaser.add(rebase)
/// try send(rebaser.rebase(ours))
/// ```
///
/// Those who get what it returns, and have the changes of the others, have no conflict to resolve again.
/// It belongs to one thread or task at a time, like a connection.
///
/// The corresponding C type is `sqlite3_rebaser`.
@safe public final class Rebaser {
  private let handle: OpaquePointer
  private var turn = Turn("The rebaser")
  /// SQLite believes that a table has the same columns in all that it gets.
  private var tables: [[UInt8]: ChangesCheck.Table] = [:]

  /// Makes a rebaser that changes nothing yet.
  ///
  /// The corresponding C function is `sqlite3rebaser_create`.
  public init() throws {
    try SessionModule.enter()
    var handle: OpaquePointer?
    try SessionModule.check(unsafe sluice_rebaser_create(&handle))
    guard let handle = unsafe handle else {
      throw SQLiteError(.noMemory, "Out of memory for a rebaser")
    }
    unsafe self.handle = handle
  }

  deinit { unsafe sluice_rebaser_delete(handle) }
}

@available(*, unavailable)
extension Rebaser: Sendable {}

extension Rebaser {
  /// Adds how the conflicts with a changeset of others were resolved.
  ///
  /// Of several, they are added in the order in which the changesets were applied. A table that has other
  /// columns than before throws ``ResultCode/schema``.
  ///
  /// The corresponding C function is `sqlite3rebaser_configure`.
  public func add(_ rebase: Changeset.Rebase) throws {
    try turn.begin()
    defer { turn.end() }
    var check = ChangesCheck(.rebase, known: tables, collectsTables: true)
    try check.feed(rebase.bytes)
    let count = try SessionModule.count(of: rebase.bytes)
    do {
      try unsafe rebase.bytes.withUnsafeBytes { bytes in
        try SessionModule.check(unsafe sluice_rebaser_configure(handle, count, bytes.baseAddress))
      }
    } catch {
      turn.failure = error
      throw error
    }
    tables.merge(check.tables) { old, _ in old }
  }

  /// The changes as if they had been made after those whose resolutions were added.
  ///
  /// A table that has other columns there throws ``ResultCode/schema``.
  ///
  /// The corresponding C function is `sqlite3rebaser_rebase`.
  public func rebase(_ changeset: Changeset) throws -> Changeset {
    try turn.begin()
    defer { turn.end() }
    var check = ChangesCheck(.changeset, known: tables)
    try check.feed(changeset.bytes)
    let count = try SessionModule.count(of: changeset.bytes)
    let bytes = try unsafe changeset.bytes.withUnsafeBytes { bytes in
      let bytes = bytes.baseAddress
      return try unsafe SessionModule.bytes { size, result in
        try SessionModule.check(unsafe sluice_rebaser_rebase(handle, count, bytes, size, result))
      }
    }
    // Resolutions that do not belong to the changes can make of them what is none.
    return try Changeset(bytes: bytes)
  }

  /// Writes the changes of a stream to `output`, in chunks, as ``rebase(_:)`` would return them.
  ///
  /// The corresponding C function is `sqlite3rebaser_rebase_strm`.
  public func rebase(
    _ changes: Changeset.Stream, to output: (_ chunk: [UInt8]) throws -> Void
  ) throws {
    try turn.begin()
    defer { turn.end() }
    let input = changes.input(known: tables)
    try unsafe withOutput(output, input) { output in
      unsafe sluice_rebaser_rebase_strm(
        handle, ChangesInput.read, input.pointer, ChangesOutput.write, output)
    }
  }
}
