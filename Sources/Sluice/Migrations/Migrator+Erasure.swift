import SluiceCore

extension Migrator {
  /// Erases a database whose history or schema contradicts the migrations, and returns whether it has been erased.
  func eraseIfOutdated(_ connection: Connection) throws -> Bool {
    guard erasesOnSchemaChange, try isOutdated(connection) else { return false }
    return try connection.restoringSwitches(.unchecked) { _ in
      try connection.transaction(.immediate) { connection in
        // Another connection may have erased and migrated the database in the meantime.
        guard try isOutdated(connection) else { return false }
        try connection.dropAll()
        return true
      }
    }
  }

  private func isOutdated(_ connection: Connection) throws -> Bool {
    try connection.savepoint { connection in
      switch try contradictions(in: connection) {
      case .unknown: return false
      case .inHistory: return true
      case .none: break
      }
      // An error shows that the migrations cannot be tried on an empty database, not that they were edited.
      guard let differences = try? drift(on: connection) else { return false }
      return differences.contains { difference in
        // The program, or another migrator, may have created objects that no migration creates.
        if case .unexpected = difference { false } else { true }
      }
    }
  }
}

extension Connection {
  /// Drops all objects of the main database, and sets the numbers of its header to 0.
  fileprivate func dropAll() throws {
    func drop(_ kind: TableInfo.Kind) throws {
      // SQLite drops the tables in which a virtual table stores its data.
      for table in try tables() where table.kind == kind && !table.name.isOfSQLite {
        let object: SQL = kind == .view ? "VIEW" : "TABLE"
        try execute("DROP \(object) main.\(identifier: table.name)")
      }
    }
    for kind in [TableInfo.Kind.view, .virtual, .table, .shadow] { try drop(kind) }
    try setUserVersion(0)
    try setApplicationID(0)
  }
}

extension String {
  fileprivate var isOfSQLite: Bool { lowercased().hasPrefix("sqlite_") }
}
