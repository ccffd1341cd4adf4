/// A file that a ``VirtualFileSystem`` has opened.
///
/// It is used by one thread at a time. ``VirtualFileShim`` is one that stands before another.
///
/// SQLite never asks for negative places, and for one that is too large only if the database says so.
///
/// The corresponding C types are `sqlite3_file` and `sqlite3_io_methods`.
public protocol VirtualFile {
  /// Reads what there is from `offset` on, and returns how many bytes that are.
  ///
  /// Those that are missing at the end of the file are filled with zeros afterwards.
  ///
  /// The corresponding C function is `xRead`.
  func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int

  /// Writes all of `bytes` from `offset` on, which may lie behind the end.
  ///
  /// To be out of space is ``ResultCode/full``.
  ///
  /// The corresponding C function is `xWrite`.
  func write(_ bytes: Span<UInt8>, at offset: Int64) throws

  /// Makes the file shorter.
  ///
  /// The corresponding C function is `xTruncate`.
  func truncate(to size: Int64) throws

  /// Waits until what was written is safe from a power failure. By itself it does nothing.
  ///
  /// The corresponding C function is `xSync`.
  func sync(_ options: VirtualFileSync) throws

  /// How many bytes the file has.
  ///
  /// The corresponding C function is `xFileSize`.
  func size() throws -> Int64

  /// Gets a lock that is stronger than what the file has; if another has one that forbids it, this throws
  /// ``ResultCode/busy``.
  ///
  /// ``FileLocks`` keeps the locks of files that are within this process. Only the databases of a file
  /// system are locked, not its journals.
  ///
  /// The corresponding C function is `xLock`.
  func lock(_ level: VirtualFileLock) throws

  /// Goes back to ``VirtualFileLock/shared`` or ``VirtualFileLock/none``.
  ///
  /// The corresponding C function is `xUnlock`.
  func unlock(to level: VirtualFileLock) throws

  /// Whether any connection has a lock with which it is about to write.
  ///
  /// The corresponding C function is `xCheckReservedLock`.
  func hasReservedLock() throws -> Bool

  /// Does, or answers, what SQLite or a pragma says to the file. By itself it knows nothing.
  ///
  /// The corresponding C function is `xFileControl`.
  func control(_ control: borrowing VirtualFileControl) throws -> VirtualFileAnswer

  /// The memory that all open files of this path share, or nil. By itself it is nil: then there is no WAL,
  /// but in exclusive locking mode.
  var sharedMemory: SharedMemory? { get }

  /// Whether ``share(_:)`` works; by itself, whether there is ``sharedMemory``. It is asked once.
  var hasSharedMemory: Bool { get }

  /// Does something with the memory that a WAL needs. By itself it does that with ``sharedMemory``.
  ///
  /// The corresponding C functions are `xShmMap`, `xShmLock`, `xShmBarrier` and `xShmUnmap`.
  func share(_ operation: borrowing SharedMemoryOperation) throws

  /// The file whose bytes SQLite may map into memory, past ``read(into:at:)``, if a pragma lets it.
  ///
  /// By itself it is nil, and all reading comes here. A shim that changes no byte and does not need to see
  /// them read can give that of its base. It is asked once.
  ///
  /// The corresponding C functions are `xFetch` and `xUnfetch`.
  var mappedFile: (any VirtualFile)? { get }

  /// Whether it was opened without the right to write. It is asked once.
  var isReadOnly: Bool { get }

  /// How many bytes a power failure may damage around those that are written: a power of two, from 512 to
  /// 65,536. By itself it is 4,096, and so is all else.
  ///
  /// The corresponding C function is `xSectorSize`.
  var sectorSize: Int { get }

  /// What can be relied on. By itself it is nothing.
  ///
  /// The corresponding C function is `xDeviceCharacteristics`.
  var traits: VirtualFileTraits { get }

  /// Closes the file, which is then released, also if this throws. By itself it does nothing.
  ///
  /// The corresponding C function is `xClose`.
  func close() throws
}

extension VirtualFile {
  public func sync(_ options: VirtualFileSync) throws {}

  public func control(_ control: borrowing VirtualFileControl) throws -> VirtualFileAnswer {
    .unknown
  }

  public var sharedMemory: SharedMemory? { nil }

  public var hasSharedMemory: Bool { sharedMemory != nil }

  public func share(_ operation: borrowing SharedMemoryOperation) throws {
    guard let sharedMemory else {
      throw SQLiteError(.ioErrorSharedMemoryOpen, "The file has no shared memory")
    }
    try operation.perform(with: sharedMemory)
  }

  public var mappedFile: (any VirtualFile)? { nil }

  public var isReadOnly: Bool { false }

  public var sectorSize: Int { 4096 }

  public var traits: VirtualFileTraits { [] }

  public func close() throws {}
}
