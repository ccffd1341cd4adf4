import CSluice
import Synchronization

extension Connection {
  /// Encrypts the main database with another key, which rewrites all of its file.
  ///
  /// No other connection to the file may be open: one that is working throws ``ResultCode/busy``, and
  /// the old key stays. A ``ConnectionReadQueue`` that is made from the queue of this connection
  /// afterwards still uses the old key, and so throws.
  ///
  /// The ``CipherSettings`` of the file stay as they are.
  ///
  /// It throws ``ResultCode/misuse`` while a transaction or statement of this connection is open, if the key has settings
  /// that differ from those of the file, and if the connection was opened without a key:
  /// `export(to:encryptionKey:database:)` writes an encrypted file, or one with other settings.
  ///
  /// The corresponding C function is `sqlite3_rekey`.
  public func changeEncryptionKey(to key: EncryptionKey) throws {
    try SQLiteLibrary.require(.encryption)
    _ = try unsafe handle()
    try refuseStatements()
    guard let old = configuration.encryptionKey else {
      throw SQLiteError(.misuse, "The connection was opened without an encryption key")
    }
    guard state.calls.depth == 0, isInAutocommit, try transactionState() == .none else {
      throw SQLiteError(.misuse, "The key cannot change while a transaction or statement is open")
    }
    guard !isReadOnly() else { throw SQLiteError(.readOnly, "The database is read-only") }
    guard key.settings.isDefault || key.settings == old.settings else {
      throw SQLiteError(
        .misuse, "The cipher settings of a file cannot change: export the database to a new file")
    }
    let key = key.with(old.settings)
    do {
      try unsafe callSQLite { handle in
        unsafe sluice_rekey(handle, key.bytes, Int32(clamping: key.bytes.count))
      }
      try checkFile(opensWith: key)
    } catch {
      // SQLCipher would go on to write with the new key, and so destroy what the old one has encrypted.
      try? state.cleaningUp {
        try unsafe callSQLite { handle in
          unsafe sluice_rekey(handle, old.bytes, Int32(clamping: old.bytes.count))
        }
      }
      throw error
    }
    configuration.encryptionKey = key
  }

  /// Gives the key and its settings to SQLite before it reads the file.
  func unlock(with key: EncryptionKey) throws {
    try CipherDefaults.withOwn {
      try check(unsafe sluice_key(handle(), key.bytes, Int32(clamping: key.bytes.count)))
    }
    try apply(key.settings, to: "main")
  }

  /// Reads, because only then a wrong key shows.
  func checkKey() throws {
    // With a plaintext header, SQLCipher finds a wrong key only after the header, and has no code for that.
    do { try takeSnapshot() } catch let error as SQLiteError
      where error.code.primary == .notADatabase || error.code == .error
    {
      throw SQLiteError.wrongKey
    }
  }

  /// Looks at the file from outside: SQLCipher says that it has changed the key also if it could not.
  private func checkFile(opensWith key: EncryptionKey) throws {
    guard let path = path(), let name = unsafe fileSystem?.pointee.zName else { return }
    var other = Configuration.sqliteDefaults
    other.busyTimeout = configuration.busyTimeout
    other.encryptionKey = key
    other.pragmas = configuration.pragmas.ofCipher
    let query = unsafe "vfs=" + escapedForURI(String(cString: name))
    do { _ = try Connection(uri: fileURI(path, query), readOnly: true, configuration: other) } catch
    {
      throw SQLiteError(.busy, "The key has not changed: another connection may be using the file")
    }
  }
}

extension SQLiteError {
  /// SQLCipher cannot decrypt the file.
  static var wrongKey: SQLiteError {
    SQLiteError(
      .notADatabase,
      "The key or its cipher settings do not match the file, or the file is not encrypted")
  }
}

/// The key of an encrypted database, for a SQLite that can encrypt, such as SQLCipher.
///
/// No error, description, monitor or trace shows the key.
public struct EncryptionKey: Hashable, Sendable {
  let bytes: [UInt8]
  /// The settings of the files that the key is for.
  public let settings: CipherSettings

  /// A key that is made of a passphrase, which takes a while each time that a connection opens.
  ///
  /// - Parameters:
  ///   - passphrase: The passphrase, from which SQLCipher derives the key.
  ///   - settings: The settings that a file was created with, or is to be created with.
  /// - Throws: ``ResultCode/misuse`` for an empty passphrase, which would mean that nothing is encrypted.
  public init(passphrase: String, settings: CipherSettings = CipherSettings()) throws {
    guard !passphrase.isEmpty else { throw SQLiteError(.misuse, "The passphrase is empty") }
    guard passphrase.utf8.count <= Int32.max else {
      throw SQLiteError(.tooBig, "The passphrase is too long")
    }
    bytes = Array(passphrase.utf8)
    self.settings = settings
  }

