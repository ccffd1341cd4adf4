import CSluice

/// Changes of rows that a ``Session`` has recorded, with their old values.
public typealias Changeset = RecordedChanges<Session.ChangesetFormat>

/// Changes of rows that a ``Session`` has recorded, without their old values.
///
/// It is smaller than a ``Changeset``. It cannot be inverted or rebased, and that others have changed a
/// row of it is not noticed when it is applied.
public typealias Patchset = RecordedChanges<Session.PatchsetFormat>

/// Changes of rows that a ``Session`` has recorded, to be stored, sent and applied elsewhere.
///
/// ```swift
/// let changeset = try session.changeset()
/// try other.apply(changeset) { conflict in
///   if case .data = conflict { .replace } else { .omit }
/// }
/// ```
///
/// It is a ``Changeset`` or a ``Patchset``. There is at most one change of a row; those of one table are
/// together, in no order that could be relied on.
public struct RecordedChanges<Format: Session.Format>: Sendable {
  /// The changes in SQLite's format, which is the same on all machines.
  public let bytes: [UInt8]

  /// The changes that `bytes` hold, which came from ``bytes``.
  ///
  /// Bytes that are damaged throw ``ResultCode/corrupt``, and those of the other format
  /// ``ResultCode/mismatch``. All are looked at here, because SQLite would believe them. That says
  /// nothing about what the changes do: those of a stranger can change any table, unless a filter
  /// keeps them from it.
  public init(bytes: [UInt8]) throws {
    var check = ChangesCheck(Format.isPatchset ? .patchset : .changeset)
    try check.feed(bytes)
    try check.finish()
    self.bytes = bytes
  }

  /// The changes that SQLite has written.
  init(written bytes: [UInt8]) { self.bytes = bytes }

  /// Whether there are no changes.
  public var isEmpty: Bool {
    var check = ChangesCheck(Format.isPatchset ? .patchset : .changeset)
    // What SQLite has written or the initializer has checked is never refused.
    try? check.feed(bytes, upToFirstChange: true)
    return !check.hasChanges
  }
}

extension RecordedChanges: Hashable {
  public static func == (first: Self, second: Self) -> Bool { first.bytes == second.bytes }
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension RecordedChanges: CustomStringConvertible {
  /// The changes as SQL to be read by people, one on each line.
  ///
  /// Columns have numbers in the place of names, which are not recorded.
  /// ``Connection/sql(for:schema:)`` knows them.
  public var description: String {
    var lines: [String] = []
    do { try forEachChange { lines.append("\($0)") } } catch { lines.append("-- \(error)") }
    return lines.joined(separator: "\n")
  }
}

extension RecordedChanges {
  /// These changes and then `next`, as one.
  ///
  /// There is one change for each row in the end: what was inserted and then deleted is gone. Tables that
  /// have other columns in `next` throw ``ResultCode/schema``.
  ///
  /// The corresponding C function is `sqlite3changeset_concat`.
  public func appending(_ next: RecordedChanges) throws -> RecordedChanges {
    try SessionModule.enter()
    return try unsafe withCombinableBytes { count, first in
      try unsafe next.withCombinableBytes { nextCount, second in
        RecordedChanges(
          written: try unsafe SessionModule.bytes { size, result in
            try SessionModule.check(
              unsafe sluice_changeset_concat(count, first, nextCount, second, size, result))
          })
      }
    }
  }

  /// Lends the bytes to what combines them, with one more behind those of a patchset: SQLite looks at it, to
  /// no effect, if the last change is that a row was deleted.
  func withCombinableBytes<T>(
    _ body: (_ count: Int32, _ bytes: UnsafeMutableRawPointer?) throws -> T
  ) throws -> T {
    let count = try SessionModule.count(of: bytes)
    return try unsafe (Format.isPatchset ? bytes + [0] : bytes).withUnsafeBytes { bytes in
      try unsafe body(count, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
  }
}

extension RecordedChanges where Format == Session.ChangesetFormat {
  /// The changes that undo these.
  ///
  /// The corresponding C function is `sqlite3changeset_invert`.
  public func inverted() throws -> RecordedChanges {
    try SessionModule.enter()
    let count = try SessionModule.count(of: bytes)
    return try unsafe bytes.withUnsafeBytes { bytes in
      let bytes = bytes.baseAddress
      return RecordedChanges(
        written: try unsafe SessionModule.bytes { size, result in
          try SessionModule.check(unsafe sluice_changeset_invert(count, bytes, size, result))
        })
    }
  }
}

extension RecordedChanges {
  /// Gives each change to `body`, in the order in which they are recorded.
  ///
  /// Text that is not UTF-8 throws ``ResultCode/mismatch``; such a change can be applied all the same.
  ///
  /// The corresponding C function is `sqlite3changeset_next`.
  public func forEachChange(_ body: (_ change: Changeset.Change) throws -> Void) throws {
    try SessionModule.enter()
    let count = try SessionModule.count(of: bytes)
    try unsafe bytes.withUnsafeBytes { bytes in
      let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      var iterator: OpaquePointer?
      try SessionModule.check(unsafe sluice_changeset_start_v2(&iterator, count, start, 0))
      try unsafe readAll(iterator, body)
    }
  }

  /// All changes, in the order in which they are recorded.
  public func changes() throws -> [Changeset.Change] {
    var changes: [Changeset.Change] = []
    try forEachChange { changes.append($0) }
    return changes
  }
}

extension RecordedChanges where Format == Session.ChangesetFormat {
  /// Gives what undoes each change to `body`, in the order in which they are recorded.
  public func forEachInvertedChange(_ body: (_ change: Changeset.Change) throws -> Void) throws {
    try inverted().forEachChange(body)
  }
}

/// The flags `SQLITE_CHANGESETSTART_INVERT` and `SQLITE_CHANGESETAPPLY_INVERT`.
let invertFlag: Int32 = 2

/// Gives all changes of an iterator of SQLite's to `body`, and lets go of the iterator.
func readAll(_ iterator: OpaquePointer?, _ body: (Changeset.Change) throws -> Void) throws {
  guard let iterator = unsafe iterator else { throw SQLiteError(.noMemory, "No memory") }
  do {
    var code = unsafe sluice_changeset_next(iterator)
    while code == SQLITE_ROW {
      try unsafe body(Changeset.Change(at: iterator))
      code = unsafe sluice_changeset_next(iterator)
    }
    guard code == SQLITE_DONE else { throw unsafe SQLiteError(code, of: nil) }
  } catch {
    unsafe sluice_changeset_finalize(iterator)
    throw error
  }
  try SessionModule.check(unsafe sluice_changeset_finalize(iterator))
}
