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
      throw SQLiteError(.range, "A raw key has 32 or 48 bytes, and not \(rawKey.count)")
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
