import CSluice

/// A file that a ``VirtualFileSystem`` is to open, valid during the call.
@safe public struct VirtualFileRequest: ~Copyable {
  /// The path, or nil for a file that needs no name: it is gone once it is closed.
  public let path: String?
  /// The purpose of the file.
  public let kind: Kind
  /// The name for C, with the parameters of a URI behind it if it is that of a database.
  let name: UnsafePointer<CChar>?
  /// The name of the database for C, with its parameters, that the file belongs to.
  let database: UnsafePointer<CChar>?
  /// The object that `name` belongs to, if it is not SQLite.
  let created: CreatedFilename?
  let flags: Int32
  /// The file of SQLite that is being opened.
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

  // A struct that cannot be copied and holds a class makes Swift 6.3 crash without one.
  deinit {}

  /// The purpose of a file.
  ///
  /// The corresponding C values are `SQLITE_OPEN_MAIN_DB` and the like.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// A database: the main one, or one that was attached.
    case database
    /// The journal with which a transaction of a database is undone.
    case journal
    /// The write-ahead log of a database.
    case wal
    /// The journal that holds the names of others, for a transaction in several databases.
    case superJournal
    /// The database of temporary tables.
    case temporaryDatabase
    /// The journal of temporary tables.
    case temporaryJournal
    /// A file that one statement needs.
    case transient
    /// The journal with which a statement or savepoint is undone.
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
  /// Whether the file is only to be read.
  ///
  /// One that is to be written and cannot be may be opened to be read only, and say so.
  public var isReadOnly: Bool { flags & SQLITE_OPEN_READONLY != 0 }

  /// Whether the file is to be made if it is not there.
  public var creates: Bool { flags & SQLITE_OPEN_CREATE != 0 }

  /// Whether it is an error if the file is there already.
  public var isExclusive: Bool { flags & SQLITE_OPEN_EXCLUSIVE != 0 }

  /// Whether the file is to be deleted when it is closed.
  public var deletesOnClose: Bool { flags & SQLITE_OPEN_DELETEONCLOSE != 0 }

  /// The file of the database that a journal or WAL belongs to, as this file system has opened it.
  ///
  /// The corresponding C function is `sqlite3_database_file_object`, which does not check what it is asked.
  public var databaseFile: (any VirtualFile)? { kind == .database ? nil : box.database?.file }

  /// The path of the database that a journal or WAL belongs to, or of the database itself; nil for all
  /// other files.
  ///
  /// The corresponding C function is `sqlite3_filename_database`.
  public var databasePath: String? { unsafe path(sqlite3_filename_database) }

  /// The path that the journal of the database has, if it needs one.
  ///
  /// The corresponding C function is `sqlite3_filename_journal`.
  public var journalPath: String? { unsafe path(sqlite3_filename_journal) }

  /// The path that the WAL of the database has, if it needs one.
  ///
  /// The corresponding C function is `sqlite3_filename_wal`.
  public var walPath: String? { unsafe path(sqlite3_filename_wal) }

  private func path(
    _ find: (UnsafePointer<CChar>?) -> UnsafePointer<CChar>?
  ) -> String? {
    // The path of the database was found to be UTF-8, and the others are made of it.
    unsafe database.flatMap { unsafe find($0) }.flatMap { unsafe String(validatingCString: $0) }
  }

  /// The same for another path: its journal and WAL, which have requests of their own, are then those
  /// beside it.
  ///
  /// A file that needs no name throws ``ResultCode/misuse``, as does a path with a NUL.
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

/// A name for C that is ours, with parameters behind it.
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

/// Returns the name of a file in C, if that is UTF-8.
func text(of name: UnsafePointer<CChar>) throws -> String {
  guard let text = unsafe String(validatingCString: name) else {
    throw SQLiteError(.cantOpenPathConversion, "The path of a file is not UTF-8")
  }
  return text
}

/// The parameters of the URI that the database of the file was opened with.
///
/// A journal and a WAL have those of their database. Other files have none.
extension VirtualFileRequest {
  /// The names of all parameters, in order.
  ///
  /// The corresponding C function is `sqlite3_uri_key`.
  public var uriParameterNames: [String] { uriParameters.map(\.0) }

  /// The value of a parameter, or nil if the URI has none of this name.
  ///
  /// The corresponding C function is `sqlite3_uri_parameter`.
  public func uriParameter(_ name: String) -> String? {
    unsafe named(name).flatMap { database in
      unsafe sqlite3_uri_parameter(database, name).map { unsafe String(cString: $0) }
    }
  }

  /// Whether a parameter is `yes`, `true`, `on` or a number but 0; `default` if it is missing, or none of
  /// these nor their contrary.
  ///
  /// The corresponding C function is `sqlite3_uri_boolean`.
  public func uriBoolean(_ name: String, default: Bool = false) -> Bool {
    unsafe named(name).map { database in
      unsafe sqlite3_uri_boolean(database, name, `default` ? 1 : 0) != 0
    } ?? `default`
  }

  /// The number that a parameter is, or `default` if it is missing or no number of 64 bits.
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

  /// The name with the parameters, unless there can be none of this name.
  private func named(_ parameter: String) -> UnsafePointer<CChar>? {
    parameter.utf8.contains(0) ? nil : unsafe database
  }
}
