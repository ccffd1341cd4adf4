import SluiceCore

/// Returns whether a regular file is an SQLite database, or cannot be read.
///
/// SQLite itself reads the file: if the process opened and closed it, the process would lose all its locks on the file,
/// including those of the connections that use the database.
func isDatabase(_ path: String) -> Bool {
  do {
    let connection = try Connection(path: path, readOnly: true, configuration: .sqliteDefaults)
    // SQLite also opens an empty file, which has no page.
    return try connection.pageCount() > 0
  } catch let error as SQLiteError where error.code.primary == .notADatabase {
    return false
  } catch { return true }
}
