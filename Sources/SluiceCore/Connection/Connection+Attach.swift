/// Several databases on one connection, which one statement can use together.
extension Connection {
  /// Opens the database file at `path` as well, under a name for use in SQL.
  ///
  /// ```swift
  /// try connection.attach(path: "archive.db", as: "archive")
  /// try connection.execute(sql: "INSERT INTO archive.person SELECT * FROM person WHERE age > 100")
  /// ```
  ///
  /// The path is taken as in ``Connection/init(path:readOnly:create:configuration:)``. What is
  /// attached to a connection that can only read can only be read, too. A name that is in use throws
  /// ``ResultCode/error``.
  ///
  /// Without an `encryptionKey`, the file has that of the connection, if it has one. A file whose key or
  /// ``CipherSettings`` are others throws ``ResultCode/notADatabase``. SQLCipher attaches no file whose settings have a
  /// salt, which throws ``ResultCode/misuse``: use a raw key of 48 bytes.
  ///
  /// The corresponding SQL is `ATTACH DATABASE`.
  public func attach(
    path: String, as name: String, readOnly: Bool = false, create: Bool = true,
    encryptionKey: EncryptionKey? = nil
  ) throws {
    let file = try Self.literal(path: path)
    try refuseNUL(in: path, "The path")
    guard readOnly || !create, path != ":memory:" else {
      return try add(file, name, encryptionKey)
    }
    func open(_ mode: String) throws {
      try attach(uri: fileURI(path, "mode=" + mode), as: name, encryptionKey: encryptionKey)
    }
    do { try open(readOnly ? "ro" : "rw") } catch let error as SQLiteError
      where error.code == .error && isReadOnly()
    {
      // A connection that was opened to read only refuses other modes.
      try open("ro")
    }
  }

  /// Opens the database that a URI file name means as well, under a name for use in SQL.
  ///
  /// What is not a `file:` URI is refused with ``ResultCode/cantOpen``. On a connection that C code
  /// has opened without URIs, all are refused with ``ResultCode/misuse``.
  public func attach(
    uri: String, as name: String, encryptionKey: EncryptionKey? = nil
  ) throws {
    try Self.check(uri: uri)
    try refuseNUL(in: uri, "The URI")
    guard try takesURIs() else {
      throw SQLiteError(
        .misuse, "C code has opened this connection without URIs: attach a path instead")
    }
    try add(uri, name, encryptionKey)
  }

  /// Closes a database that was attached.
  ///
  /// An unknown name throws ``ResultCode/range``, and ``ResultCode/error`` that of the main database,
  /// and that of a database which a transaction or statement is using.
  ///
  /// The corresponding SQL is `DETACH DATABASE`.
  public func detach(_ name: String) throws {
    _ = try transactionState(schema: name)
    try run("DETACH DATABASE ?", .text(name))
  }

  /// All databases of the connection: the main one, the temporary one if it is in use, and those that
  /// were attached, in that order.
  ///
  /// The corresponding SQL is `PRAGMA database_list`.
  public func databases() throws -> [AttachedDatabase] {
    let list = try prepare(sql: "PRAGMA database_list")
    var databases: [AttachedDatabase] = []
    while let row = try list.step() { databases.append(try database(named: row.text(at: 1))) }
    return databases
  }

  /// The database of this name; an unknown one throws ``ResultCode/range``.
  public func database(named name: String) throws -> AttachedDatabase {
    _ = try transactionState(schema: name)
    return AttachedDatabase(name: name, path: path(of: name), isReadOnly: isReadOnly(name))
  }
}

extension Connection {
  /// The name for use in SQL of a database that is there; an unknown one throws ``ResultCode/range``.
  func quotedName(of database: String) throws -> String {
    _ = try transactionState(schema: database)
    return try quoted(identifier: database)
  }

  private func add(
    _ file: String, _ name: String, _ key: EncryptionKey? = nil
  ) throws {
    // SQLCipher would take what it has made of the key, with the salt of the main file, which is not
    // that of another one.
    guard let key = key ?? configuration.encryptionKey else {
      try refuseNUL(in: name, "The name of the database")
      return try run("ATTACH DATABASE ? AS ?", .text(file), .text(name))
    }
    try SQLiteLibrary.require(.encryption)
    guard key.settings.salt == nil else {
      throw SQLiteError(
        .misuse, "A salt comes too late for an attached file: use a raw key of 48 bytes")
    }
    try CipherDefaults.with(key.settings, on: self) { try add(file, name, key.bytes) }
  }

  /// Attaches a file with a key, which is empty for a file that is not encrypted.
  private func add(_ file: String, _ name: String, _ key: [UInt8]) throws {
    try refuseNUL(in: name, "The name of the database")
    let attaching = try attachingKey ?? makeAttachingKey()
    attaching.bytes = key
    defer { attaching.bytes = [] }
    // A trace shows the values of parameters, and not the results of functions.
    do {
      try run("ATTACH DATABASE ? AS ? KEY sluice_key()", .text(file), .text(name))
    } catch SQLiteError.notADatabase {
      throw SQLiteError.wrongKey
    }
  }

  /// Lets SQL ask for the key during an `ATTACH`.
  private func makeAttachingKey() throws -> AttachingKey {
    let key = AttachingKey()
    try addFunction("sluice_key", arity: 0) { _ in .blob(key.bytes) }
    attachingKey = key
    return key
  }

  /// Attaches a file that is empty, in order to fill it.
  func attach(emptyFile path: String, as name: String, encryptionKey key: EncryptionKey?) throws {
    let file = try Self.literal(path: path)
    try CipherDefaults.withOwn { try add(file, name, key?.bytes ?? []) }
  }

  private func run(_ sql: String, _ values: DatabaseValue...) throws {
    try execute(sql: sql, parameters: SQLParameters(values))
  }

  /// Whether SQLite takes what begins with "file:" for a URI.
  ///
  /// Only for connections that C code has opened this is to be found out: a file system that does not
  /// exist is refused in a URI, and is a part of the name of a file, whose folder does not exist, else.
  private func takesURIs() throws -> Bool {
    guard isAdopted else { return true }
    do { try add("file:sluice/no folder?vfs=sluice%20no%20vfs", "sluice no database") } catch {
      return !(ResultCode.cantOpen ~= error)
    }
    try detach("sluice no database")
    return false
  }
}

/// The key of the database that a connection is attaching.
final class AttachingKey {
  /// Empty at any other time.
  var bytes: [UInt8] = []
}

/// A database that a connection has open: the main one, the one for temporary tables, or one that
/// ``Connection/attach(path:as:readOnly:create:encryptionKey:)`` has added.
public struct AttachedDatabase: Hashable, Sendable {
  /// The name in SQL, as in `SELECT * FROM archive.person`.
  public let name: String
  /// The full path of the file, or nil if there is none that others can open.
  ///
  /// The corresponding C function is `sqlite3_db_filename`.
  public let path: String?
  /// Whether the database cannot be written.
  ///
  /// The corresponding C function is `sqlite3_db_readonly`.
  public let isReadOnly: Bool
}
