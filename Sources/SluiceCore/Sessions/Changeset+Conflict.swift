import CSluice

extension Changeset {
  /// The reason why a change of a ``Changeset`` or a ``Patchset`` cannot be applied as it was recorded.
  ///
  /// Text that is not UTF-8 is a blob of its bytes in the values of a conflict. Applying or replacing a row keeps it text.
  public enum Conflict: Hashable, Sendable {
    /// The row that is to be updated or deleted has other values than the change found: `row`.
    case data(Changeset.Change, row: [DatabaseValue])
    /// There is no row that could be updated or deleted.
    case notFound(Changeset.Change)
    /// There is a row with the key of the one that is to be inserted: `row`.
    case conflict(Changeset.Change, row: [DatabaseValue])
    /// The change would break a constraint of the table.
    case constraint(Changeset.Change)
    /// All changes have been applied, and have left rows that refer to what is not there.
    ///
    /// It comes once, at the end, if foreign keys are enforced. To omit it commits them as they are.
    case foreignKeys(violations: Int)

    /// The change, but for foreign keys, which belong to no single one.
    public var change: Changeset.Change? {
      switch self {
      case .data(let change, _), .notFound(let change), .conflict(let change, _),
        .constraint(let change):
        change
      case .foreignKeys: nil
      }
    }

    /// The row that is in the way, with the columns of the change, if there is one.
    public var row: [DatabaseValue]? {
      switch self {
      case .data(_, let row), .conflict(_, let row): row
      case .notFound, .constraint, .foreignKeys: nil
      }
    }

    /// Whether the row that is in the way can be replaced: only if there is one.
    public var canReplace: Bool { row != nil }
  }
}

extension Changeset.Conflict: CustomStringConvertible {
  /// The conflict in a sentence.
  public var description: String {
    switch self {
    case .data(let change, _): "A row of \(change.table) has changed: \(change)"
    case .notFound(let change): "A row of \(change.table) is missing: \(change)"
    case .conflict(let change, _): "A row of \(change.table) already exists: \(change)"
    case .constraint(let change): "A constraint of \(change.table) is broken: \(change)"
    case .foreignKeys(let violations): "\(violations) foreign keys are violated"
    }
  }
}

extension Changeset.Conflict {
  /// The answer to a change that cannot be applied as it was recorded.
  public enum Resolution: Hashable, Sendable, CaseIterable {
    /// The change is left out.
    case omit
    /// The row that is in the way is replaced, or deleted if that is the change.
    ///
    /// If there is none, that is ``ResultCode/misuse``: see ``RecordedChanges/Conflict/canReplace``.
    case replace
    /// Nothing is applied at all, and the conflict is thrown as ``ResultCode/abort``, or as
    /// ``ResultCode/constraintForeignKey``.
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
  /// The conflict for which SQLite calls, with a kind of its own and an iterator.
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
      // The iterator answers no other question about foreign keys.
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
