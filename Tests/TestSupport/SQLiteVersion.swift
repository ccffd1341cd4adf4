package import SluiceCore

/// How versions of SQLite differ, as far as the tests see it.
///
/// Tests of the behavior compare versions here only, so this list is what a newer version is compared with; only the tests
/// of `SQLiteLibrary` compare its facts with the number. A version that no test has run with is assumed to behave like the
/// next older one.
package enum SQLiteVersion {
  private static func isAtLeast(_ number: Int) -> Bool { SQLiteLibrary.versionNumber >= number }

  // SQL.

  /// `numeric` affinity leaves text that is surrounded by white space as it is.
  package static var numericKeepsSurroundedText: Bool { isAtLeast(3_053_000) }
  /// A `UNION` merges sorted rows, so that an index can help it.
  package static var unionMerges: Bool { isAtLeast(3_053_000) }
  /// `julianday` of a text is exact to the millisecond.
  package static var keepsMilliseconds: Bool { isAtLeast(3_040_000) }
  /// The number of arguments that a function can have.
  package static var mostArguments: Int { isAtLeast(3_048_000) ? 1_000 : 127 }
  /// The statistics of loops contain processor cycles.
  package static var countsCycles: Bool { isAtLeast(3_041_000) }
  /// The arguments of an aggregate function can be sorted.
  package static var sortsArguments: Bool { isAtLeast(3_044_000) }
  /// `u OR 1` is known to be true.
  package static var orOneIsTrue: Bool { isAtLeast(3_053_000) }
  /// Triggers of an untrusted file cannot write to full-text tables and R*Trees: not in 3.39.4, not in 3.46.1.
  package static var refusesVirtualTablesOfTriggers: Bool {
    isAtLeast(3_040_000) && !isAtLeast(3_041_000)
  }

  // The shell and the planner.

  /// The shell dumps a column named `rowid` twice in a table whose key is `INTEGER PRIMARY KEY DESC`.
  package static var shellRepeatsRowid: Bool { isAtLeast(3_053_000) }
  /// The shell does not dump an empty `sqlite_sequence`.
  package static var shellOmitsEmptySequence: Bool { isAtLeast(3_053_000) }
  /// `unistr` is a function of SQLite, which accepts surrogates.
  package static var hasUnistr: Bool { isAtLeast(3_050_000) }
  /// `PRAGMA optimize` analyzes tables that were never analyzed.
  package static var optimizeAnalyzesNewTables: Bool { isAtLeast(3_046_000) }

  // Connections.

  /// A connection has options that 3.40 lacks.
  package static var hasNewerOptions: Bool { isAtLeast(3_042_000) }
  /// The limits that the linked SQLite has.
  package static var limits: [ConnectionLimit] {
    ConnectionLimit.allCases.filter { $0 != .parserDepth || isAtLeast(3_053_000) }
  }
  /// The counters that the linked SQLite has.
  package static var counters: [ConnectionCounter] {
    ConnectionCounter.allCases.filter { $0 != .temporaryBytesWritten || isAtLeast(3_051_000) }
  }
  /// A file control discards the pages in the page cache.
  package static var resetsCache: Bool { isAtLeast(3_040_001) }
  /// A progress handler can make a `COMMIT` fail after the transaction was committed.
  package static var interruptsAfterCommit: Bool { !isAtLeast(3_040_000) }
  /// A checkpoint can copy nothing.
  package static var hasNoopCheckpoint: Bool { isAtLeast(3_051_000) }
  /// A new database is serialized as one page.
  package static var newDatabaseHasPage: Bool { isAtLeast(3_045_002) }
  /// `deserialize` reads the existing database before it replaces it.
  package static var deserializeReads: Bool { isAtLeast(3_046_001) }

  // Virtual tables.

  /// A virtual table can use all schemas.
  package static var hasAllSchemas: Bool { isAtLeast(3_041_000) }
  /// An integrity check asks virtual tables for their damage.
  package static var asksVirtualTablesForDamage: Bool { isAtLeast(3_044_000) }

  // Sessions and hooks.

  /// Sessions and pre-update hooks get the default of a column that was added after a row was written.
  ///
  /// That of a `REAL` column may be an integer.
  package static var knowsAddedColumns: Bool { isAtLeast(3_047_000) }
  /// Sessions can record tables without a primary key.
  package static var recordsRowidTables: Bool { isAtLeast(3_041_000) }
  /// Applying a changeset can ignore changes that are already made, and the actions of foreign keys.
  package static var hasNewApplyOptions: Bool { isAtLeast(3_044_000) }
  /// Inverting a stream keeps the part that was read until the end.
  package static var invertKeepsStream: Bool { isAtLeast(3_053_000) }
}
