import CSluice

extension Changeset {
  /// The reason why a change in a ``Changeset`` or a ``Patchset`` cannot be applied as recorded.
  ///
  /// In the values of a conflict, a blob represents text that is not UTF-8. If the change is applied nevertheless,
  /// the row contains the original text, not a blob.
  public enum Conflict: Hashable, Sendable {
    /// The values of the row to update or delete differ from the recorded ones; `row` contains its current values.
    case data(Changeset.Change, row: [DatabaseValue])
    /// The row to update or delete does not exist.
    case notFound(Changeset.Change)
    /// A row with the same key as the row to insert already exists; `row` contains the values of the existing row.
    case conflict(Changeset.Change, row: [DatabaseValue])
    /// The change would violate a constraint of the table.
    case constraint(Changeset.Change)
    /// All changes have been applied, but some foreign keys refer to missing rows.
    ///
    /// This conflict occurs once, at the end, if foreign keys are enforced. The resolution `omit` commits the
    /// changes despite the violations.
    case foreignKeys(violations: Int)

    /// The change; nil for a foreign key conflict, which concerns no single change.
    public var change: Changeset.Change? {
      switch self {
      case .data(let change, _), .notFound(let change), .conflict(let change, _),
        .constraint(let change):
        change
      case .foreignKeys: nil
      }
    }

    /// The values of the conflicting row in the database, for the same columns as the change; nil if there is none.
    public var row: [DatabaseValue]? {
      switch self {
      case .data(_, let row), .conflict(_, let row): row
      case .notFound, .constraint, .foreignKeys: nil
      }
    }

    /// Whether there is a conflicting row, which the change can replace.
    public var canReplace: Bool { row != nil }
  }
}

extension Changeset.Conflict: CustomStringConvertible {
  /// A sentence that describes the conflict.
  public var description: String {
    switch self {
    case .data(let change, _): "A row of \(change.table) has changed: \(change)"
    case .notFound(let change): "A row of \(change.table) is missing: \(change)"
    case .conflict(let change, _): "A row of \(change.table) already exists: \(change)"
    case .constraint(let change): "A constraint of \(change.table) is violated: \(change)"
    case .foreignKeys(let violations): "\(violations) foreign keys are violated"
    }
  }
}

extension Changeset.Conflict {
  /// The ways to resolve a conflict.
  public enum Resolution: Hashable, Sendable, CaseIterable {
    /// The change is skipped.
    case omit
    /// The conflicting row is replaced, or deleted if the change is a deletion.
    ///
    /// If there is no conflicting row, `apply` throws ``ResultCode/misuse``: see
    /// ``RecordedChanges/Conflict/canReplace``.
    case replace
    /// All changes are undone, and the conflict is thrown as an error.
    ///
    /// The error code is ``ResultCode/constraintForeignKey`` for foreign keys, and ``ResultCode/abort``
    /// otherwise.
    case abort

    var code: Int32 {
      switch self {
      case .omit: 0
      case .replace: 1
      case .abort: 2
      }
    }
  }
}

extension Changeset.Conflict {
  /// Creates a conflict of the kind that SQLite numbers `kind`, for the change at the iterator's position.
  init(_ kind: Int32, at iterator: OpaquePointer) throws {
    switch kind {
    case 1:
      self = try .data(
        unsafe Changeset.Change(at: iterator, isRepaired: true), row: unsafe Self.row(at: iterator))
    case 2: self = try .notFound(unsafe Changeset.Change(at: iterator, isRepaired: true))
    case 3:
      self = try .conflict(
        unsafe Changeset.Change(at: iterator, isRepaired: true), row: unsafe Self.row(at: iterator))
    case 4: self = try .constraint(unsafe Changeset.Change(at: iterator, isRepaired: true))
    case 5:
      // For foreign keys, this function is the only one that may be called with the iterator.
      var count: Int32 = 0
      try SessionModule.check(unsafe sluice_changeset_fk_conflicts(iterator, &count))
      self = .foreignKeys(violations: Int(count))
    default:
      throw SQLiteError(.misuse, "The linked SQLite reports an unknown kind of conflict: \(kind)")
    }
  }

  private static func row(at iterator: OpaquePointer) throws -> [DatabaseValue] {
    var count: Int32 = 0
    var keys: UnsafeMutablePointer<UInt8>?
    try SessionModule.check(unsafe sluice_changeset_pk(iterator, &keys, &count))
    return try unsafe Changeset.Change.values(0..<Int(count), "The present value", isRepaired: true)
    {
      unsafe sluice_changeset_conflict(iterator, $0, $1)
    }.map { $0 ?? .null }
  }
}
