import CSluice

extension Changeset {
  /// Options for applying a ``Changeset`` or a ``Patchset``.
  public struct ApplyOptions: OptionSet, Hashable, Sendable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Changes that were applied before a failure remain until the caller undoes them.
    ///
    /// Applying with this option requires a transaction, and throws ``ResultCode/misuse`` without one.
    ///
    /// The corresponding C value is `SQLITE_CHANGESETAPPLY_NOSAVEPOINT`.
    public static let keepsPart = ApplyOptions(rawValue: 1)
    /// Changes that would have no effect cause no conflict.
    ///
    /// Such a change deletes a row that does not exist, or sets values that the row already has.
    ///
    /// Throws ``ResultCode/notFound`` if SQLite is older than 3.44.
    ///
    /// The corresponding C value is `SQLITE_CHANGESETAPPLY_IGNORENOOP`.
    public static let ignoresWhatIsDone = ApplyOptions(rawValue: 4)
    /// Foreign keys are only checked; their actions do not delete or change rows.
    ///
    /// Throws ``ResultCode/notFound`` if SQLite is older than 3.44.
    ///
    /// The corresponding C value is `SQLITE_CHANGESETAPPLY_FKNOACTION`.
    public static let withoutForeignKeyActions = ApplyOptions(rawValue: 8)
  }
}

extension Connection {
  /// Applies a changeset to the main database: all changes, or none if this method throws.
  ///
  /// ```swift
  /// let rebase = try connection.apply(changeset) { conflict in
  ///   switch conflict {
  ///   case .data, .conflict: .replace
  ///   case .notFound: .omit
  ///   case .constraint, .foreignKeys: .abort
  ///   }
  /// } filter: { table in
  ///   table != "log"
  /// }
  /// ```
  ///
  /// Tables are identified by their names. `filter` is called once for each table, and returns whether to apply
  /// the changes to this table. A table that is missing, has fewer columns than in the changeset, or has a different
  /// primary key is skipped without an error. If a change cannot be applied as recorded, `onConflict` returns how to
  /// resolve the conflict. By default, the first conflict undoes all changes, and is thrown as an error.
  ///
  /// Both closures can use the connection, but they can neither close it nor end the transaction. If a closure
  /// throws an error, all changes are undone, and the error is rethrown. The same applies to an error that a hook
  /// throws, such as the closure of ``onUpdate(_:)``; such an error also rolls back the surrounding transaction.
  ///
  /// If `inverted` is true, this method applies the inverse of the changeset, which undoes its changes. Throws
  /// ``ResultCode/constraintPrimaryKey`` if there is none, as ``RecordedChanges/inverted()`` explains.
  ///
  /// Use a filter for untrusted changes, because they can write to any table and fire triggers.
  ///
  /// - Returns: The resolutions of the conflicts, for a ``Rebaser``.
  ///
  /// The corresponding C function is `sqlite3changeset_apply_v2`.
  @discardableResult
  public func apply(
    _ changeset: Changeset, inverted: Bool = false, options: Changeset.ApplyOptions = [],
    onConflict: (_ conflict: Changeset.Conflict) throws -> Changeset.Conflict.Resolution = { _ in
      .abort
    },
    filter: (_ table: String) throws -> Bool = { _ in true }
  ) throws -> Changeset.Rebase {
    let changeset = inverted ? try changeset.inverted() : changeset
    return try applying(options, false, filter, onConflict) { try $0.apply(changeset.bytes) }
  }

  /// Applies a patchset to the main database: all changes, or none if this method throws.
  ///
  /// A row whose values have changed since the recording causes no conflict, because a patchset contains no old
  /// values. In all other respects, this method behaves like the overload for changesets.
  public func apply(
    _ patchset: Patchset, options: Changeset.ApplyOptions = [],
    onConflict: (_ conflict: Changeset.Conflict) throws -> Changeset.Conflict.Resolution = { _ in
      .abort
    },
    filter: (_ table: String) throws -> Bool = { _ in true }
  ) throws {
    _ = try applying(options, false, filter, onConflict) { try $0.apply(patchset.bytes) }
  }

  /// Applies a changeset that arrives in chunks: all changes, or none if this method throws.
  ///
  /// The corresponding C function is `sqlite3changeset_apply_v2_strm`.
  @discardableResult
  public func apply(
    _ changes: Changeset.Stream, inverted: Bool = false, options: Changeset.ApplyOptions = [],
    onConflict: (_ conflict: Changeset.Conflict) throws -> Changeset.Conflict.Resolution = { _ in
      .abort
    },
    filter: (_ table: String) throws -> Bool = { _ in true }
  ) throws -> Changeset.Rebase {
    try applying(options, inverted, filter, onConflict) { try $0.apply(changes) }
  }

