import CSluice

/// A request to a ``VirtualFileSystem`` to open a file, valid only during the call.
@safe public struct VirtualFileRequest: ~Copyable {
  /// The path of the file; nil for a temporary file without a name, which is deleted when it is closed.
  public let path: String?
  /// The purpose of the file.
  public let kind: Kind
  /// The C name of the file; the name of a database is followed by its URI parameters.
  let name: UnsafePointer<CChar>?
  /// The C name of the file's database, followed by the URI parameters of the database.
  let database: UnsafePointer<CChar>?
  /// The owner of `name`; nil if SQLite owns it.
  let created: CreatedFilename?
  let flags: Int32
  /// The box of the file that SQLite is opening.
  let box: FileBox

  init(_ name: UnsafePointer<CChar>?, _ flags: Int32, _ box: FileBox) throws {
    path = try unsafe name.map { try unsafe text(of: $0) }
    kind = Kind(flags)
    unsafe self.name = name
    unsafe database = box.databaseName
    created = nil
    self.flags = flags
    self.box = box
  }

  private init(_ other: borrowing VirtualFileRequest, _ path: String, _ created: CreatedFilename) {
    self.path = path
    kind = other.kind
    unsafe name = created.name
    unsafe database = kind == .database ? created.name : other.database
    self.created = created
    flags = other.flags
    box = other.box
  }

  // Without a deinit, Swift 6.3 crashes on a noncopyable struct that contains a class reference.
  deinit {}

  /// The purpose of a file.
  ///
  /// The corresponding C values are `SQLITE_OPEN_MAIN_DB` and the like.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// The main database or an attached one.
    case database
    /// The journal that rolls back a transaction of a database.
    case journal
    /// The write-ahead log of a database.
    case wal
    /// The journal that lists other journals, for a transaction in several databases.
    case superJournal
    /// The database of temporary tables.
    case temporaryDatabase
    /// The journal of temporary tables.
    case temporaryJournal
    /// A temporary file for one statement.
    case transient
    /// The journal that rolls back a statement or savepoint.
    case subjournal

    init(_ flags: Int32) {
      let kinds: [(Int32, Kind)] = [
        (SQLITE_OPEN_MAIN_DB, .database), (SQLITE_OPEN_MAIN_JOURNAL, .journal),
        (SQLITE_OPEN_WAL, .wal), (SQLITE_OPEN_SUPER_JOURNAL, .superJournal),
        (SQLITE_OPEN_TEMP_DB, .temporaryDatabase), (SQLITE_OPEN_TEMP_JOURNAL, .temporaryJournal),
        (SQLITE_OPEN_SUBJOURNAL, .subjournal),
      ]
      self = kinds.first { flags & $0.0 != 0 }?.1 ?? .transient
    }
  }
}

extension VirtualFileRequest {
  /// Whether SQLite requests the file for reading only.
  ///
  /// A file that is requested for writing but cannot be written may be opened read-only. In this case, its
  /// ``VirtualFile/isReadOnly`` must be true.
  public var isReadOnly: Bool { flags & SQLITE_OPEN_READONLY != 0 }

  /// Whether the file is created if it does not exist.
  public var creates: Bool { flags & SQLITE_OPEN_CREATE != 0 }

  /// Whether opening fails if the file already exists.
  public var isExclusive: Bool { flags & SQLITE_OPEN_EXCLUSIVE != 0 }

  /// Whether the file is deleted when it is closed.
  public var deletesOnClose: Bool { flags & SQLITE_OPEN_DELETEONCLOSE != 0 }

  /// The file of the database that a journal or WAL belongs to, as this file system opened it.
  ///
  /// The value is nil for all other files. The C function, unlike this property, does not check its argument.
  ///
  /// The corresponding C function is `sqlite3_database_file_object`.
  public var databaseFile: (any VirtualFile)? { kind == .database ? nil : box.database?.file }

  /// The path of the database that a journal or WAL belongs to, or of the database itself.
  ///
  /// The path is nil for all other files.
  ///
  /// The corresponding C function is `sqlite3_filename_database`.
  public var databasePath: String? { unsafe path(sqlite3_filename_database) }

  /// The path of the database's journal, which may not exist.
  ///
  /// The corresponding C function is `sqlite3_filename_journal`.
  public var journalPath: String? { unsafe path(sqlite3_filename_journal) }

  /// The path of the database's WAL, which may not exist.
  ///
  /// The corresponding C function is `sqlite3_filename_wal`.
  public var walPath: String? { unsafe path(sqlite3_filename_wal) }

