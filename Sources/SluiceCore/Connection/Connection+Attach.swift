/// Methods that attach further databases to a connection, so that a single statement can use several databases.
extension Connection {
  /// Attaches the database file at `path` under a name for use in SQL.
  ///
  /// ```swift
  /// try connection.attach(path: "archive.db", as: "archive")
  /// try connection.execute(sql: "INSERT INTO archive.person SELECT * FROM person WHERE age > 100")
  /// ```
  ///
  /// The path is interpreted as in ``Connection/init(path:readOnly:create:configuration:)``. A database that is
  /// attached to a read-only connection is also read-only. A name that is already in use throws
  /// ``ResultCode/error``.
  ///
  /// Without an `encryptionKey`, the method uses the connection's own key, if there is one. A file with another key
  /// or other ``CipherSettings`` throws ``ResultCode/notADatabase``. Settings that contain a salt throw
  /// ``ResultCode/misuse``, because SQLCipher cannot attach a file with them: use a raw key of 48 bytes.
  ///
  /// The corresponding SQL is `ATTACH DATABASE`.
  public func attach(
    path: String, as name: String, readOnly: Bool = false, create: Bool = true,
    encryptionKey: EncryptionKey? = nil
  ) throws {
    let file = try Self.literal(path: path)
    try refuseNUL(in: path, "The path")
    try Self.refusePipe(path, configuration)
    guard readOnly || !create, path != ":memory:" else {
      return try add(file, name, encryptionKey)
    }
    func open(_ mode: String) throws {
      try attach(uri: fileURI(path, "mode=" + mode), as: name, encryptionKey: encryptionKey)
    }
    do { try open(readOnly ? "ro" : "rw") } catch let error as SQLiteError
      where error.code == .error && isReadOnly()
    {
      // SQLite refuses the mode `rw` on a connection that was opened read-only.
      try open("ro")
    }
  }

  /// Attaches the database that a URI filename identifies, under a name for use in SQL.
  ///
  /// A string that is not a `file:` URI throws ``ResultCode/cantOpen``. On a connection that C code opened without
  /// URI support, every URI throws ``ResultCode/misuse``.
  public func attach(
    uri: String, as name: String, encryptionKey: EncryptionKey? = nil
  ) throws {
    try Self.check(uri: uri, configuration)
    try refuseNUL(in: uri, "The URI")
    guard try takesURIs() else {
      throw SQLiteError(
        .misuse, "C code opened this connection without URI support: attach the file by its path")
    }
    try add(uri, name, encryptionKey)
  }

  /// Detaches a database from the connection.
  ///
  /// - Throws: ``ResultCode/range`` for an unknown name. ``ResultCode/error`` for the main database, and for a
  ///   database that a transaction or statement is using.
  ///
  /// The corresponding SQL is `DETACH DATABASE`.
  public func detach(_ name: String) throws {
    _ = try transactionState(schema: name)
    try run("DETACH DATABASE ?", .text(name))
  }

  /// Returns all databases of the connection.
  ///
  /// The main database comes first, then the temporary one if it is in use, then the attached ones.
  ///
  /// The corresponding SQL is `PRAGMA database_list`.
  public func databases() throws -> [AttachedDatabase] {
    let list = try prepare(sql: "PRAGMA database_list")
    var databases: [AttachedDatabase] = []
    while let row = try list.step() { databases.append(try database(named: row.text(at: 1))) }
    return databases
  }

  /// Returns the database with this name; an unknown name throws ``ResultCode/range``.
  public func database(named name: String) throws -> AttachedDatabase {
    _ = try transactionState(schema: name)
    return AttachedDatabase(name: name, path: path(of: name), isReadOnly: isReadOnly(name))
  }
}

extension Connection {
  /// Returns the name of an existing database, quoted for use in SQL.
  ///
  /// - Throws: ``ResultCode/range`` for an unknown name.
  func quotedName(of database: String) throws -> String {
    _ = try transactionState(schema: database)
    return try quoted(identifier: database)
  }

  private func add(
    _ file: String, _ name: String, _ key: EncryptionKey? = nil
  ) throws {
    // If the connection has a key, a key is always passed: without one, SQLCipher would reuse the key that it derived
    // with the main file's salt, although each file has a different salt.
    guard let key = key ?? configuration.encryptionKey else {
      try refuseNUL(in: name, "The name of the database")
      return try run("ATTACH DATABASE ? AS ?", .text(file), .text(name))
    }
    try SQLiteLibrary.require(.encryption)
    guard key.settings.salt == nil else {
      throw SQLiteError(
        .misuse,
        "The settings of an attached file cannot contain a salt: use a raw key of 48 bytes")
    }
    try CipherDefaults.with(key.settings, on: self) { try add(file, name, key.bytes) }
  }

  /// Attaches a file with a key, which is empty for an unencrypted file.
  private func add(_ file: String, _ name: String, _ key: [UInt8]) throws {
    try refuseNUL(in: name, "The name of the database")
    let attaching = try slots[AttachingKey.self] ?? makeAttachingKey()
    attaching.bytes = key
    defer { attaching.bytes = [] }
    // A function supplies the key, because a trace shows the values of parameters but not function results.
    do {
      try run("ATTACH DATABASE ? AS ? KEY sluice_key()", .text(file), .text(name))
    } catch SQLiteError.notADatabase {
      throw SQLiteError.wrongKey
    }
  }

  /// Adds the SQL function that supplies the key during an `ATTACH`.
  private func makeAttachingKey() throws -> AttachingKey {
    let key = AttachingKey()
    try addFunction("sluice_key", arity: 0) { _ in .blob(key.bytes) }
    _ = slots.replace(AttachingKey.self, by: key)
    return key
  }

  /// Attaches an empty file, which the caller then fills.
  func attach(emptyFile path: String, as name: String, encryptionKey key: EncryptionKey?) throws {
    let file = try Self.literal(path: path)
    try CipherDefaults.withOwn { try add(file, name, key?.bytes ?? []) }
  }

  private func run(_ sql: String, _ values: DatabaseValue...) throws {
    try execute(sql: sql, parameters: SQLParameters(values))
  }

  /// Returns whether SQLite treats a name that begins with "file:" as a URI.
  ///
  /// Sluice opens its own connections with URI support, so only a connection that C code opened needs the test. The
  /// test attaches a name that SQLite cannot open, and the error shows how SQLite treated the name: as a URI,
  /// it names an unknown file system; as a path, it names a folder that does not exist.
  private func takesURIs() throws -> Bool {
    guard origin.isAdopted else { return true }
    do { try add("file:sluice/no folder?vfs=sluice%20no%20vfs", "sluice no database") } catch {
      return !(ResultCode.cantOpen ~= error)
    }
    try detach("sluice no database")
    return false
  }
}

/// The key that an SQL function returns while a connection attaches a database.
private final class AttachingKey {
  /// The bytes of the key; empty while no database is being attached.
  var bytes: [UInt8] = []
}

/// A database of a connection: the main one, the temporary one, or an attached one.
///
/// ``Connection/attach(path:as:readOnly:create:encryptionKey:)`` attaches a database.
public struct AttachedDatabase: Hashable, Sendable {
  /// The name of the database in SQL, as in `SELECT * FROM archive.person`.
  public let name: String
  /// The full path of the file, or nil if there is no file that other connections can open.
  ///
  /// The corresponding C function is `sqlite3_db_filename`.
  public let path: String?
  /// Whether the database is read-only.
  ///
  /// The corresponding C function is `sqlite3_db_readonly`.
  public let isReadOnly: Bool
}
