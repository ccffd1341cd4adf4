import CSQLite

/// The columns that a statement returns, read once and again only when SQLite prepared it anew.
final class Columns {
  private(set) var count = 0
  private var names: [String]?
  private var keys: [NameKey] = []
  /// Where the next name that is asked for most likely is: behind the last one.
  private var guess = 0
  /// How often SQLite had to prepare the statement again.
  private var version: Int32 = 0

  init(of statement: OpaquePointer) { unsafe read(statement) }

  /// Forgets what a change of the schema made untrue.
  func refresh(from statement: OpaquePointer) {
    if unsafe Self.version(of: statement) != version { unsafe read(statement) }
  }

  private func read(_ statement: OpaquePointer) {
    count = Int(unsafe sqlite3_column_count(statement))
    version = unsafe Self.version(of: statement)
    names = nil
    keys = []
    guess = 0
  }

  /// Sets SQLite's count of preparations back to zero, by which this knows whether it is up to date.
  func resetVersion(of statement: OpaquePointer) {
    unsafe refresh(from: statement)
    unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 1)
    version = 0
  }

  func names(of statement: OpaquePointer?) -> [String] {
    if let names { return names }
    guard let statement = unsafe statement else { return [] }
    let read = (0..<Int32(truncatingIfNeeded: count)).map { index in
      // A name is NULL only if memory is short.
      unsafe sqlite3_column_name(statement, index).map { unsafe String(cString: $0) } ?? ""
    }
    var keys = read.map(NameKey.init)
    // Of several columns with one name, only the first is ever found.
    if Set(keys).count < keys.count {
      for index in read.indices
      where read[..<index].contains(where: { $0.isIdentical(to: read[index]) }) {
        keys[index] = .none
      }
    }
    names = read
    self.keys = keys
    return read
  }

  /// The first column of this name.
  func index(named name: String, of statement: OpaquePointer?) -> Int? {
    let key = NameKey(name)
    let likely = guess < keys.count ? guess : 0
    if likely < keys.count, keys[likely] == key, key.isWhole {
      guess = likely + 1
      return likely
    }
    return unsafe search(name, key, statement)
  }

  @inline(never)
  private func search(_ name: String, _ key: NameKey, _ statement: OpaquePointer?) -> Int? {
    let names = unsafe names(of: statement)
    for index in names.indices where keys[index] == key {
      guard key.isWhole || names[index].isIdentical(to: name) else { continue }
      guess = index + 1
      return index
    }
    return nil
  }

  private static func version(of statement: OpaquePointer) -> Int32 {
    unsafe sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0)
  }
}