  /// The key itself, which is 32 bytes for SQLCipher, or 48 with the salt of the file.
  ///
  /// - Parameters:
  ///   - rawKey: The bytes of the key.
  ///   - settings: The settings that a file was created with, or is to be created with.
  /// - Throws: ``ResultCode/range`` for any other number of bytes, which SQLCipher would take for a passphrase.
  public init(rawKey: [UInt8], settings: CipherSettings = CipherSettings()) throws {
    guard rawKey.count == 32 || rawKey.count == 48 else {
      throw SQLiteError(.range, "A raw key must have 32 or 48 bytes (got \(rawKey.count))")
    }
    bytes = Array(DatabaseValue.blob(rawKey).description.utf8)
    self.settings = settings
  }

  private init(bytes: [UInt8], settings: CipherSettings) {
    self.bytes = bytes
    self.settings = settings
  }

  /// This key for a file that has these settings.
  func with(_ settings: CipherSettings) -> EncryptionKey {
    EncryptionKey(bytes: bytes, settings: settings)
  }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name of the type alone.
  public var description: String { "EncryptionKey" }
  /// The name of the type alone.
  public var debugDescription: String { description }
  /// Nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The settings with which SQLCipher encrypts a file, where they differ from its defaults.
///
/// ```swift
/// configuration.encryptionKey = try EncryptionKey(
///   passphrase: passphrase, settings: CipherSettings(compatibility: 3))
/// ```
///
/// The file stores none of them: each connection needs the settings that the file was created with. Nil leaves a setting
/// at the default of the linked SQLCipher.
///
/// SQLCipher takes the settings after the key and before the first read. A value that SQLCipher does not take throws
/// ``ResultCode/range`` when a connection opens.
public struct CipherSettings: Hashable, Sendable {
  /// The major version of SQLCipher that created the file, from 1 on.
  ///
  /// It selects the defaults of that version. The other settings are applied after it.
  ///
  /// The corresponding SQL is `PRAGMA cipher_compatibility`.
  public var compatibility: Int?

  /// The bytes of a page, a power of two from 1024 to 65,536.
  ///
  /// The corresponding SQL is `PRAGMA cipher_page_size`.
  public var pageSize: Int?

  /// The number of iterations that derive a key from a passphrase.
  ///
  /// Fewer iterations open a connection faster, and make the passphrase easier to guess. A raw key needs none.
  ///
  /// The corresponding SQL is `PRAGMA kdf_iter`.
  public var kdfIterations: Int?

  /// The number of bytes at the beginning of the file that are not encrypted, a multiple of 16.
  ///
  /// With 32, other programs recognize an SQLite file. These bytes take the place of the salt, so the program stores the
  /// ``salt``, or uses a raw key of 48 bytes, which includes one.
  ///
  /// The corresponding SQL is `PRAGMA cipher_plaintext_header_size`.
  public var plaintextHeaderSize: Int?

  /// The 16 bytes that are mixed into the passphrase, for a file that does not store them.
  ///
  /// A file whose ``plaintextHeaderSize`` is 0 stores its salt.
  ///
  /// The corresponding SQL is `PRAGMA cipher_salt`.
  public var salt: [UInt8]?

  /// Creates settings; nil is the default of the linked SQLCipher.
  public init(
    compatibility: Int? = nil, pageSize: Int? = nil, kdfIterations: Int? = nil,
    plaintextHeaderSize: Int? = nil, salt: [UInt8]? = nil
  ) {
    self.compatibility = compatibility
    self.pageSize = pageSize
    self.kdfIterations = kdfIterations
    self.plaintextHeaderSize = plaintextHeaderSize
    self.salt = salt
  }

  /// Whether each setting is the default of the linked SQLCipher.
  var isDefault: Bool { self == CipherSettings() }
}

extension Connection {
  /// Sets how SQLCipher encrypts a database that it has not read yet.
  func apply(_ settings: CipherSettings, to database: String) throws {
    guard !settings.isDefault else { return }
    try check(settings)
    let prefix = try prefix(of: database)
    if let version = settings.compatibility {
      try runPragma("\(prefix)cipher_compatibility = \(version)")
    }
    func set(_ name: String, _ value: Int?) throws {
      guard let value else { return }
      try runPragma("\(prefix)\(name) = \(value)")
      // SQLCipher reports no error for a value that it refuses.
      guard try pragmaAnswer(prefix + name) == .text(String(value)) else {
        throw SQLiteError(.range, "SQLCipher rejects the \(name) \(value)")
      }
    }
    try set("cipher_page_size", settings.pageSize)
    try set("kdf_iter", settings.kdfIterations)
    try set("cipher_plaintext_header_size", settings.plaintextHeaderSize)
    if let salt = settings.salt {
      try runPragma("\(prefix)cipher_salt = \"\(DatabaseValue.blob(salt))\"")
    }
  }