  /// Applies a patchset that arrives in chunks: all changes, or none if this method throws.
  public func apply(
    _ changes: Patchset.Stream, options: Changeset.ApplyOptions = [],
    onConflict: (_ conflict: Changeset.Conflict) throws -> Changeset.Conflict.Resolution = { _ in
      .abort
    },
    filter: (_ table: String) throws -> Bool = { _ in true }
  ) throws {
    _ = try applying(options, false, filter, onConflict) { try $0.apply(changes) }
  }

  private func applying(
    _ options: Changeset.ApplyOptions, _ inverted: Bool,
    _ filter: (String) throws -> Bool,
    _ onConflict: (Changeset.Conflict) throws -> Changeset.Conflict.Resolution,
    _ apply: (ChangesetApplier) throws -> [UInt8]
  ) throws -> Changeset.Rebase {
    try requireLocal(.changesets)
    _ = try unsafe handle()
    try SessionModule.enter()
    if !options.isDisjoint(with: [.ignoresWhatIsDone, .withoutForeignKeyActions]),
      SQLiteLibrary.versionNumber < 3_044_000
    {
      throw SQLiteError(
        .notFound, "The linked SQLite \(SQLiteLibrary.version) is too old for these options")
    }
    return try withoutActuallyEscaping(filter) { filter in
      try withoutActuallyEscaping(onConflict) { onConflict in
        let application = ChangesetApplier(self, options, inverted, filter, onConflict)
        let bytes = try inScope(of: application) { try apply(application) }
        return Changeset.Rebase(written: bytes)
      }
    }
  }

  /// Runs `body` in a new transaction or savepoint; with the option `keepsPart`, in the transaction that must be open.
  private func inScope<T>(of application: ChangesetApplier, _ body: () throws -> T) throws -> T {
    guard !application.options.contains(.keepsPart) else {
      try refuseStatements()
      guard !isInAutocommit else {
        throw SQLiteError(
          .misuse, "The option keepsPart needs an open transaction")
      }
      do { return try body() } catch {
        noteEnd(after: error)
        throw error
      }
    }
    // A deferred transaction would read first, and might have to be restarted when it writes.
    let scope: TransactionScope = try begin(.immediate)
    do {
      let value = try body()
      try end(scope, .commit)
      return value
    } catch {
      noteEnd(after: error)
      abandon(scope)
      state.settle()
      throw error
    }
  }
}

/// An application of changes to a connection.
final class ChangesetApplier {
  let connection: Connection
  let options: Changeset.ApplyOptions
  private let inverted: Bool
  private let filter: (String) throws -> Bool
  private let onConflict: (Changeset.Conflict) throws -> Changeset.Conflict.Resolution
  /// The error that a closure threw, or the reason why its decision was rejected.
  private var failure: (any Error)?

  init(
    _ connection: Connection, _ options: Changeset.ApplyOptions, _ inverted: Bool,
    _ filter: @escaping (String) throws -> Bool,
    _ onConflict: @escaping (Changeset.Conflict) throws -> Changeset.Conflict.Resolution
  ) {
    self.connection = connection
    self.options = options
    self.inverted = inverted
    self.filter = filter
    self.onConflict = onConflict
  }

  /// Applies changes, and returns the resolutions of conflicts.
  func apply(_ bytes: [UInt8]) throws -> [UInt8] {
    let size = try SessionModule.count(of: bytes)
    return try unsafe bytes.withUnsafeBytes { bytes in
      let bytes = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      return try unsafe run { handle, me, rebase, count in
        unsafe sluice_changeset_apply_v2(
          handle, size, bytes, Self.isIncluded, Self.resolve, me, rebase, count, flags)
      }
    }
  }

  /// Applies changes that arrive in chunks, and returns the resolutions of conflicts.
  func apply<Format: Session.Format>(_ changes: RecordedChanges<Format>.Stream) throws -> [UInt8] {
    let input = changes.input(inverted: inverted) { [unowned self] next in
      let chunk = try connection.state.within(.apply, next)
      try refuseEndOfTransaction()
      return chunk
    }
    return try withExtendedLifetime(input) { try apply(input) }
  }

