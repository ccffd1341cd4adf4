public import Sluice

/// The schema of the notes: the files in the folder `Migrations`, and the full-text index.
public enum Schema {
  static let index = "note_index"

  /// All migrations in their order.
  public static var migrations: [Migration] { Migrations.all + [fullTextIndex] }

  /// Returns the migrator that the service runs when it starts.
  public static func migrator() throws -> Migrator { try Migrator(migrations) }

  /// The migration that creates the full-text index, whose triggers follow the table `note`.
  private static let fullTextIndex = Migration(2, "note_index") { connection in
    try connection.createFullTextIndex(
      index, on: "note", columns: ["title", "body"], tokenize: "unicode61 remove_diacritics 2",
      prefixes: [2, 3])
  }
}