  private func path(
    _ find: (UnsafePointer<CChar>?) -> UnsafePointer<CChar>?
  ) -> String? {
    // The path of the database is known to be UTF-8, and the other paths are derived from it.
    unsafe database.flatMap { unsafe find($0) }.flatMap { unsafe String(validatingCString: $0) }
  }

  /// Returns a copy of this request for another path.
  ///
  /// In the new request, the paths of the journal and the WAL are derived from the new path. SQLite opens these
  /// files with separate requests.
  ///
  /// - Throws: ``ResultCode/misuse`` for a file without a name, and for a path that contains a NUL.
  ///
  /// The corresponding C function is `sqlite3_create_filename`.
  public func redirected(to path: String) throws -> VirtualFileRequest {
    try refuseNUL(in: path, "The path")
    guard self.path != nil else {
      throw SQLiteError(.misuse, "A file without a name cannot be redirected")
    }
    let created = try CreatedFilename(path, uriParameters)
    return VirtualFileRequest(self, path, created)
  }
}

/// A C filename that this object owns, followed by URI parameters.
@safe final class CreatedFilename {
  let name: UnsafePointer<CChar>

  init(_ path: String, _ parameters: [(String, String)]) throws {
    let texts = parameters.flatMap { [$0.0, $0.1] }
    var copies = unsafe texts.map { unsafe UnsafePointer<CChar>(sqliteCopy(of: $0)) }
    defer {
      for index in unsafe copies.indices {
        unsafe sqlite3_free(UnsafeMutablePointer(mutating: copies[index]))
      }
    }
    guard unsafe !copies.contains(where: { unsafe $0 == nil }),
      let name = unsafe sqlite3_create_filename(
        path, path + "-journal", path + "-wal", Int32(parameters.count), &copies)
    else { throw SQLiteError(.noMemory, "Out of memory for the name of a file") }
    unsafe self.name = UnsafePointer(name)
  }

  deinit { unsafe sqlite3_free_filename(UnsafeMutablePointer(mutating: name)) }
}

/// Returns a C filename as a string, and throws if it is not UTF-8.
func text(of name: UnsafePointer<CChar>) throws -> String {
  guard let text = unsafe String(validatingCString: name) else {
    throw SQLiteError(.cantOpenPathConversion, "The path of a file is not UTF-8")
  }
  return text
}

/// The parameters of the URI with which the file's database was opened.
///
/// A journal and a WAL have the parameters of their database. Other files have none.
extension VirtualFileRequest {
  /// The names of all parameters, in order.
  ///
  /// The corresponding C function is `sqlite3_uri_key`.
  public var uriParameterNames: [String] { uriParameters.map(\.0) }

  /// Returns the value of a parameter, or nil if the URI has no parameter with this name.
  ///
  /// The corresponding C function is `sqlite3_uri_parameter`.
  public func uriParameter(_ name: String) -> String? {
    unsafe named(name).flatMap { database in
      unsafe sqlite3_uri_parameter(database, name).map { unsafe String(cString: $0) }
    }
  }

  /// Returns whether a parameter is `yes`, `true`, `on` or a number other than 0.
  ///
  /// Returns `default` if the parameter is missing, or is neither one of these values nor one of their
  /// opposites: `no`, `false`, `off` and 0.
  ///
  /// The corresponding C function is `sqlite3_uri_boolean`.
  public func uriBoolean(_ name: String, default: Bool = false) -> Bool {
    unsafe named(name).map { database in
      unsafe sqlite3_uri_boolean(database, name, `default` ? 1 : 0) != 0
    } ?? `default`
  }

  /// Returns the value of a parameter as a number.
  ///
  /// Returns `default` if the parameter is missing, or is not a 64-bit integer.
  ///
  /// The corresponding C function is `sqlite3_uri_int64`.
  public func uriInteger(_ name: String, default: Int64 = 0) -> Int64 {
    unsafe named(name).map { unsafe sqlite3_uri_int64($0, name, `default`) } ?? `default`
  }

  private var uriParameters: [(String, String)] {
    guard let database = unsafe database else { return [] }
    var parameters: [(String, String)] = []
    while let name = unsafe sqlite3_uri_key(database, Int32(clamping: parameters.count)) {
      let value = unsafe sqlite3_uri_parameter(database, name)
      parameters.append(
        (unsafe String(cString: name), unsafe value.map { unsafe String(cString: $0) } ?? ""))
    }
    return parameters
  }

  /// Returns the C name of the database, after which C finds the URI parameters.
  ///
  /// The result is nil if the file belongs to no database, or if `parameter` contains a NUL.
  private func named(_ parameter: String) -> UnsafePointer<CChar>? {
    parameter.utf8.contains(0) ? nil : unsafe database
  }
}
