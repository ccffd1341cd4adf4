/// A behaviour of SQLite that is on or off for one connection.
///
/// ```swift
/// try connection.setOption(.defensive, true)
/// ```
///
/// ``Configuration`` sets the options that most programs need when it opens a connection;
/// ``Connection/setOption(_:_:)`` changes any of them later. The last cases are newer than SQLite 3.40.
///
/// The corresponding C values are `SQLITE_DBCONFIG_*`.
public enum ConnectionOption: Int32, Hashable, Sendable, CaseIterable {
  /// Foreign keys are enforced.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_FKEY`.
  case foreignKeys = 1002
  /// Triggers run.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_TRIGGER`.
  case triggers = 1003
  /// SQL may call `fts3_tokenizer`, which takes and gives addresses in memory.
  ///
  /// ``Configuration/fts3Tokenizer`` forbids it by default, and then it cannot be turned on.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER`.
  case fts3Tokenizer = 1004
  /// Extensions can be loaded, by a call and not by SQL.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION`.
  case loadableExtensions = 1005
  /// The WAL stays as it is when the last connection closes.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE`.
  case noCheckpointOnClose = 1006
  /// The plan of a query does not depend on the values of its parameters.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_QPSG`.
  case stableQueryPlans = 1007
  /// `EXPLAIN QUERY PLAN` shows what triggers do, too.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_TRIGGER_EQP`.
  case triggerQueryPlans = 1008
  /// `VACUUM` empties the database, even one that is damaged: all it holds is lost.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_RESET_DATABASE`.
  case resetsDatabase = 1009
  /// SQL cannot do what may damage the database file on purpose.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_DEFENSIVE`.
  case defensive = 1010
  /// SQL can write to `sqlite_schema`, and so damage the database.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_WRITABLE_SCHEMA`.
  case writableSchema = 1011
  /// `ALTER TABLE … RENAME` leaves triggers and views as they are, as it did before SQLite 3.26.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_LEGACY_ALTER_TABLE`.
  case legacyAlterTable = 1012
  /// A name in double quotes that means nothing is a string, in statements that read or write.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_DQS_DML`.
  case doubleQuotedStringsInStatements = 1013
  /// A name in double quotes that means nothing is a string, in statements that change the schema.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_DQS_DDL`.
  case doubleQuotedStringsInSchema = 1014
  /// Views can be read.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_VIEW`.
  case views = 1015
  /// New databases have the oldest format.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_LEGACY_FILE_FORMAT`.
  case legacyFileFormat = 1016
  /// Views, triggers, indexes and generated columns may call any function.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_TRUSTED_SCHEMA`.
  case trustedSchema = 1017
  /// Statements measure their loops, in a library that can do this.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_STMT_SCANSTATUS`.
  case scanStatus = 1018
  /// Tables and indexes are read from their end to their beginning where the order does not matter.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_REVERSE_SCANORDER`.
  case reverseScanOrder = 1019
  /// `ATTACH` makes a file that is missing.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE`.
  case attachCreates = 1020
  /// `ATTACH` opens a file for writing.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE`.
  case attachWrites = 1021
  /// SQL may contain comments.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_COMMENTS`.
  case comments = 1022
}
