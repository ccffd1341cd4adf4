/// The reason why a migrator rejects a database: the database's history does not match the migrator's list.
///
/// ```swift
/// do {
///   try migrator.migrate(connection)
/// } catch MigrationError.fromTheFuture {
///   print("A newer version of this program has written the file.")
/// }
/// ```
///
/// The call that throws the error has not changed the database, except by migrations that it had already applied.
/// An error inside a migration is not a `MigrationError`. It is rethrown; the message of an ``SQLiteError`` is
/// prefixed with the number and name of the migration.
public enum MigrationError: Error, Hashable, Sendable {
  /// The database was migrated by a newer program.
  ///
  /// The database has migrations that come after the migrator's last one. The associated value is the first of
  /// them.
  case fromTheFuture(MigrationStep)
  /// The database has a named migration that the migrator does not have.
  ///
  /// If the name comes from an adopted record, ``MigrationStep/number`` is the migration's position in that
  /// record.
  case unknown(MigrationStep)
  /// The database has a migration at a position where the migrator has a different one.
  ///
  /// The list was reordered, or a migration was inserted.
  case reordered(applied: MigrationStep, listed: MigrationStep)
  /// A migration was edited after it was applied.
  case changed(applied: MigrationStep, listed: MigrationStep)
  /// The database has later migrations, but not this migration.
  ///
  /// Its record was deleted, or a newer version of the program has applied a merged migration that replaces it.
  case missing(MigrationStep)
  /// The database has some, but not all, of the migrations that a merged migration replaces.
  ///
  /// The database has the `applied` ones, as far as its record shows them. Run an older version of the program
  /// first, which still has the `missing` migrations.
  case partlyMerged(MigrationStep, applied: [MigrationStep], missing: [MigrationStep])
  /// The database has a `user_version` but no migration record, so another program has created its schema.
  ///
  /// See ``Migrator/AdoptedRecord/userVersion`` and ``Migrator/UserVersion/ignored``.
  case unrecorded(userVersion: Int32)
}

extension MigrationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .fromTheFuture(let step):
      "The database has migration \(step), but this program only has earlier ones"
    case .unknown(let step): "The database has migration \(step), which this program does not have"
    case .reordered(let applied, let listed):
      "The database has migration \(applied) at the position where this program has \(listed)"
    case .changed(let applied, let listed):
      "Migration \(listed) was edited after it was applied: its checksum was"
        + " \(applied.checksum ?? "none"), and is \(listed.checksum ?? "none")"
    case .missing(let step):
      "The database has migrations after \(step), but not \(step) itself: its record was deleted, or a newer"
        + " version of this program has applied a merged migration that replaces it"
    case .partlyMerged(let step, let applied, let missing):
      "The database has only some of the migrations that \(step) merges: it has \(Self.list(applied)), but lacks"
        + " \(Self.list(missing)); first run an older version of this program, which has all of them"
    case .unrecorded(let version):
      "The database has the user_version \(version), but no migration record: pass adopting: .userVersion"
        + " if the number counts them, and userVersion: .ignored if it has another purpose"
    }
  }

  private static func list(_ steps: [MigrationStep]) -> String {
    steps.isEmpty ? "none" : steps.map(\.description).joined(separator: ", ")
  }
}
