import CSluice

/// One set of changes that is being applied.
final class Application {
  let connection: Connection
  let options: Changeset.ApplyOptions
  private let inverted: Bool
  private let filter: (String) throws -> Bool
  private let onConflict: (Changeset.Conflict) throws -> Changeset.Conflict.Resolution
  /// What a closure threw, or why its decision was refused.
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

  /// Applies changes, and returns how conflicts were resolved.
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

  /// Applies changes that come piece by piece, and returns how conflicts were resolved.
  func apply<Format: Session.Format>(_ changes: RecordedChanges<Format>.Stream) throws -> [UInt8] {
    let input = changes.input(inverted: inverted) { [unowned self] in try refuseEndOfTransaction() }
    return try withExtendedLifetime(input) { try apply(input) }
  }

  private func apply(_ input: ChangesInput) throws -> [UInt8] {
    try unsafe run(input) { handle, me, rebase, count in
      unsafe sluice_changeset_apply_v2_strm(
        handle, ChangesInput.read, input.pointer, Self.isIncluded, Self.resolve, me, rebase, count,
        flags)
    }
  }

  /// The scope around takes the place of SQLite's savepoint, whose name SQL could guess.
  private var flags: Int32 {
    options.union(.keepsPart).rawValue | (inverted ? invertFlag : 0)
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
      state.beginWrite()
      let code = state.calling {
        unsafe call(handle, Unmanaged.passUnretained(self).toOpaque(), rebase, count)
      }
      state.endWrite()
      defer { state.drainOutside() }
      // It came first: after a closure has thrown, SQLite changes no row.
      if state.hasUnheardVeto { throw connection.undoVetoed() }
      let reported = connection.failure(code)
      // The first error is the one that has stopped SQLite; what it reports comes from that.
      if let failure = failure ?? input?.failure { throw failure }
      if let failure = state.brokenScope { throw failure }
      guard code == SQLITE_OK else { throw reported }
      try refuseEndOfTransaction()
    }
  }

  private static let isIncluded: sluice_table_filter = { me, table in
    let me = unsafe Unmanaged<Application>.fromOpaque(me!).takeUnretainedValue()
    guard me.failure == nil, let table = unsafe table else { return 0 }
    do {
      let answer = try me.filter(unsafe String(cString: table))
      try me.refuseEndOfTransaction()
      return answer ? 1 : 0
    } catch {
      // There is no way to tell SQLite: the other tables go on, and are undone.
      me.failure = error
      return 0
    }
  }

  private static let resolve: sluice_conflict = { me, kind, iterator in
    let me = unsafe Unmanaged<Application>.fromOpaque(me!).takeUnretainedValue()
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
    let resolution = try onConflict(conflict)
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

  /// Without its transaction, SQLite would commit each of the changes that follow.
  private func refuseEndOfTransaction() throws {
    if let failure = connection.state.brokenScope { throw failure }
    guard connection.isInAutocommit else { return }
    throw SQLiteError(.misuse, "A closure has ended the transaction in which changes are applied")
  }
}
