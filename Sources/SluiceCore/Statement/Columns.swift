import CSQLite

/// The columns that a statement returns, read once and again only when SQLite prepared it anew.
struct Columns {
  private(set) var count: Int
  private var names: [String]?
  private var namesDiffer = true
  private var guess = 0
  private var version: Int32

  init(of statement: OpaquePointer) {
    count = Int(unsafe sqlite3_column_count(statement))
    version = unsafe Self.version(of: statement)
  }

  /// Forgets what a change of the schema made untrue.
  mutating func refresh(from statement: OpaquePointer) {
    if unsafe Self.version(of: statement) != version { unsafe self = Columns(of: statement) }
  }

  /// Sets SQLite's count of preparations back to zero, by which this knows whether it is up to date.
  mutating func resetVersion(of statement: OpaquePointer) {
    unsafe refresh(from: statement)
    unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 1)
    version = 0
  }

  mutating func names(of statement: OpaquePointer?) -> [String] {
    if let names { return names }
    guard let statement = unsafe statement else { return [] }
    let read = (0..<Int32(truncatingIfNeeded: count)).map { index in
      // A name is NULL only if memory is short.
      unsafe sqlite3_column_name(statement, index).map { unsafe String(cString: $0) } ?? ""
    }
    names = read
    namesDiffer = Set(read).count == read.count
    return read
  }

  /// The first column of this name, looked for where it most likely is: behind the last one.
  mutating func index(named name: String, of statement: OpaquePointer?) -> Int? {
    let names = unsafe names(of: statement)
    if namesDiffer, guess < names.count, names[guess].isIdentical(to: name) {
      guess += 1
      return guess - 1
    }
    guard let index = names.firstIndex(where: { $0.isIdentical(to: name) }) else { return nil }
    guess = index + 1 == names.count ? 0 : index + 1
    return index
  }

  /// How often SQLite had to prepare the statement again.
  private static func version(of statement: OpaquePointer) -> Int32 {
    unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0)
  }
}
