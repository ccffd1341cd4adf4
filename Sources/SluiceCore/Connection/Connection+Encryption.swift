import CSluice
import Synchronization

extension Connection {
  /// Encrypts the main database with a different key, which rewrites the whole file.
  ///
  /// No other connection to the file may be open. If another connection is using the file, the method throws
  /// ``ResultCode/busy`` and keeps the old key. A ``ConnectionReadQueue`` that is created later from this
  /// connection's queue still uses the old key, and therefore throws.
  ///
  /// The ``CipherSettings`` of the file do not change.
  ///
  /// The method throws ``ResultCode/misuse`` in three cases: a transaction or statement of this connection is open,
  /// the key specifies settings that differ from the file's, or the connection was opened without a key. To write an
  /// encrypted copy, or a copy with other settings, use `export(to:encryptionKey:database:)`.
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
      // Restore the old key. Otherwise, SQLCipher would write with the new key from now on, and destroy the data that
      // the old key encrypted.
      try? state.cleaningUp {
        try unsafe callSQLite { handle in
          unsafe sluice_rekey(handle, old.bytes, Int32(clamping: old.bytes.count))
        }
      }
      throw error
    }
    configuration.encryptionKey = key
  }

  /// Passes the key and its settings to SQLite before the first read of the file.
  func unlock(with key: EncryptionKey) throws {
    try CipherDefaults.withOwn {
      try check(unsafe sluice_key(handle(), key.bytes, Int32(clamping: key.bytes.count)))
    }
    try apply(key.settings, to: "main")
  }

  /// Reads the file, because only then does SQLCipher detect a wrong key.
  func checkKey() throws {
    // SQLCipher reads a plaintext header without the key. It then detects a wrong key only when it decrypts the
    // content after the header, and reports a generic error.
    do { try takeSnapshot() } catch let error as SQLiteError
      where error.code.primary == .notADatabase || error.code == .error
    {
      throw SQLiteError.wrongKey
    }
  }

  /// Opens the file with another connection, and throws if the key does not open it.
  ///
  /// SQLCipher reports success even if it could not change the key.
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
  /// The error for a file that SQLCipher cannot decrypt.
  static var wrongKey: SQLiteError {
    SQLiteError(
      .notADatabase,
      "The key or its cipher settings do not match the file, or the file is not encrypted")
  }
}

/// The key of an encrypted database, for builds of SQLite with encryption, such as SQLCipher.
///
/// No error, description, monitor or trace shows the key.
public struct EncryptionKey: Hashable, Sendable {
  let bytes: [UInt8]
  /// The settings of the files that this key encrypts.
  public let settings: CipherSettings

  /// Creates a key from a passphrase.
  ///
  /// SQLCipher derives the key each time a connection opens, which takes noticeable time.
  ///
  /// - Parameters:
  ///   - passphrase: The passphrase, from which SQLCipher derives the key.
  ///   - settings: The settings that a file was created with, or is to be created with.
  /// - Throws: ``ResultCode/misuse`` for an empty passphrase, which would disable encryption.
  public init(passphrase: String, settings: CipherSettings = CipherSettings()) throws {
    guard !passphrase.isEmpty else { throw SQLiteError(.misuse, "The passphrase is empty") }
    guard passphrase.utf8.count <= Int32.max else {
      throw SQLiteError(.tooBig, "The passphrase is too long")
    }
    bytes = Array(passphrase.utf8)
    self.settings = settings
  }

  /// Creates a raw key: for SQLCipher, 32 bytes, or 48 bytes including the salt of the file.
  ///
  /// - Parameters:
  ///   - rawKey: The bytes of the key.
  ///   - settings: The settings that a file was created with, or is to be created with.
  /// - Throws: ``ResultCode/range`` for any other number of bytes, which SQLCipher would treat as a passphrase.
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

  /// Returns this key for a file with the given settings.
  func with(_ settings: CipherSettings) -> EncryptionKey {
    EncryptionKey(bytes: bytes, settings: settings)
  }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name of the type, without the key.
  public var description: String { "EncryptionKey" }
  /// The name of the type, without the key.
  public var debugDescription: String { description }
  /// An empty mirror, which hides the key.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The settings with which SQLCipher encrypts a file, where they differ from its defaults.
///
/// ```swift
/// configuration.encryptionKey = try EncryptionKey(
///   passphrase: passphrase, settings: CipherSettings(compatibility: 3))
/// ```
///
/// The file stores none of these settings, so each connection needs the settings that the file was created with. A
/// nil setting means the default of the linked SQLCipher.
///
/// SQLCipher accepts the settings after the key and before the first read. A value that SQLCipher rejects throws
/// ``ResultCode/range`` when a connection opens.
public struct CipherSettings: Hashable, Sendable {
  /// The major version of SQLCipher that created the file, at least 1.
  ///
  /// This setting selects the defaults of that version. The other settings are applied after it.
  ///
  /// The corresponding SQL is `PRAGMA cipher_compatibility`.
  public var compatibility: Int?

  /// The page size in bytes, a power of two from 1024 to 65,536.
  ///
  /// The corresponding SQL is `PRAGMA cipher_page_size`.
  public var pageSize: Int?

  /// The number of iterations that derive the key from a passphrase.
  ///
  /// Fewer iterations open a connection faster, but make the passphrase easier to guess. A raw key
  /// needs no iterations.
  ///
  /// The corresponding SQL is `PRAGMA kdf_iter`.
  public var kdfIterations: Int?

  /// The number of unencrypted bytes at the beginning of the file, a multiple of 16.
  ///
  /// With 32 bytes, other programs recognize the file as an SQLite database. These bytes replace the salt in the
  /// file, so the program must store the ``salt``, or use a raw key of 48 bytes, which includes the salt.
  ///
  /// The corresponding SQL is `PRAGMA cipher_plaintext_header_size`.
  public var plaintextHeaderSize: Int?

  /// The 16-byte salt for the passphrase, if the file does not store a salt.
  ///
  /// A file whose ``plaintextHeaderSize`` is 0 stores its salt.
  ///
  /// The corresponding SQL is `PRAGMA cipher_salt`.
  public var salt: [UInt8]?

  /// Creates cipher settings; nil selects the default of the linked SQLCipher.
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
  /// Applies the settings to a database that SQLCipher has not read yet.
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
      // SQLCipher reports no error for a value that it rejects.
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

  /// Throws for values that SQLCipher would silently replace with others.
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
      // SQLite needs 480 bytes of a page, and SQLCipher up to 80 more, so 512 bytes are too few.
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

/// SQLCipher's process-wide default settings, which a database gets when its key is set.
///
/// `ATTACH` sets the key and reads the file in one step, so an attached file can get other settings only through
/// these defaults. Every call that sets a key holds `lock`, so it never uses defaults that another thread has
/// replaced.
enum CipherDefaults {
  private static let lock = Locked(())
  /// The thread that holds the lock, or 0.
  private static let holder = Atomic<UInt>(0)
  /// Whether the defaults of SQLCipher are replaced at present; only the thread in `holder` writes this value.
  private static let areReplaced = Atomic(false)

  /// Calls `body`, which sets a key, while no SQLCipher default is replaced.
  static func withOwn(_ body: () throws -> Void) throws {
    let thread = UInt(sluice_current_thread())
    // ATTACH may call a busy handler or a file system that opens a connection on this thread, which already holds the
    // lock.
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

  /// Calls `body`, which attaches a database, with `settings` as the defaults.
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
        // An error while restoring is ignored, because the first error is the one to report.
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
