import SluiceCore
import Synchronization

/// A call of a file system.
enum WatchedCall: String, Hashable, Sendable, CaseIterable {
  case open, delete, access, fullPath
  case read, write, truncate, sync, size, lock, unlock, hasReservedLock, control, share, close
}

/// A shim over the standard file system, or another one, that tells of each call before it passes it on.
///
/// What the closure throws is thrown instead.
struct WatchedFileSystem: VirtualFileSystemShim {
  var base: any VirtualFileSystem = SQLiteLibrary.standardFileSystem
  var sleeps = true
  let watch: @Sendable (WatchedCall) throws -> Void

  func sleep(for duration: Duration) { if sleeps { base.sleep(for: duration) } }

  func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    try watch(.open)
    return WatchedFile(base: try base.open(request), watch: watch)
  }

  func delete(_ path: String, syncsFolder: Bool) throws {
    try watch(.delete)
    try base.delete(path, syncsFolder: syncsFolder)
  }

  func access(_ path: String, _ access: VirtualFileAccess) throws -> Bool {
    try watch(.access)
    return try base.access(path, access)
  }

  func fullPath(of path: String) throws -> String {
    try watch(.fullPath)
    return try base.fullPath(of: path)
  }
}

struct WatchedFile: VirtualFileShim {
  let base: any VirtualFile
  let watch: @Sendable (WatchedCall) throws -> Void

  func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int {
    try watch(.read)
    return try base.read(into: &bytes, at: offset)
  }

  func write(_ bytes: Span<UInt8>, at offset: Int64) throws {
    try watch(.write)
    try base.write(bytes, at: offset)
  }

  func truncate(to size: Int64) throws {
    try watch(.truncate)
    try base.truncate(to: size)
  }

  func sync(_ options: VirtualFileSync) throws {
    try watch(.sync)
    try base.sync(options)
  }

  func size() throws -> Int64 {
    try watch(.size)
    return try base.size()
  }

  func lock(_ level: VirtualFileLock) throws {
    try watch(.lock)
    try base.lock(level)
  }

  func unlock(to level: VirtualFileLock) throws {
    try watch(.unlock)
    try base.unlock(to: level)
  }

  func hasReservedLock() throws -> Bool {
    try watch(.hasReservedLock)
    return try base.hasReservedLock()
  }

  func control(_ control: borrowing VirtualFileControl) throws -> VirtualFileAnswer {
    try watch(.control)
    return try base.control(control)
  }

  func share(_ operation: borrowing SharedMemoryOperation) throws {
    try watch(.share)
    try base.share(operation)
  }

  func close() throws {
    try watch(.close)
    try base.close()
  }
}

/// A file system under a name of its own, which is taken back when nothing refers to it any more.
final class RegisteredFileSystem: Sendable {
  private static let count = Atomic(0)
  let name: String

  init(_ system: some VirtualFileSystem) throws {
    name = "test \(Self.count.add(1, ordering: .relaxed).newValue)"
    try SQLiteLibrary.addFileSystem(name, system)
  }

  // One that a test has taken back is not there any more.
  deinit { try? SQLiteLibrary.removeFileSystem(name) }

  /// What connections that use it are opened with.
  func configuration(_ mode: Configuration.JournalMode? = nil) -> Configuration {
    var configuration = Configuration()
    configuration.fileSystem = name
    configuration.journalMode = mode
    configuration.statementCacheSize = 0
    return configuration
  }

  func connection(
    _ path: String, _ mode: Configuration.JournalMode? = nil
  ) throws -> Connection {
    try Connection(path: path, configuration: configuration(mode))
  }
}
