/// A file system that reports each call to a closure, and then forwards the call to another file system.
///
/// ```swift
/// let system = WatchedFileSystem { call in
///   if call == .sync { counter.syncs.add(1, ordering: .relaxed) }
/// }
/// try SQLiteLibrary.addFileSystem("watched", system)
/// ```
///
/// If the closure throws an error, the call throws this error instead of being forwarded. A call that releases a
/// lock, shared memory or a file still releases it, as on a disk, because SQLite would not try again. Any thread
/// can call the closure.
public struct WatchedFileSystem: VirtualFileSystemShim {
  public let base: any VirtualFileSystem
  private let sleeps: Bool
  private let watch: @Sendable (FileSystemCall) throws -> Void

  /// Creates a file system that watches `base`.
  ///
  /// If `sleeps` is false, the file system does not sleep while SQLite waits for a lock: SQLite retries immediately.
  public init(
    over base: any VirtualFileSystem = SQLiteLibrary.standardFileSystem, sleeps: Bool = true,
    watch: @escaping @Sendable (FileSystemCall) throws -> Void
  ) {
    self.base = base
    self.sleeps = sleeps
    self.watch = watch
  }

  public func sleep(for duration: Duration) { if sleeps { base.sleep(for: duration) } }

  public func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    try watch(.open)
    return WatchedFile(base: try base.open(request), watch: watch)
  }

  public func delete(_ path: String, syncsFolder: Bool) throws {
    try watch(.delete)
    try base.delete(path, syncsFolder: syncsFolder)
  }

  public func access(_ path: String, _ access: VirtualFileAccess) throws -> Bool {
    try watch(.access)
    return try base.access(path, access)
  }

  public func fullPath(of path: String) throws -> String {
    try watch(.fullPath)
    return try base.fullPath(of: path)
  }
}

/// An error that makes a watched call transfer only half of its bytes.
struct HalfCall: Error {
  /// The error that a write throws after half of its bytes; a read returns early without an error.
  let error: any Error
}

private struct WatchedFile: VirtualFileShim {
  let base: any VirtualFile
  let watch: @Sendable (FileSystemCall) throws -> Void

  func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int {
    do { try watch(.read) } catch is HalfCall {
      return try min(base.read(into: &bytes, at: offset), bytes.count / 2)
    }
    return try base.read(into: &bytes, at: offset)
  }

  func write(_ bytes: Span<UInt8>, at offset: Int64) throws {
    do { try watch(.write) } catch let call as HalfCall {
      // Write whole sectors, as a disk does.
      let half = bytes.count / 2
      try base.write(bytes.extracting(first: half >= 512 ? half / 512 * 512 : half), at: offset)
      throw call.error
    }
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
    let verdict = Result { try watch(.unlock) }
    try base.unlock(to: level)
    try verdict.get()
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
    let verdict = Result { try watch(.share) }
    if !operation.kind.givesBack { try verdict.get() }
    try base.share(operation)
    try verdict.get()
  }

  func close() throws {
    let verdict = Result { try watch(.close) }
    try base.close()
    try verdict.get()
  }
}

extension SharedMemoryOperation.Kind {
  fileprivate var givesBack: Bool {
    switch self {
    case .unlock, .unmap: true
    case .map, .lock, .barrier: false
    }
  }
}
