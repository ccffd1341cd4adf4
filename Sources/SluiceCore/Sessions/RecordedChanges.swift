import CSluice

/// Row changes that a ``Session`` has recorded, with old values.
public typealias Changeset = RecordedChanges<Session.ChangesetFormat>

/// Row changes that a ``Session`` has recorded, without old values.
///
/// A patchset is smaller than a ``Changeset``. It cannot be inverted or rebased, and applying it does not detect
/// whether others have changed a row.
public typealias Patchset = RecordedChanges<Session.PatchsetFormat>

/// Row changes that a ``Session`` has recorded, which can be stored, sent and applied elsewhere.
///
/// ```swift
/// let changeset = try session.changeset()
/// try other.apply(changeset) { conflict in
///   if case .data = conflict { .replace } else { .omit }
/// }
/// ```
///
/// Recorded changes are a ``Changeset`` or a ``Patchset``. They contain at most one change for each row. The
/// changes to one table are adjacent; their order is unspecified.
public struct RecordedChanges<Format: Session.Format>: Sendable {
  /// The changes in SQLite's format, which is the same on all machines.
  public let bytes: [UInt8]

  /// Creates changes from the ``bytes`` of recorded changes.
  ///
  /// Throws ``ResultCode/corrupt`` if the bytes are damaged, and ``ResultCode/mismatch`` if they are a patchset
  /// instead of a changeset, or the reverse. All bytes are validated here, because SQLite would trust them.
  /// Validation does not restrict the changes: untrusted changes can modify any table, unless a filter prevents
  /// this.
  public init(bytes: [UInt8]) throws {
    var check = ChangesCheck(Format.isPatchset ? .patchset : .changeset)
    try check.feed(bytes)
    try check.finish()
    self.bytes = bytes
  }

  /// Creates changes from bytes that SQLite has written.
  init(written bytes: [UInt8]) { self.bytes = bytes }

  /// Whether there are no changes.
  public var isEmpty: Bool {
    var check = ChangesCheck(Format.isPatchset ? .patchset : .changeset)
    // `feed` never throws for bytes that SQLite has written or that the initializer has validated.
    try? check.feed(bytes, upToFirstChange: true)
    return !check.hasChanges
  }
}

extension RecordedChanges: Hashable {
  public static func == (first: Self, second: Self) -> Bool { first.bytes == second.bytes }
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension RecordedChanges: CustomStringConvertible {
  /// The changes as human-readable SQL, one on each line.
  ///
  /// Columns have numbers instead of names, because names are not recorded. ``Connection/sql(for:schema:)``
  /// returns SQL with the names.
  public var description: String {
    var lines: [String] = []
    do { try forEachChange { lines.append("\($0)") } } catch { lines.append("-- \(error)") }
    return lines.joined(separator: "\n")
  }
}

extension RecordedChanges {
  /// Returns one set of changes that combines these changes with the later changes of `next`.
  ///
  /// The result has at most one change for each row; a row that was inserted and then deleted has none. Throws
  /// ``ResultCode/schema`` if a table has different columns in `next`.
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

  /// Calls `body` with bytes that can be combined; an additional byte, not counted in `count`, follows a patchset.
  ///
  /// If the last change of a patchset is a deletion, SQLite reads this byte, but ignores its value.
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
  /// Returns the inverse of these changes, which undoes them.
  ///
  /// Throws ``ResultCode/constraintPrimaryKey`` if a key became a value that SQLite considers equal, such as `'a'` that became
  /// `'A'` with the collation `NOCASE`. SQLite records this as an insertion and an update, and the inverse would delete the
  /// row.
  ///
  /// The corresponding C function is `sqlite3changeset_invert`.
  public func inverted() throws -> RecordedChanges {
    try SessionModule.enter()
    let count = try SessionModule.count(of: bytes)
    var check = ChangesCheck(.changeset, isInvertible: true)
    try check.feed(bytes)
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
  /// Calls `body` with each change, in the recorded order.
  ///
  /// Throws ``ResultCode/mismatch`` for text that is not UTF-8. A change with such text can still be applied.
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

  /// Returns all changes, in the recorded order.
  public func changes() throws -> [Changeset.Change] {
    var changes: [Changeset.Change] = []
    try forEachChange { changes.append($0) }
    return changes
  }
}

extension RecordedChanges where Format == Session.ChangesetFormat {
  /// Calls `body` with the inverse of each change, in the recorded order.
  public func forEachInvertedChange(_ body: (_ change: Changeset.Change) throws -> Void) throws {
    try inverted().forEachChange(body)
  }
}

/// The flags `SQLITE_CHANGESETSTART_INVERT` and `SQLITE_CHANGESETAPPLY_INVERT`.
let invertFlag: Int32 = 2

/// Calls `body` with each change of an SQLite iterator, and finalizes the iterator.
func readAll(_ iterator: OpaquePointer?, _ body: (Changeset.Change) throws -> Void) throws {
  guard let iterator = unsafe iterator else {
    throw SQLiteError(.noMemory, "Out of memory for an iterator of changes")
  }
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
