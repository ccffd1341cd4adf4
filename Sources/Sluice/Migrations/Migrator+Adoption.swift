import SluiceCore

extension Migrator {
  /// A migration record that another library keeps in a database.
  public enum AdoptedRecord: Hashable, Sendable {
    /// GRDB's table `grdb_migrations`, which contains the names of the applied migrations.
    case grdb
    /// The table `_fluent_migrations` of Vapor's library Fluent, which also contains names.
    ///
    /// By default, the name of a migration is the name of its type, including the module, such as
    /// `App.CreatePerson`. A type can specify another name.
    case fluent
    /// The `user_version`: if its value is n, the first n migrations have been applied.
    ///
    /// Pipeline, Restructure and many programs use `user_version` in this way.
    case userVersion

    /// The name of the record's table; nil for `user_version`.
    var table: String? {
      switch self {
      case .grdb: "grdb_migrations"
      case .fluent: "_fluent_migrations"
      case .userVersion: nil
      }
    }
  }

  /// Returns the number of applied migrations according to the other library's record.
  func adoptedCount(on connection: Connection) throws -> Int {
    let isCounting = userVersion == .kept || adopting == .userVersion
    let version = isCounting ? try connection.userVersion : 0
    if adopting == .userVersion, version > 0 {
      guard version <= lastNumber else {
        throw MigrationError.fromTheFuture(
          MigrationStep(number: lastNumber + 1, name: "", checksum: nil))
      }
      try checkMerged { $0 <= version }
      return Int(version)
    }
    guard version == 0 else { throw MigrationError.unrecorded(userVersion: version) }
    return try count(of: adoptedNames(on: connection))
  }

  /// Returns the names in the other library's record, in the order in which they were recorded.
  private func adoptedNames(on connection: Connection) throws -> [String] {
    guard let table = adopting?.table, try connection.hasTable(table) else { return [] }
    return try connection.query(
      .column(.string),
      adopting == .grdb
        ? "SELECT identifier FROM main.grdb_migrations ORDER BY rowid"
        : "SELECT name FROM main._fluent_migrations ORDER BY batch, rowid")
  }

  /// Returns the number of migrations with these names; throws if they are not the first ones in the list.
  private func count(of names: [String]) throws -> Int {
    var done: Set<Int> = []
    for (index, name) in names.enumerated() {
      guard !name.isEmpty, let place = place(of: name) else {
        throw MigrationError.unknown(MigrationStep(number: index + 1, name: name, checksum: nil))
      }
      done.insert(place)
    }
    // A merged migration that has run is recorded under the last name that it replaces.
    for range in ranges where done.contains(range.upperBound) { done.formUnion(range) }
    try checkMerged(done.contains)
    // The applied migrations must come first in the list, without a gap.
    if let gap = zip(steps, ranges).first(where: {
      $1.lowerBound <= done.count && !done.contains($1.upperBound)
    }) {
      throw MigrationError.missing(gap.0)
    }
    return done.count
  }

  /// Returns the place of the migration with this name, even if another one replaces it.
  func place(of name: String) -> Int? {
    for (migration, range) in zip(migrations, ranges) {
      if migration.name.utf8.elementsEqual(name.utf8) { return range.upperBound }
      let place = migration.merging.firstIndex { $0.utf8.elementsEqual(name.utf8) }
      if let place { return range.lowerBound + place }
    }
    return nil
  }
}

extension MigrationStep {
  /// Returns whether the step has this name, compared by bytes as in SQLite.
  func isNamed(_ name: String) -> Bool { self.name.utf8.elementsEqual(name.utf8) }
}

extension Connection {
  /// Returns whether the main database has an object with this name.
  func hasTable(_ name: String) throws -> Bool {
    try first(
      .column(.int), "SELECT 1 FROM main.sqlite_schema WHERE name = \(name) COLLATE NOCASE") != nil
  }
}
