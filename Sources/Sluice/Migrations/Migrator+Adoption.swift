import SluiceCore

extension Migrator {
  /// The record of migrations that another library keeps in a database.
  public enum AdoptedRecord: Hashable, Sendable {
    /// The table `grdb_migrations` of GRDB, which holds the names of the migrations that are done.
    case grdb
    /// The table `_fluent_migrations` of Fluent, Vapor's library, which holds names as well.
    ///
    /// A name is that of the migration's type, with its module, unless the type gives another one:
    /// `App.CreatePerson`.
    case fluent
    /// The `user_version`: if it is n, the first n migrations are done. Pipeline, Restructure and many
    /// programs count this way.
    case userVersion

    /// The table of the record; nil for `user_version`.
    var table: String? {
      switch self {
      case .grdb: "grdb_migrations"
      case .fluent: "_fluent_migrations"
      case .userVersion: nil
      }
    }
  }

  /// The number of migrations that are done according to the record of another library.
  func adoptedCount(on connection: Connection) throws -> Int {
    let isCounting = userVersion == .kept || adopting == .userVersion
    let version = isCounting ? try connection.userVersion : 0
    if adopting == .userVersion, version > 0 {
      guard version <= migrations.count else {
        throw MigrationError.fromTheFuture(
          MigrationStep(number: migrations.count + 1, name: "", checksum: nil))
      }
      return Int(version)
    }
    guard version == 0 else { throw MigrationError.unrecorded(userVersion: version) }
    return try count(of: adoptedNames(on: connection))
  }

  /// The names in the record of another library, in the order in which they were written.
  private func adoptedNames(on connection: Connection) throws -> [String] {
    guard let table = adopting?.table, try connection.hasTable(table) else { return [] }
    return try connection.query(
      .column(.string),
      adopting == .grdb
        ? "SELECT identifier FROM main.grdb_migrations ORDER BY rowid"
        : "SELECT name FROM main._fluent_migrations ORDER BY batch, rowid")
  }

  /// The number of migrations with these names, which have to be the first ones of the list.
  private func count(of names: [String]) throws -> Int {
    let steps = steps
    var done: Set<Int> = []
    for (index, name) in names.enumerated() {
      guard !name.isEmpty, let place = steps.firstIndex(where: { $0.isNamed(name) }) else {
        throw MigrationError.unknown(MigrationStep(number: index + 1, name: name, checksum: nil))
      }
      done.insert(place)
    }
    // As many as there are have to be done from the first on.
    if let gap = (0..<done.count).first(where: { !done.contains($0) }) {
      throw MigrationError.missing(steps[gap])
    }
    return done.count
  }
}

extension MigrationStep {
  /// Whether this is its name, by bytes, which is how SQLite compares.
  func isNamed(_ name: String) -> Bool { self.name.utf8.elementsEqual(name.utf8) }
}

extension Connection {
  /// Whether the main database has something of this name.
  func hasTable(_ name: String) throws -> Bool {
    try first(
      .column(.int), "SELECT 1 FROM main.sqlite_schema WHERE name = \(name) COLLATE NOCASE") != nil
  }
}
