/// The key of an encrypted database, for a SQLite that can encrypt, such as SQLCipher.
///
/// It is never part of an error, and what describes it does not show it.
public struct EncryptionKey: Hashable, Sendable {
  let bytes: [UInt8]

  /// A key that is made of a passphrase, which takes a while each time that a connection opens.
  ///
  /// An empty one throws ``ResultCode/misuse``: it would mean that nothing is encrypted.
  public init(passphrase: String) throws {
    guard !passphrase.isEmpty else { throw SQLiteError(.misuse, "The passphrase is empty") }
    guard passphrase.utf8.count <= Int32.max else {
      throw SQLiteError(.tooBig, "The passphrase is too long")
    }
    bytes = Array(passphrase.utf8)
  }

  /// The key itself, which is 32 bytes for SQLCipher, or 48 with the salt of the file.
  ///
  /// Any other number throws ``ResultCode/range``: SQLCipher would take them for a passphrase.
  public init(rawKey: [UInt8]) throws {
    guard rawKey.count == 32 || rawKey.count == 48 else {
      throw SQLiteError(.range, "A raw key has 32 or 48 bytes, and not \(rawKey.count)")
    }
    bytes = Array(DatabaseValue.blob(rawKey).description.utf8)
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
