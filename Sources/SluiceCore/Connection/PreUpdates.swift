/// The use of SQLite's preupdate hook.
struct PreUpdates {
  enum User { case hooks, sessions }

  /// The present user of the hook, which cannot serve hooks and sessions at once; nil if it is unused.
  var user: User?
  /// The version of the schema for which all rows of a table, or of all tables, had all columns.
  var wholeTables: [String: Int64] = [:]
}
