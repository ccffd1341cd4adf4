import CSluice

extension Connection {
  /// The name for SQLite of the file at `path`, with nothing in it that has a meaning.
  static func literal(path: String) throws -> String {
    guard !path.isEmpty else {
      throw SQLiteError(.cantOpen, "The path is empty: a temporary database is asked for by name")
    }
    return path.utf8.starts(with: "file:".utf8) ? "./" + path : path
  }

  /// Refuses what is not a URI that SQLite understands in full.
  static func check(uri: String) throws {
    guard uri.utf8.starts(with: "file:".utf8) else {
      throw SQLiteError(.cantOpen, "Only file: URIs can be opened, not \"\(uri)\"")
    }
    // SQLite would end the name there, and so open another file.
    guard !uri.utf8.contains("%00".utf8) else {
      throw SQLiteError(.misuse, "The URI contains a NUL")
    }
  }

  /// The full path of a database, or nil if it is not a file that others can open.
  func path(of database: String = "main") -> String? {
    guard let handle = unsafe rawHandle,
      let name = unsafe sqlite3_db_filename(handle, database).flatMap({
        unsafe String(validatingCString: $0)
      }),
      // Any other name belongs to its connection alone.
      name.utf8.first == UInt8(ascii: "/")
    else { return nil }
    return name
  }

  /// What SQLite reaches the file of the main database through, or nil if memory is short.
  var fileSystem: UnsafeMutablePointer<sqlite3_vfs>? {
    guard let handle = unsafe rawHandle else { return nil }
    var fileSystem: UnsafeMutablePointer<sqlite3_vfs>?
    unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_VFS_POINTER, &fileSystem)
    return unsafe fileSystem
  }

  /// Notes whether the connection was opened with a file system in Swift.
  func noteFileSystem() {
    guard !SwiftFileSystems.isEmpty else { return }
    state.reachesFileSystem = unsafe SwiftFileSystems.contains(fileSystem)
  }

  /// Whether a database can only be read.
  func isReadOnly(_ database: String = "main") -> Bool {
    unsafe rawHandle.map { unsafe sqlite3_db_readonly($0, database) == 1 } ?? false
  }
}

/// The URI of a file with a query.
func fileURI(_ path: String, _ query: String) -> String {
  let authority = path.utf8.first == UInt8(ascii: "/") ? "//" : ""
  return "file:\(authority)\(escapedForURI(path))?\(query)"
}

/// A path or value as part of a URI, where some characters have a meaning.
func escapedForURI(_ text: String) -> String {
  text.unicodeScalars.map { scalar in
    switch scalar {
    case "%": "%25"
    case "&": "%26"
    case "?": "%3f"
    case "#": "%23"
    default: String(scalar)
    }
  }.joined()
}
