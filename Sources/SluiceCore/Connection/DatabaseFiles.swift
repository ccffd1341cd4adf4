import CSluice

/// The files of a main database that its connection can write, to be deleted once that is closed.
@safe struct DatabaseFiles {
  private let fileSystem: UnsafeMutablePointer<sqlite3_vfs>
  /// The names as C has them, which need not be UTF-8.
  private let names: [[CChar]]

  /// Nil for what has no file, and for what can only be read.
  init?(of connection: Connection) {
    guard let handle = unsafe connection.rawHandle, let fileSystem = unsafe connection.fileSystem,
      let name = unsafe sqlite3_db_filename(handle, "main"), unsafe name.pointee != 0,
      !connection.isReadOnly()
    else { return nil }
    unsafe self.fileSystem = fileSystem
    let main = unsafe copy(name)
    // The database comes first: what is left of the others means nothing without it.
    names = unsafe [
      main, copy(sqlite3_filename_wal(name)), main.dropLast() + "-shm".utf8CString,
      copy(sqlite3_filename_journal(name)),
    ].filter { $0.count > 1 }
  }

  /// Deletes those that are there, the way in which SQLite does it.
  func delete() throws {
    // A file system in memory deletes nothing.
    guard let delete = unsafe fileSystem.pointee.xDelete else { return }
    var failure: ResultCode?
    for name in names {
      let code = ResultCode(rawValue: unsafe delete(fileSystem, name, 0))
      guard code != .ok, code != .ioErrorDeleteMissing else { continue }
      failure = failure ?? code
    }
    if let failure {
      throw SQLiteError(failure, "The connection is closed, but its file could not be deleted")
    }
  }
}

/// A copy of text as C has it, with its NUL.
private func copy(_ text: UnsafePointer<CChar>?) -> [CChar] {
  guard var end = unsafe text else { return [0] }
  while unsafe end.pointee != 0 { unsafe end += 1 }
  return unsafe Array(UnsafeBufferPointer(start: text, count: end - text! + 1))
}
