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
        throw SQLiteError(.range, "SQLCipher does not take the \(name) \(value)")
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
          "The compatibility of SQLCipher \(version) is from 1 to \(newest) (got \(compatibility))")
      }
    }
    if let size = settings.pageSize {
      // SQLite needs 480 bytes of a page, and SQLCipher up to 80 others.
      guard (1024...65_536).contains(size), size.nonzeroBitCount == 1 else {
        throw SQLiteError(
          .range, "A page of SQLCipher has a power of two from 1024 to 65,536 bytes (got \(size))")
      }
    }
    if let count = settings.kdfIterations {
      guard count > 0, count <= Int32.max else {
        throw SQLiteError(.range, "A key is derived in 1 to \(Int32.max) iterations (got \(count))")
      }
    }
    if let size = settings.plaintextHeaderSize {
      guard size >= 0, size <= Int32.max, size % 16 == 0 else {
        throw SQLiteError(.range, "The plaintext header has a multiple of 16 bytes (got \(size))")
      }
    }
    if let salt = settings.salt, salt.count != 16 {
      throw SQLiteError(.range, "A salt has 16 bytes (got \(salt.count))")
    }
  }
}
