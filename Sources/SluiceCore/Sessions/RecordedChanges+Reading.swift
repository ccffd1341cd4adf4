import CSluice

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

/// What SQLite calls `SQLITE_CHANGESETSTART_INVERT` and `SQLITE_CHANGESETAPPLY_INVERT`.
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
