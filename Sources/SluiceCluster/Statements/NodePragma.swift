/// A pragma that a node can run.
///
/// A node dies of some pragmas, such as `journal_mode = DELETE`, and others change its files or memory. Therefore,
/// only the pragmas in this table are sent.
struct NodePragma {
  enum Use {
    /// The pragma only returns a value.
    case noValue
    /// A value is an argument of a pragma that only reads.
    case argument
    /// A value is written to the database, or lasts until the end of the transaction.
    case value
    /// A value changes the connection to the node.
    case setting
  }

  let name: String
  let use: Use

  init?(name: String) {
    guard let use = Self.uses[name] else { return nil }
    self.name = name
    self.use = use
  }

  /// The names of the columns of a pragma that is too slow to run for them; nil for any other pragma.
  var names: [String]? {
    switch name {
    case "integrity_check", "quick_check": [name]
    case "foreign_key_check": ["table", "rowid", "parent", "fkid"]
    default: nil
    }
  }

  private static let uses: [String: Use] = [
    "application_id": .value, "auto_vacuum": .noValue, "automatic_index": .setting,
    "busy_timeout": .noValue, "cache_size": .noValue,
    "cell_size_check": .setting, "collation_list": .noValue, "compile_options": .noValue,
    "data_version": .noValue, "database_list": .noValue, "defer_foreign_keys": .value,
    "encoding": .noValue, "foreign_key_check": .argument, "foreign_key_list": .argument,
    "foreign_keys": .setting, "freelist_count": .noValue, "function_list": .noValue,
    "ignore_check_constraints": .setting, "index_info": .argument, "index_list": .argument,
    "index_xinfo": .argument, "integrity_check": .argument, "journal_mode": .noValue,
    "legacy_alter_table": .setting, "max_page_count": .noValue, "module_list": .noValue,
    "page_count": .noValue, "page_size": .noValue, "pragma_list": .noValue,
    "query_only": .setting, "quick_check": .argument, "recursive_triggers": .setting,
    "reverse_unordered_selects": .setting, "schema_version": .noValue,
    "synchronous": .noValue, "table_info": .argument, "table_list": .argument,
    "table_xinfo": .argument, "trusted_schema": .setting, "user_version": .value,
  ]
}
