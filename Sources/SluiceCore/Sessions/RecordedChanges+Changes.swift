extension RecordedChanges {
  /// Creates recorded changes from individual changes.
  ///
  /// ```swift
  /// try other.apply(Changeset(changes: [insertion, update, deletion]))
  /// ```
  ///
  /// Several changes to one row are combined, in their order, as ``RecordedChanges/Group`` combines them.
  ///
  /// A ``Changeset`` throws ``ResultCode/mismatch`` if a change lacks old values, such as one from a ``Patchset``. Throws
  /// ``ResultCode/schema`` if changes describe the columns of a table differently, ``ResultCode/corrupt`` if a value of a
  /// key is NaN, and ``ResultCode/range`` if a change has more than 65,536 columns.
  ///
  /// The corresponding C function is `sqlite3changegroup_add_change`. This initializer does not call it, so it works with
  /// every version of SQLite.
  public init(changes: some Sequence<Changeset.Change>) throws {
    var writer = ChangesWriter(isPatchset: Format.isPatchset)
    for change in changes { try writer.append(change) }
    let group = try Group()
    // The changes can come from an untrusted source.
    try group.add(RecordedChanges(bytes: writer.bytes))
    self = try group.output()
  }

  /// Returns the changes for which a closure returns true.
  ///
  /// ```swift
  /// let direct = try changeset.filter { change in !change.isIndirect }
  /// ```
  ///
  /// `apply` itself can only filter by table. Throws ``ResultCode/mismatch`` for text that is not UTF-8. The order of the
  /// tables can change.
  ///
  /// The corresponding C function is `sqlite3changeset_apply_v3`. This method does not call it, so it works with every
  /// version of SQLite.
  public func filter(
    _ isIncluded: (_ change: Changeset.Change) throws -> Bool
  ) throws -> RecordedChanges {
    try RecordedChanges(changes: changes().filter(isIncluded))
  }
}
