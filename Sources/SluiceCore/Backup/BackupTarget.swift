/// A file that a backup is to be written to.
struct BackupTarget {
  let connection: Connection
  /// Whether the file was not there before.
  private let isNew: Bool

  /// Opens the file, or makes it; what it may hold is not changed.
  init(_ path: String, _ configuration: Configuration, overwriting: Bool) throws {
    guard path != ":memory:" else {
      throw SQLiteError(.cantOpen, "A backup that no file holds is gone at once")
    }
    let configuration = configuration.forOneBackup
    do {
      connection = try Connection(path: path, create: false, configuration: configuration)
      isNew = false
    } catch SQLiteError.cantOpen {
      connection = try Connection(path: path, configuration: configuration)
      isNew = true
    }
    guard try overwriting || connection.pageCount() == 0 else {
      throw SQLiteError(.cantOpen, "There is a file already, which is not to be lost: \(path)")
    }
  }

  /// Closes the file after a failure, which the caller reports, and deletes it if it is new.
  func abandon() {
    // One that another program has filled meanwhile, or that cannot be looked into, is not ours to delete.
    let isEmpty = (try? connection.pageCount()) == 0
    connection.configuration.deletesFileOnClose = isNew && isEmpty
    // The first error is the one to report.
    try? connection.close()
  }
}
