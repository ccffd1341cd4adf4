// File systems in Swift: a shim that obfuscates file contents, and databases that are not files.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "secret.db").path
// snippet.show
struct Cipher: VirtualFileSystemShim {
  let key: UInt8

  func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    CipherFile(base: try base.open(request), key: key)
  }
}

struct CipherFile: VirtualFileShim {
  let base: any VirtualFile
  let key: UInt8

  func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int {
    let count = try base.read(into: &bytes, at: offset)
    for index in 0..<count { bytes[index] ^= key }
    return count
  }

  func write(_ bytes: Span<UInt8>, at offset: Int64) throws {
    var hidden = ContiguousArray<UInt8>(repeating: 0, count: bytes.count)
    for index in bytes.indices { hidden[index] = bytes[index] ^ key }
    try base.write(hidden.span, at: offset)
  }
}

try SQLiteLibrary.addFileSystem("cipher", Cipher(key: 0x5a))
var configuration = Configuration()
configuration.fileSystem = "cipher"
let connection = try Connection(path: path, configuration: configuration)
// snippet.hide
try connection.execute(sql: "CREATE TABLE note(text); INSERT INTO note VALUES ('hidden')")
try connection.close()
do {
  try Connection(path: path).execute(sql: "SELECT * FROM note")
  fatalError("It can be read")
} catch SQLiteError.notADatabase {}

let plain = folder.appending(path: "plain.db")
let original = try Connection(url: plain)
try original.execute(sql: "CREATE TABLE city(name); INSERT INTO city VALUES ('Ulm')")
try original.close()
let bytes = try [UInt8](Data(contentsOf: plain))
// snippet.show

/// A file system that serves read-only databases from memory.
struct Archive: VirtualFileSystem {
  let databases: [String: [UInt8]]

  func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    guard let path = request.path, let bytes = databases[path] else {
      throw SQLiteError(.cantOpen, "It is not in the archive")
    }
    return ArchivedFile(bytes: bytes)
  }

  func access(_ path: String, _ access: VirtualFileAccess) -> Bool {
    access != .readWrite && databases[path] != nil
  }

  func delete(_ path: String, syncsFolder: Bool) throws { throw ReadOnly() }
}

struct ArchivedFile: VirtualFile {
  let bytes: [UInt8]

  func read(into buffer: inout MutableSpan<UInt8>, at offset: Int64) -> Int {
    let rest = bytes.dropFirst(Int(offset)).prefix(buffer.count)
    for (index, byte) in rest.enumerated() { buffer[index] = byte }
    return rest.count
  }

  func size() -> Int64 { Int64(bytes.count) }

  var isReadOnly: Bool { true }
  func write(_ bytes: Span<UInt8>, at offset: Int64) throws { throw ReadOnly() }
  func truncate(to size: Int64) throws { throw ReadOnly() }

  // A file that is never written needs no locks.
  var traits: VirtualFileTraits { .immutable }
  func lock(_ level: VirtualFileLock) {}
  func unlock(to level: VirtualFileLock) {}
  func hasReservedLock() -> Bool { false }
}

struct ReadOnly: Error {}

try SQLiteLibrary.addFileSystem("archive", Archive(databases: ["cities.db": bytes]))
configuration.fileSystem = "archive"
let cities = try Connection(
  path: "cities.db", readOnly: true, configuration: configuration)
print(try cities.query(.column(.string), sql: "SELECT name FROM city"))  // ["Ulm"]
// snippet.hide

final class LockedFile {
  let locks = FileLocks()
  let locked: FileLock
  init() { locked = FileLock(locks) }

  func lock(_ level: VirtualFileLock) throws { try locked.take(level) }
  func unlock(to level: VirtualFileLock) { locked.release(to: level) }
  func hasReservedLock() -> Bool { locks.isReserved }
}
