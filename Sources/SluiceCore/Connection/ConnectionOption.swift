import CSluice

/// A connection option that is on or off.
///
/// ```swift
/// try connection.setOption(.defensive, true)
/// ```
///
/// When a connection opens, ``Configuration`` sets the options that most programs need.
/// ``Connection/setOption(_:_:)`` changes any option later. The cases from `scanStatus` on require an SQLite newer
/// than 3.40.
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
  /// SQL may call `fts3_tokenizer`, which accepts and returns memory addresses.
  ///
  /// ``Configuration/fts3Tokenizer`` forbids the function by default, and the option then cannot be turned on.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER`.
  case fts3Tokenizer = 1004
  /// C functions can load extensions, but SQL cannot.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION`.
  case loadableExtensions = 1005
  /// The WAL is not checkpointed when the last connection, or a queue or pool, closes.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE`.
  case noCheckpointOnClose = 1006
  /// The plan of a query does not depend on the values of its parameters.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_ENABLE_QPSG`.
  case stableQueryPlans = 1007
  /// `EXPLAIN QUERY PLAN` also shows the plans of triggers.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_TRIGGER_EQP`.
  case triggerQueryPlans = 1008
  /// `VACUUM` empties the database, even a damaged one: all its content is lost.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_RESET_DATABASE`.
  case resetsDatabase = 1009
  /// SQL cannot use features that can deliberately damage the database file.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_DEFENSIVE`.
  case defensive = 1010
  /// SQL can write to `sqlite_schema`, which can damage the database.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_WRITABLE_SCHEMA`.
  case writableSchema = 1011
  /// `ALTER TABLE … RENAME` does not change triggers and views, as before SQLite 3.26.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_LEGACY_ALTER_TABLE`.
  case legacyAlterTable = 1012
  /// An unknown name in double quotes is a string, in statements that read or write.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_DQS_DML`.
  case doubleQuotedStringsInStatements = 1013
  /// An unknown name in double quotes is a string, in statements that change the schema.
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
  /// Views, triggers, indexes and generated columns may call functions that are not innocuous.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_TRUSTED_SCHEMA`.
  case trustedSchema = 1017
  /// Statements collect measurements of their loops, if the library supports this.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_STMT_SCANSTATUS`.
  case scanStatus = 1018
  /// Tables and indexes are read from end to beginning where the order does not matter.
  ///
  /// The corresponding C value is `SQLITE_DBCONFIG_REVERSE_SCANORDER`.
  case reverseScanOrder = 1019
  /// `ATTACH` creates a missing file.
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

extension Connection {
  /// Returns whether an option of the connection is on.
  ///
  /// - Throws: ``ResultCode/notFound`` if the linked SQLite does not support the option.
  ///
  /// The corresponding C function is `sqlite3_db_config`.
  public func option(_ option: ConnectionOption) throws -> Bool {
    guard let translator else { return try configure(option, -1) }
    // The schema of another database can never be written.
    guard option != .writableSchema else { return false }
    let name = try pragma(for: option, of: translator)
    return try translator.option(name) ?? first(.column(.bool), sql: "PRAGMA \(name)") ?? false
  }

  /// Turns an option of the connection on or off, from the next statement on.
  ///
  /// - Throws: ``ResultCode/notFound`` if the linked SQLite does not support the option, and
  ///   ``ResultCode/permission`` if SQLite refuses to change it, or if the configuration forbids
  ///   ``ConnectionOption/fts3Tokenizer``.
  ///
  /// The corresponding C function is `sqlite3_db_config`.
  public func setOption(_ option: ConnectionOption, _ isOn: Bool) throws {
    try state.require(.use)
    if option == .fts3Tokenizer, isOn, configuration.fts3Tokenizer == false {
      throw SQLiteError(.permission, "The configuration forbids fts3_tokenizer")
    }
    if let translator {
      return try translator.setOption(pragma(for: option, of: translator), isOn)
    }
    guard try configure(option, isOn ? 1 : 0) == isOn else {
      throw SQLiteError(
        .permission,
        "SQLite \(SQLiteLibrary.version) refuses to turn \(option) \(isOn ? "on" : "off")")
    }
  }

  /// Returns the name of the pragma for an option of a connection whose data is in another database.
  private func pragma(
    for option: ConnectionOption, of translator: any StatementTranslator
  ) throws -> String {
    switch option {
    case .foreignKeys: return "foreign_keys"
    case .legacyAlterTable: return "legacy_alter_table"
    case .trustedSchema: return "trusted_schema"
    default:
      throw SQLiteError(.misuse, "A connection of a \(translator.noun) has no option \(option)")
    }
  }

  /// Sets an option, or reads it if `value` is negative, and returns whether it is on.
  private func configure(_ option: ConnectionOption, _ value: Int32) throws -> Bool {
    var now: Int32 = 0
    guard unsafe sluice_db_config(try handle(), option.rawValue, value, &now) == SQLITE_OK else {
      throw SQLiteError(
        .notFound, "SQLite \(SQLiteLibrary.version) has no option \(option)")
    }
    return now != 0
  }
}