  private func apply(_ input: ChangesInput) throws -> [UInt8] {
    try unsafe run(input) { handle, me, rebase, count in
      unsafe sluice_changeset_apply_v2_strm(
        handle, ChangesInput.read, input.pointer, Self.isIncluded, Self.resolve, me, rebase, count,
        flags)
    }
  }

  /// The flags for SQLite, which always include two of them.
  ///
  /// One prevents SQLite's own savepoint, which SQL statements could end, because its name is known. Unless the caller has
  /// set `keepsPart`, `inScope` creates a scope instead. The other one, `SQLITE_CHANGESETAPPLY_NOUPDATELOOP`, keeps SQLite
  /// from deleting and inserting rows that exchange unique values, which would delete the rows that refer to them. Versions
  /// before 3.53.2 ignore it.
  private var flags: Int32 {
    options.union(.keepsPart).rawValue | 0x10 | (inverted ? invertFlag : 0)
  }

  private func run(
    _ input: ChangesInput? = nil,
    _ call: (
      OpaquePointer, UnsafeMutableRawPointer,
      UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafeMutablePointer<Int32>
    ) -> Int32
  ) throws -> [UInt8] {
    let handle = try unsafe connection.handle()
    let state = connection.state
    return try unsafe SessionModule.bytes { count, rebase in
      state.writes.begin()
      // Some versions of SQLite retry a change only if its code is the primary one.
      unsafe sqlite3_extended_result_codes(handle, 0)
      let primary = state.calling {
        unsafe call(handle, Unmanaged.passUnretained(self).toOpaque(), rebase, count)
      }
      unsafe sqlite3_extended_result_codes(handle, 1)
      let code = unsafe extendedCode(primary, of: handle)
      state.writes.end()
      defer { state.settle() }
      // Throw a hook's veto before a closure's error: after the error of a closure, SQLite changes no more rows,
      // so the veto occurred first.
      if state.hasUnheardVeto { throw connection.undoVetoed() }
      let reported = connection.failure(code)
      // The error of a closure or stream made SQLite stop, and caused the error that SQLite reports.
      if let failure = failure ?? input?.failure { throw failure }
      if case .broken(let failure) = state.scopeState { throw failure }
      guard code == SQLITE_OK else { throw reported }
      try refuseEndOfTransaction()
    }
  }

  private static let isIncluded: sluice_table_filter = { me, table in
    let me = unsafe Unmanaged<ChangesetApplier>.fromOpaque(me!).takeUnretainedValue()
    guard me.failure == nil, let table = unsafe table else { return 0 }
    do {
      let answer = try me.connection.state.within(.apply) {
        try unsafe me.filter(String(cString: table))
      }
      try me.refuseEndOfTransaction()
      return answer ? 1 : 0
    } catch {
      // The filter cannot report an error to SQLite, which continues with other tables. Their changes are undone
      // at the end.
      me.failure = error
      return 0
    }
  }

  private static let resolve: sluice_conflict = { me, kind, iterator in
    let me = unsafe Unmanaged<ChangesetApplier>.fromOpaque(me!).takeUnretainedValue()
    guard me.failure == nil, let iterator = unsafe iterator else {
      return Changeset.Conflict.Resolution.abort.code
    }
    do {
      return try me.resolution(of: unsafe Changeset.Conflict(kind, at: iterator)).code
    } catch {
      me.failure = error
      return Changeset.Conflict.Resolution.abort.code
    }
  }

  private func resolution(of conflict: Changeset.Conflict) throws -> Changeset.Conflict.Resolution {
    let resolution = try connection.state.within(.apply) { try onConflict(conflict) }
    try refuseEndOfTransaction()
    switch resolution {
    case .abort:
      let isForeignKey = conflict.change == nil
      throw SQLiteError(isForeignKey ? .constraintForeignKey : .abort, "\(conflict)")
    case .replace where !conflict.canReplace:
      throw SQLiteError(.misuse, "There is no row to replace. \(conflict)")
    case .replace, .omit: return resolution
    }
  }

  /// Throws if a closure has ended the transaction.
  ///
  /// Outside a transaction, SQLite would commit each later change separately.
  private func refuseEndOfTransaction() throws {
    if case .broken(let failure) = connection.state.scopeState { throw failure }
    guard connection.isInAutocommit else { return }
    throw SQLiteError(.misuse, "A closure ended the transaction in which the changes are applied")
  }
}
