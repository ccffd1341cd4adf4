import CSluice

extension Changeset {
  /// The conflict resolutions of an applied changeset, for a ``Rebaser``.
  ///
  /// Applying a changeset to a connection returns this value.
  public struct Rebase: Hashable, Sendable {
    /// The resolutions in SQLite's format; empty if there was no conflict.
    public let bytes: [UInt8]

    /// Creates resolutions from the ``bytes`` of earlier resolutions.
    ///
    /// Throws ``ResultCode/corrupt`` if the bytes are damaged.
    public init(bytes: [UInt8]) throws {
      var check = ChangesCheck(.rebase)
      try check.feed(bytes)
      try check.finish()
      self.bytes = bytes
    }

    /// Creates resolutions from bytes that SQLite has written.
    init(written bytes: [UInt8]) { self.bytes = bytes }

    /// Whether there was no conflict.
    public var isEmpty: Bool { bytes.isEmpty }
  }
}

/// An object that rewrites local changes as if they had been made after other changes.
///
/// ```swift
/// let rebase = try connection.apply(theirs) { _ in .omit }
/// let rebaser = try Rebaser()
/// try rebaser.add(rebase)
/// try send(rebaser.rebase(ours))
/// ```
///
/// Recipients that already have the other changes need not resolve the conflicts again. Like a connection, a
/// rebaser belongs to one thread or task at a time.
///
/// The corresponding C type is `sqlite3_rebaser`.
@safe public final class Rebaser {
  private let handle: OpaquePointer
  private var turn = ReentrancyGuard("The rebaser")
  /// The tables in the added resolutions; SQLite assumes that the columns of a table never change.
  private var tables: [[UInt8]: ChangesCheck.Table] = [:]

  /// Creates a rebaser without resolutions; until resolutions are added, rebasing changes nothing.
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
  /// Adds the conflict resolutions of an applied changeset.
  ///
  /// Add the resolutions of several changesets in the order in which the changesets were applied. Throws
  /// ``ResultCode/schema`` if a table has different columns in earlier resolutions.
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

  /// Returns the changes as if they had been made after the changesets whose resolutions were added.
  ///
  /// Throws ``ResultCode/schema`` if a table has different columns in the added resolutions.
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
    // Resolutions of an unrelated changeset can make SQLite produce an invalid changeset.
    return try Changeset(bytes: bytes)
  }

  /// Rebases the changes of a stream as ``rebase(_:)`` does, and writes the result to `output`, in chunks.
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
