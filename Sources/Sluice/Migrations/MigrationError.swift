/// Why a migrator does not touch a database: what the database says was done to it is not what the
/// migrator would have done.
///
/// ```swift
/// do {
///   try migrator.migrate(connection)
/// } catch MigrationError.fromTheFuture {
///   print("A newer version of this program has written the file.")
/// }
/// ```
///
/// Nothing has been changed when one is thrown, unless other migrations ran before in the same call.
/// What fails inside of a migration is thrown as it is, an ``SQLiteError`` with the number and name
/// put before its message.
public enum MigrationError: Error, Hashable, Sendable {
  /// The database has migrations behind it that come after the last one that is known, of which this
  /// is the first: a newer program has been here.
  case fromTheFuture(MigrationStep)
  /// The database has a migration behind it, known by its name, that the migrator does not have. Where the
  /// name comes from an adopted record, the number is its place in that record.
  case unknown(MigrationStep)
  /// The database has a migration behind it in a place where the migrator has another one: the list
  /// was put into another order, or something was put in between.
  case reordered(applied: MigrationStep, listed: MigrationStep)
  /// A migration was edited after it was applied.
  case changed(applied: MigrationStep, listed: MigrationStep)
  /// The database has later migrations behind it, but not this one.
  case missing(MigrationStep)
  /// The database has no record of migrations, but a `user_version`: something else has set up its
  /// schema. See ``Migrator/AdoptedRecord/userVersion`` and ``Migrator/UserVersion/ignored``.
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
      "The database has migrations after \(step), but not \(step) itself"
    case .unrecorded(let version):
      "The database has the user_version \(version), but no record of migrations: pass adopting: .userVersion"
        + " if the number counts them, and userVersion: .ignored if it has another purpose"
    }
  }
}
