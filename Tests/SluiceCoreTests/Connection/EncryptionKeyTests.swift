import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.library)) struct `encryption keys` {
  private static let secret = "correct horse"
  private static let settings = CipherSettings(compatibility: 3, pageSize: 8192, salt: [98, 99])

  @Test func `descriptions and dumps of a key do not reveal the key`() throws {
    var configuration = Configuration()
    configuration.encryptionKey = try EncryptionKey(
      passphrase: Self.secret, settings: Self.settings)
    var dumped = ""
    dump(configuration, to: &dumped)
    for text in [
      "\(configuration)", String(reflecting: configuration), dumped,
      "\(configuration.encryptionKey as Any)", String(describing: configuration.encryptionKey),
      configuration.encryptionKey.map { $0.description + $0.debugDescription } ?? "",
    ] {
      #expect(text.contains("EncryptionKey"))
      // The first byte of the passphrase is 99.
      #expect(!text.contains(Self.secret) && !text.contains("99"))
    }
  }

  @Test func `an empty passphrase throws`() {
    #expect(failure { try EncryptionKey(passphrase: "") }?.code == .misuse)
  }

  @Test(arguments: [0, 1, 16, 31, 33, 47, 49, 64])
  func `a raw key that is not 32 or 48 bytes long throws`(count: Int) {
    #expect(
      failure { try EncryptionKey(rawKey: [UInt8](repeating: 7, count: count)) }?.code == .range)
  }

  @Test func `encryption keys are equal if their secrets and settings are equal`() throws {
    #expect(try EncryptionKey(passphrase: "a") == EncryptionKey(passphrase: "a"))
    #expect(try EncryptionKey(passphrase: "a") != EncryptionKey(passphrase: "b"))
    let raw = [UInt8](repeating: 10, count: 32)
    #expect(try EncryptionKey(rawKey: raw) == EncryptionKey(rawKey: raw))
    let key = try EncryptionKey(rawKey: raw, settings: Self.settings)
    #expect(try key != EncryptionKey(rawKey: raw))
    #expect(key.settings == Self.settings)
  }

  @Test func `a library without encryption rejects keys and creates no file`() throws {
    guard !SQLiteLibrary.has(.encryption) else { return }
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.encryptionKey = try EncryptionKey(passphrase: Self.secret)
    let key = configuration.encryptionKey
    let db = try Connection()
    for error in [
      failure { try Connection(path: folder.file(), configuration: configuration) },
      failure { try Connection(uri: "file:\(folder.file())", configuration: configuration) },
      failure { try Connection.temporary(configuration: configuration) },
      failure { try Connection(configuration: configuration) },
      failure { try ConnectionQueue(path: folder.file(), configuration: configuration) },
      failure { try ConnectionReadQueue(path: folder.file(), configuration: configuration) },
      failure { try db.attach(path: folder.file(), as: "a", encryptionKey: key) },
      failure { try db.attach(uri: "file:\(folder.file())", as: "a", encryptionKey: key) },
      failure { try db.attach(path: folder.file(), as: "a", create: false, encryptionKey: key) },
      failure { try db.changeEncryptionKey(to: EncryptionKey(passphrase: "b")) },
      failure { try db.export(to: folder.file(), encryptionKey: key) },
      failure { try db.export(to: folder.file(), encryptionKey: nil) },
    ] {
      #expect(error?.code == .notFound)
      #expect(error?.message.contains(" lacks encryption; ") == true)
      #expect(error?.description.contains(Self.secret) == false)
    }
    #expect(try folder.content == [])
  }
}
