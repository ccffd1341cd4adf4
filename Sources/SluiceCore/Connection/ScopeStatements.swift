import CSluice

/// The statements that begin and end scopes, which a connection compiles once.
///
/// One that runs is not here: what SQLite calls in the middle of a commit can run a transaction of its own.
@safe struct ScopeStatements {
  /// By their place.
  private var statements: [OpaquePointer?] = unsafe []
  /// How many databases those lock that lock any.
  private var databaseCounts: (immediate: Int32, exclusive: Int32) = (0, 0)

  func has(_ step: ScopeStep) -> Bool {
    unsafe step.place < statements.count && statements[step.place] != nil
  }

  /// Takes the statement for a step, if there is one.
  @inline(__always)
  mutating func take(_ step: ScopeStep) -> OpaquePointer? {
    guard unsafe step.place < statements.count, let statement = unsafe statements[step.place] else {
      return nil
    }
    unsafe statements[step.place] = nil
    return unsafe statement
  }

  /// Puts a statement where it is taken from; false if there is one.
  @inline(__always)
  mutating func put(_ statement: OpaquePointer, for step: ScopeStep) -> Bool {
    if unsafe step.place >= statements.count { makePlace(for: step) }
    guard unsafe statements[step.place] == nil else { return false }
    unsafe statements[step.place] = statement
    return true
  }

  @inline(never)
  private mutating func makePlace(for step: ScopeStep) {
    while unsafe statements.count <= step.place { unsafe statements.append(nil) }
  }

  /// Finalizes the statements of a scope that is deep inside of others, of which there is no end.
  @inline(__always)
  mutating func leave(_ depth: Int) {
    if depth >= 8 { removeAll(from: ScopeStep.savepoint(depth).place) }
  }

  mutating func removeAll() { removeAll(from: 0) }

  @inline(never)
  private mutating func removeAll(from place: Int) {
    while unsafe statements.count > place { unsafe sqlite3_finalize(statements.removeLast()) }
  }
}

extension ScopeStatements {
  /// Takes note of the databases for which a statement is compiled.
  mutating func noteDatabases(of connection: OpaquePointer, for step: ScopeStep) {
    var count: Int32 = 0
    while unsafe sluice_db_name(connection, count) != nil { count += 1 }
    if step == .begin(.immediate) {
      databaseCounts.immediate = count
    } else {
      databaseCounts.exclusive = count
    }
  }

  /// Whether there are as many databases as those for which the statement was compiled.
  ///
  /// SQLite by itself has all statements compiled anew when a database is detached, but not when one is
  /// attached. What it cannot tell is compiled each time.
  func knowsDatabases(of connection: OpaquePointer, for step: ScopeStep) -> Bool {
    let count = step == .begin(.immediate) ? databaseCounts.immediate : databaseCounts.exclusive
    return unsafe count > 0 && sluice_db_name(connection, count - 1) != nil
      && sluice_db_name(connection, count) == nil
  }
}
