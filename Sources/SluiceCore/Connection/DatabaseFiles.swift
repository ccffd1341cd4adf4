import CSluice

/// The files of a writable main database, to be deleted once its connection is closed.
@safe struct DatabaseFiles {
  private let fileSystem: UnsafeMutablePointer<sqlite3_vfs>
  /// The names of the files, as C strings because they may not be valid UTF-8.
  private let names: [[CChar]]

  /// Creates the list of files; nil if the database has no file or is read-only.
  init?(of connection: Connection) {
    guard let handle = unsafe connection.rawHandle, let fileSystem = unsafe connection.fileSystem,
      let name = unsafe sqlite3_db_filename(handle, "main"), unsafe name.pointee != 0,
      !connection.isReadOnly()
    else { return nil }
    unsafe self.fileSystem = fileSystem
    let main = unsafe copy(name)
    // The database comes first, because the other files are meaningless without it.
    names = unsafe [
      main, copy(sqlite3_filename_wal(name)), main.dropLast() + "-shm".utf8CString,
      copy(sqlite3_filename_journal(name)),
    ].filter { $0.count > 1 }
  }

  /// Deletes the files that exist, in the same way as SQLite.
  func delete() throws {
    // An in-memory file system has no function to delete files.
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

/// Returns a copy of a C string, including its terminating NUL.
private func copy(_ text: UnsafePointer<CChar>?) -> [CChar] {
  guard var end = unsafe text else { return [0] }
  while unsafe end.pointee != 0 { unsafe end += 1 }
  return unsafe Array(UnsafeBufferPointer(start: text, count: end - text! + 1))
}

extension Connection {
  /// Returns whether there is no file at `path`, or an empty one; false if this is unknown.
  func hasNoFile(_ path: String) -> Bool {
    guard let system = unsafe fileSystem, let access = unsafe system.pointee.xAccess else {
      return false
    }
    var exists: Int32 = 1
    return unsafe access(system, path, SQLITE_ACCESS_EXISTS, &exists) == SQLITE_OK && exists == 0
  }

  /// Deletes a file, and ignores an error, because the caller reports another one.
  func deleteFile(_ path: String) {
    guard let system = unsafe fileSystem, let delete = unsafe system.pointee.xDelete else { return }
    _ = unsafe delete(system, path, 0)
  }
}

extension Connection {
  /// Returns a filename for the file at `path` that SQLite never interprets as a URI.
  static func literal(path: String) throws -> String {
    guard !path.isEmpty else {
      throw SQLiteError(
        .cantOpen, "The path is empty; call Connection.temporary() for a database without a path")
    }
    return path.utf8.starts(with: "file:".utf8) ? "./" + path : path
  }

  /// Throws for a named pipe, because opening it read-only waits for another program.
  static func refusePipe(_ path: String, _ configuration: Configuration) throws {
    // Another file system can have other files than the system.
    guard configuration.fileSystem == nil, path != ":memory:" else { return }
    guard unsafe !sluice_is_pipe(path) else {
      throw SQLiteError(.cantOpen, "A database must be a file (got the named pipe \(path))")
    }
  }

  /// Throws if SQLite would not interpret the whole string as a URI, and for a named pipe.
  static func check(uri: String, _ configuration: Configuration) throws {
    guard uri.utf8.starts(with: "file:".utf8) else {
      throw SQLiteError(.cantOpen, "The URI must begin with file: (got \"\(uri)\")")
    }
    // SQLite would end the name at the NUL, and open another file.
    guard !uri.utf8.contains("%00".utf8) else {
      throw SQLiteError(.misuse, "The URI contains a NUL")
    }
    try refusePipe(pathOfURI(uri), configuration)
  }

  /// Returns the full paths of all databases that other connections can open; no authorizer is asked.
  package func databasePaths() throws -> [String] {
    let handle = try unsafe handle()
    var paths: [String] = []
    var index: Int32 = 0
    while let name = unsafe sluice_db_name(handle, index) {
      if let path = unsafe path(of: String(cString: name)) { paths.append(path) }
      index += 1
    }
    // SQLite before 3.39 does not tell the names.
    return index > 0 ? paths : try databases().compactMap(\.path)
  }

  /// Returns the full path of a database, or nil if it is not a file that other connections can open.
  func path(of database: String = "main") -> String? {
    guard let handle = unsafe rawHandle,
      let name = unsafe sqlite3_db_filename(handle, database).flatMap({
        unsafe String(validatingCString: $0)
      }),
      // A database whose filename does not begin with a slash is private to its connection.
      name.utf8.first == UInt8(ascii: "/")
    else { return nil }
    return name
  }

  /// The `sqlite3_vfs` of the main database, or nil if SQLite runs out of memory.
  var fileSystem: UnsafeMutablePointer<sqlite3_vfs>? {
    guard let handle = unsafe rawHandle else { return nil }
    var fileSystem: UnsafeMutablePointer<sqlite3_vfs>?
    unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_VFS_POINTER, &fileSystem)
    return unsafe fileSystem
  }

  /// Records whether the connection was opened with a file system in Swift.
  func noteFileSystem() {
    guard !SwiftFileSystems.isEmpty else { return }
    state.reachesFileSystem = unsafe SwiftFileSystems.contains(fileSystem)
  }

  /// Returns whether a database is read-only.
  func isReadOnly(_ database: String = "main") -> Bool {
    unsafe rawHandle.map { unsafe sqlite3_db_readonly($0, database) == 1 } ?? false
  }
}

/// Returns the path in a `file:` URI, as SQLite reads it.
private func pathOfURI(_ uri: String) -> String {
  var text = uri.utf8.dropFirst("file:".utf8.count)
    .prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
  if text.starts(with: "//".utf8) { text = text.dropFirst(2).drop { $0 != UInt8(ascii: "/") } }
  var bytes: [UInt8] = []
  while let byte = text.popFirst() {
    if byte == UInt8(ascii: "%"), let value = UInt8(Substring(text.prefix(2)), radix: 16) {
      bytes.append(value)
      text = text.dropFirst(2)
    } else {
      bytes.append(byte)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// Returns the URI of a file, with the given query.
func fileURI(_ path: String, _ query: String) -> String {
  let authority = path.utf8.first == UInt8(ascii: "/") ? "//" : ""
  return "file:\(authority)\(escapedForURI(path))?\(query)"
}

/// Returns `text` for use in the path or query of a URI, with special characters escaped.
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

/// Methods that return the parameters of the URI that a database was opened with.
///
/// The parameters include those that SQLite itself ignores.
///
/// An unknown database throws ``ResultCode/range``. A database that was opened by a path, or is in memory, has no
/// parameters.
extension Connection {
  /// Returns the names of all parameters, in order.
  ///
  /// ```swift
  /// let connection = try Connection(uri: "file:tenants.db?mode=rwc&tenant=7")
  /// for name in try connection.uriParameterNames() {
  ///   print(name, try connection.uriParameter(name) ?? "")
  /// }
  /// ```
  ///
  /// The corresponding C function is `sqlite3_uri_key`.
  public func uriParameterNames(database: String = "main") throws -> [String] {
    let file = try unsafe fileName(of: database)
    var names: [String] = []
    while let name = unsafe sqlite3_uri_key(file, Int32(clamping: names.count)) {
      names.append(try unsafe text(name))
    }
    return names
  }

  /// Returns the value of a parameter, or nil if the URI has no parameter with this name.
  ///
  /// The corresponding C function is `sqlite3_uri_parameter`.
  public func uriParameter(_ name: String, database: String = "main") throws -> String? {
    let file = try unsafe parameterFile(name, database)
    guard let value = unsafe sqlite3_uri_parameter(file, name) else { return nil }
    return try unsafe text(value)
  }

  /// Returns the Boolean value of a parameter.
  ///
  /// - Returns: True for `yes`, `true`, `on` or a number other than 0; false for `no`, `false`, `off` or 0. If the
  ///   parameter is missing or has another value, the result is `default`.
  ///
  /// The corresponding C function is `sqlite3_uri_boolean`.
  public func uriBoolean(
    _ name: String, default: Bool = false, database: String = "main"
  ) throws -> Bool {
    let file = try unsafe parameterFile(name, database)
    return unsafe sqlite3_uri_boolean(file, name, `default` ? 1 : 0) != 0
  }

  /// Returns the numeric value of a parameter, or `default` if it is missing or not a 64-bit number.
  ///
  /// The corresponding C function is `sqlite3_uri_int64`.
  public func uriInteger(
    _ name: String, default: Int64 = 0, database: String = "main"
  ) throws -> Int64 {
    let file = try unsafe parameterFile(name, database)
    return unsafe sqlite3_uri_int64(file, name, `default`)
  }

  private func parameterFile(_ name: String, _ database: String) throws -> UnsafePointer<CChar>? {
    try refuseNUL(in: name, "The name of the parameter")
    return try unsafe fileName(of: database)
  }

  /// Returns the filename as SQLite stores it, followed by the parameters.
  private func fileName(of database: String) throws -> UnsafePointer<CChar>? {
    _ = try transactionState(schema: database)
    // Before its first use, the temporary database has no filename, and therefore no parameters.
    return unsafe sqlite3_db_filename(try handle(), database)
  }

  private func text(_ start: UnsafePointer<CChar>) throws -> String {
    guard let text = unsafe String(validatingCString: start) else {
      throw SQLiteError(.mismatch, "A URI parameter is not valid UTF-8")
    }
    return text
  }
}
