import CSQLite
import CSluice

/// The statements that begin and end scopes, which a connection compiles once.
///
/// One that runs is not here: what SQLite calls in the middle of a commit can run a transaction of its own.
@safe struct ScopeStatements {
  private var begins:
    (deferred: OpaquePointer?, immediate: OpaquePointer?, exclusive: OpaquePointer?)
  private var commit: OpaquePointer?
  private var rollback: OpaquePointer?
  /// Three for each depth.
  private var savepoints: [OpaquePointer?] = unsafe []
  /// How many databases those lock that lock any.
  private var databaseCounts: (immediate: Int32, exclusive: Int32) = (0, 0)

  private subscript(step: ScopeStep) -> OpaquePointer? {
    @inline(__always) get {
      switch step {
      case .begin(.deferred): unsafe begins.deferred
      case .begin(.immediate): unsafe begins.immediate
      case .begin(.exclusive): unsafe begins.exclusive
      case .commit: unsafe commit
      case .rollback: unsafe rollback
      case .savepoint(let depth): unsafe savepoint(3 * depth)
      case .release(let depth): unsafe savepoint(3 * depth + 1)
      case .rollBackTo(let depth): unsafe savepoint(3 * depth + 2)
      }
    }
    @inline(__always) set {
      switch step {
      case .begin(.deferred): unsafe begins.deferred = newValue
      case .begin(.immediate): unsafe begins.immediate = newValue
      case .begin(.exclusive): unsafe begins.exclusive = newValue
      case .commit: unsafe commit = newValue
      case .rollback: unsafe rollback = newValue
      case .savepoint(let depth): unsafe setSavepoint(3 * depth, newValue)
      case .release(let depth): unsafe setSavepoint(3 * depth + 1, newValue)
      case .rollBackTo(let depth): unsafe setSavepoint(3 * depth + 2, newValue)
      }
    }
  }

  private func savepoint(_ index: Int) -> OpaquePointer? {
    unsafe index < savepoints.count ? savepoints[index] : nil
  }

  private mutating func setSavepoint(_ index: Int, _ statement: OpaquePointer?) {
    while unsafe savepoints.count <= index { unsafe savepoints.append(nil) }
    unsafe savepoints[index] = statement
  }

  func has(_ step: ScopeStep) -> Bool { unsafe self[step] != nil }

  /// Takes the statement for a step, if there is one.
  @inline(__always)
  mutating func take(_ step: ScopeStep) -> OpaquePointer? {
    guard let statement = unsafe self[step] else { return nil }
    unsafe self[step] = nil
    return unsafe statement
  }

  /// Puts a statement where it is taken from; false if there is one.
  @inline(__always)
  mutating func put(_ statement: OpaquePointer, for step: ScopeStep) -> Bool {
    guard unsafe self[step] == nil else { return false }
    unsafe self[step] = statement
    return true
  }

  /// Finalizes the statements of a scope that is deep inside of others, of which there is no end.
  @inline(__always)
  mutating func leave(_ depth: Int) {
    if depth >= 8 { removeSavepoints(from: depth) }
  }

  @inline(never)
  private mutating func removeSavepoints(from depth: Int) {
    while unsafe savepoints.count > 3 * depth { unsafe sqlite3_finalize(savepoints.removeLast()) }
  }

  mutating func removeAll() {
    for step in ScopeStep.outermost { unsafe sqlite3_finalize(take(step)) }
    removeSavepoints(from: 0)
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
