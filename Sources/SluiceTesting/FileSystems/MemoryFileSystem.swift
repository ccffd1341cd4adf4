import SluiceCore

/// A file system that stores its files in memory, for test databases that leave no files on disk.
///
/// ```swift
/// let memory = MemoryFileSystem()
/// let system = try RegisteredFileSystem(memory)
/// let connection = try system.connection("person.db")
/// ```
///
/// Unlike an in-memory database, such a file has a journal or a WAL, can be shared by connections of this
/// process, and can be opened by a queue or a pool. When the last reference to the file system is released, the
/// files are deleted.
public final class MemoryFileSystem: VirtualFileSystem {
  private let files = Locked<[String: MemoryContent]>([:])

  /// Creates a file system without files.
  public init() {}

  /// The bytes of the file at this path; nil if there is no file.
  ///
  /// Setting the bytes replaces the file. Connections that have opened the previous file keep using it.
  public subscript(_ path: String) -> [UInt8]? {
    get {
      let path = fullPath(of: path)
      return files.withLock { $0[path] }?.bytes.withLock { $0 }
    }
    set {
      let path = fullPath(of: path)
      let content = newValue.map { MemoryContent($0) }
      files.withLock { $0[path] = content }
    }
  }

  /// The full paths of all files, sorted.
  ///
  /// Full paths begin with a slash: `person.db` and `/person.db` are the same file.
  public var paths: [String] { files.withLock { $0.keys.sorted() } }

  /// Removes all files; open files are deleted when they are closed.
  public func removeAll() { files.withLock { $0 = [:] } }

  // Return a full path: if a database has none, a queue assumes that no other connection can open the database.
  public func fullPath(of path: String) -> String { path.hasPrefix("/") ? path : "/" + path }

  public func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    guard let given = request.path else { return MemoryFile(MemoryContent([])) }
    // A shim can replace `fullPath(of:)`, so this path is not always a full path.
    let path = fullPath(of: given)
    let creates = request.creates
    return MemoryFile(
      try files.withLock { files in
        if let content = files[path] { return content }
        guard creates else { throw SQLiteError(.cantOpen, "\(path) does not exist") }
        let content = MemoryContent([])
        files[path] = content
        return content
      })
  }

  public func delete(_ path: String, syncsFolder: Bool) throws {
    let path = fullPath(of: path)
    guard files.withLock({ $0.removeValue(forKey: path) }) != nil else {
      throw SQLiteError(.ioErrorDeleteMissing, "\(path) does not exist")
    }
  }

  public func access(_ path: String, _ access: VirtualFileAccess) -> Bool {
    self[path]?.isEmpty == false
  }
}

/// The content that all open files with the same path share.
private final class MemoryContent: Sendable {
  let bytes: Locked<[UInt8]>
  let locks = FileLocks()
  let memory = SharedMemory()

  init(_ bytes: [UInt8]) { self.bytes = Locked(bytes) }
}

private final class MemoryFile: VirtualFile {
  private let content: MemoryContent
  private let locked: FileLock

  init(_ content: MemoryContent) {
    self.content = content
    locked = FileLock(content.locks)
  }

  func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) -> Int {
    let all = content.bytes.withLock { $0 }
    let count = max(0, min(bytes.count, all.count - Int(offset)))
    guard count > 0 else { return 0 }
    // Copying byte by byte would account for most of the time of a test.
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe bytes.copyBytes(from: all[Int(offset)..<Int(offset) + count])
    }
    return count
  }

  func write(_ bytes: Span<UInt8>, at offset: Int64) {
    let new = [UInt8](copying: bytes)
    content.bytes.withLock { $0.write(new, at: Int(offset)) }
  }

  func truncate(to size: Int64) {
    content.bytes.withLock { $0.removeLast(max(0, $0.count - Int(size))) }
  }

  func size() -> Int64 { content.bytes.withLock { Int64($0.count) } }

  func lock(_ level: VirtualFileLock) throws { try locked.take(level) }

  func unlock(to level: VirtualFileLock) { locked.release(to: level) }

  func hasReservedLock() -> Bool { content.locks.isReserved }

  var sharedMemory: SharedMemory? { content.memory }
}

extension [UInt8] {
  init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// Writes `new` at `offset`, and fills any gap before it with zeros.
  mutating func write(_ new: [UInt8], at offset: Int) {
    let end = offset + new.count
    if count < end { self += [UInt8](repeating: 0, count: end - count) }
    replaceSubrange(offset..<end, with: new)
  }
}
