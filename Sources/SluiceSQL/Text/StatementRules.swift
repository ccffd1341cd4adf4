import Sluice

/// Rules for statements that a checked file must not contain, although SQLite would accept them.
///
/// Because of these rules, a check accesses no file, and no statement affects the check of another statement.
struct StatementRules {
  typealias Problem = (message: String, offset: Int)

  private let tokens: ArraySlice<SQLToken>

  init(_ tokens: some Collection<SQLToken>) { self.tokens = Array(tokens)[...] }

  /// The problem that prevents the statement from being a query; nil if there is none.
  var problemOfQuery: Problem? {
    guard let first = tokens.first else { return nil }
    if first.is("explain") { return ("EXPLAIN is not allowed as a query", first.range.lowerBound) }
    guard let pragma, pragma.hasValue, !Self.pragmasThatRun.contains(pragma.name) else {
      return nil
    }
    return (
      "PRAGMA \(pragma.name) takes effect when it is prepared, not when it runs: set it in the program, not in a query",
      pragma.offset
    )
  }

  /// The problem of the statement in a migration; nil if there is none.
  var problemOfMigration: Problem? {
    guard let first = tokens.first else { return nil }
    if first.is("attach") || first.is("detach") {
      return (
        "a migration cannot attach or detach a database: attach it in the program, and put its migrations into"
          + " Attached/name", first.range.lowerBound
      )
    }
    guard let pragma else { return nil }
    if pragma.name == "writable_schema", pragma.hasValue {
      return (
        "PRAGMA writable_schema can make the database unusable: create a new table and copy the rows instead",
        pragma.offset
      )
    }
    if pragma.name == "wal_checkpoint"
      || pragma.hasValue && Self.withoutEffect.contains(pragma.name)
    {
      let reason =
        pragma.name == "foreign_keys"
        ? ": foreign keys are not enforced there, but checked at the end"
        : ": set it in the program"
      return (
        "PRAGMA \(pragma.name) has no effect in a migration, which runs in a transaction\(reason)",
        pragma.offset
      )
    }
    guard pragma.hasValue, !Self.pragmasThatRun.contains(pragma.name),
      !Self.pragmasOfMigrations.contains(pragma.name)
    else { return nil }
    return (
      "PRAGMA \(pragma.name) is a setting of the connection, not of the database: set it in the program",
      pragma.offset
    )
  }

  /// The pragma of the statement; nil if the statement is not a PRAGMA.
  private var pragma: (name: String, hasValue: Bool, offset: Int)? {
    var rest = tokens
    // EXPLAIN PRAGMA also executes the pragma.
    if rest.first?.is("explain") == true { rest = rest.dropFirst() }
    if rest.first?.is("query") == true { rest = rest.dropFirst(2) }
    guard rest.popFirst()?.is("pragma") == true else { return nil }
    // A name before a dot is the name of a database.
    if rest.dropFirst().first?.is(sign: ".") == true { rest = rest.dropFirst(2) }
    guard let name = rest.first else { return nil }
    let hasValue = rest.dropFirst().first.map { $0.is(sign: "=") || $0.is(sign: "(") } == true
    return (
      String(decoding: name.content, as: UTF8.self).lowercased(), hasValue, name.range.lowerBound
    )
  }

  /// The pragmas that, even with a value, take effect only when they run, not when they are prepared.
  private static let pragmasThatRun: Set = [
    "application_id", "foreign_key_check", "foreign_key_list", "incremental_vacuum", "index_info",
    "index_list", "index_xinfo", "integrity_check", "journal_mode", "optimize", "quick_check",
    "table_info", "table_list", "table_xinfo", "user_version", "wal_checkpoint",
  ]

  /// The pragmas that a migration may use for its own work.
  private static let pragmasOfMigrations: Set = [
    "analysis_limit", "defer_foreign_keys", "ignore_check_constraints", "legacy_alter_table",
    "recursive_triggers", "schema_version", "trusted_schema",
  ]

  /// The pragmas that SQLite rejects or ignores inside a transaction.
  private static let withoutEffect: Set = [
    "auto_vacuum", "encoding", "foreign_keys", "journal_mode", "page_size", "synchronous",
    "temp_store",
  ]
}
