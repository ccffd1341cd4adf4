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