  /// Throws for values that SQLCipher would replace by others.
  func check(_ settings: CipherSettings) throws {
    guard case .text(let version)? = try pragmaAnswer("cipher_version") else {
      throw SQLiteError(.notFound, "The linked SQLite has no cipher settings: it is not SQLCipher")
    }
    if let compatibility = settings.compatibility {
      let newest = Int(version.prefix { $0 != "." }) ?? 0
      guard compatibility >= 1, compatibility <= newest else {
        throw SQLiteError(
          .range,
          "The compatibility must be from 1 to \(newest) for SQLCipher \(version) (got \(compatibility))"
        )
      }
    }
    if let size = settings.pageSize {
      // SQLite needs 480 bytes of a page, and SQLCipher up to 80 others.
      guard (1024...65_536).contains(size), size.nonzeroBitCount == 1 else {
        throw SQLiteError(
          .range, "The cipher page size must be a power of two from 1024 to 65,536 (got \(size))")
      }
    }
    if let count = settings.kdfIterations {
      guard count > 0, count <= Int32.max else {
        throw SQLiteError(
          .range, "The iteration count must be from 1 to \(Int32.max) (got \(count))")
      }
    }
    if let size = settings.plaintextHeaderSize {
      guard size >= 0, size <= Int32.max, size % 16 == 0 else {
        throw SQLiteError(
          .range, "The size of the plaintext header must be a multiple of 16 (got \(size))")
      }
    }
    if let salt = settings.salt, salt.count != 16 {
      throw SQLiteError(.range, "A salt must have 16 bytes (got \(salt.count))")
    }
  }
}

/// The settings that SQLCipher gives to each database at the moment that the database gets its key.
///
/// `ATTACH` sets the key and reads the file in one step, so the defaults, which belong to the process, are the only way to
/// give other settings to an attached file. Each call that sets a key holds the lock, which keeps it from seeing the
/// defaults of another thread.
enum CipherDefaults {
  private static let lock = Locked(())
  /// The thread that holds the lock, or 0.
  private static let holder = Atomic<UInt>(0)
  /// Written by the holder alone.
  private static let areReplaced = Atomic(false)

  /// Calls `body`, which sets a key, while the defaults are those of the process.
  static func withOwn(_ body: () throws -> Void) throws {
    let thread = UInt(sluice_current_thread())
    // A busy handler or a file system that ATTACH calls may open a connection.
    if holder.load(ordering: .relaxed) == thread {
      guard !areReplaced.load(ordering: .relaxed) else {
        throw SQLiteError(.misuse, "No key can be set while this thread attaches another database")
      }
      return try body()
    }
    try lock.withLock { _ in
      holder.store(thread, ordering: .relaxed)
      defer { holder.store(0, ordering: .relaxed) }
      try body()
    }
  }

  /// Calls `body`, which attaches a database, while the defaults are `settings`.
  static func with(
    _ settings: CipherSettings, on connection: Connection, _ body: () throws -> Void
  ) throws {
    guard !settings.isDefault else { return try withOwn(body) }
    try connection.check(settings)
    try withOwn {
      let old = try connection.prepare(sql: "PRAGMA cipher_default_settings")
        .query(.column(.string))
      areReplaced.store(true, ordering: .relaxed)
      defer { areReplaced.store(false, ordering: .relaxed) }
      let new = [
        ("compatibility", settings.compatibility), ("page_size", settings.pageSize),
        ("kdf_iter", settings.kdfIterations),
        ("plaintext_header_size", settings.plaintextHeaderSize),
      ]
      do {
        for case (let name, let value?) in new {
          try connection.runPragma("cipher_default_\(name) = \(value)")
        }
        try body()
      } catch {
        // The first error counts.
        try? restore(old, on: connection)
        throw error
      }
      try restore(old, on: connection)
    }
  }

  private static func restore(_ settings: [String], on connection: Connection) throws {
    try connection.cleaningUp {
      for sql in settings { try connection.prepare(sql: sql).execute() }
    }
  }
}
