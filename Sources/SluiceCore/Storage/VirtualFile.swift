import CSluice

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

  /// The traits that SQLite can rely on. The default has none.
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

/// How strongly a file is locked by one connection.
///
/// The corresponding C values are `SQLITE_LOCK_*`.
public enum VirtualFileLock: Int32, Hashable, Sendable, CaseIterable, Comparable {
  /// Not at all.
  case none = 0
  /// It reads, as others may.
  case shared = 1
  /// It is going to write; others may still read, and begin to.
  case reserved = 2
  /// It waits until nobody reads any more, and nobody can begin to.
  case pending = 3
  /// It writes, and nobody else does anything.
  case exclusive = 4

  public static func < (first: VirtualFileLock, second: VirtualFileLock) -> Bool {
    first.rawValue < second.rawValue
  }
}

/// How safe what was written has to be.
///
/// The corresponding C values are `SQLITE_SYNC_*`.
public struct VirtualFileSync: OptionSet, Hashable, Sendable {
  /// The flags as C has them.
  public let rawValue: Int32

  /// The options for flags of C.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// It has to be on the medium, and not only in the memory of the disk, where the system can tell.
  public static var full: VirtualFileSync { VirtualFileSync(rawValue: 1) }

  /// The content counts, and not what the system notes of the file.
  public static var dataOnly: VirtualFileSync { VirtualFileSync(rawValue: SQLITE_SYNC_DATAONLY) }

  /// The options as C has them, where the two ways of syncing are two numbers.
  init(flags: Int32) {
    var options: VirtualFileSync = flags & 0x0f == SQLITE_SYNC_FULL ? .full : []
    if flags & SQLITE_SYNC_DATAONLY != 0 { options.insert(.dataOnly) }
    self = options
  }

  var flags: Int32 {
    (contains(.full) ? SQLITE_SYNC_FULL : SQLITE_SYNC_NORMAL)
      | (contains(.dataOnly) ? SQLITE_SYNC_DATAONLY : 0)
  }
}

/// Traits of a file that SQLite can rely on when it writes.
///
/// One that is claimed and not true loses data in a power failure.
///
/// The corresponding C values are `SQLITE_IOCAP_*`, of which there may be more.
public struct VirtualFileTraits: OptionSet, Hashable, Sendable {
  /// The flags as C has them.
  public let rawValue: Int32

  /// The traits for flags of C.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Each write is done whole or not at all.
  public static var atomic: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC) }
  /// A write of 512 bytes, at a multiple of that, is done whole or not at all.
  public static var atomic512: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC512) }
  /// A write of 1 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic1K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC1K) }
  /// A write of 2 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic2K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC2K) }
  /// A write of 4 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic4K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC4K) }
  /// A write of 8 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic8K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC8K) }
  /// A write of 16 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic16K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC16K) }
  /// A write of 32 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic32K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC32K) }
  /// A write of 64 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic64K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC64K) }
  /// Bytes that are appended are written before the file becomes longer.
  public static var safeAppend: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_SAFE_APPEND) }
  /// Writes reach the disk in their order.
  public static var sequential: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_SEQUENTIAL) }
  /// A file cannot be deleted while it is open.
  public static var undeletableWhenOpen: VirtualFileTraits {
    Self(rawValue: SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN)
  }
  /// A power failure damages no bytes but those that are being written.
  public static var powersafeOverwrite: VirtualFileTraits {
    Self(rawValue: SQLITE_IOCAP_POWERSAFE_OVERWRITE)
  }
  /// The file cannot change, whoever tries: SQLite does not lock it.
  public static var immutable: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_IMMUTABLE) }
  /// Several writes can be done together or not at all, by way of ``VirtualFile/control(_:)``.
  public static var batchAtomic: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_BATCH_ATOMIC) }
}

/// A file that stands before another one, and does only some things by itself.
///
/// ```swift
/// struct CipherFile: VirtualFileShim {
///   let base: any VirtualFile
///   let key: UInt8
///
///   func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int {
///     let count = try base.read(into: &bytes, at: offset)
///     for index in 0..<count { bytes[index] ^= key }
///     return count
///   }
///
///   func write(_ bytes: Span<UInt8>, at offset: Int64) throws {
///     var hidden = [UInt8](repeating: 0, count: bytes.count)
///     for index in bytes.indices { hidden[index] = bytes[index] ^ key }
///     try base.write(hidden.span, at: offset)
///   }
/// }
/// ```
///
/// What it does not implement goes to ``base``, but for ``VirtualFile/mappedFile``, which is nil: reading
/// would go past the shim.
///
/// A file of the standard file system can be used until SQLite closes the one that it was opened for; then
/// it is closed, and throws ``ResultCode/misuse``. It cannot be closed before.
public protocol VirtualFileShim: VirtualFile {
  /// The one behind it.
  var base: any VirtualFile { get }
}

extension VirtualFileShim {
  public func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int {
    try base.read(into: &bytes, at: offset)
  }

  public func write(_ bytes: Span<UInt8>, at offset: Int64) throws {
    try base.write(bytes, at: offset)
  }

  public func truncate(to size: Int64) throws { try base.truncate(to: size) }

  public func sync(_ options: VirtualFileSync) throws { try base.sync(options) }

  public func size() throws -> Int64 { try base.size() }

  public func lock(_ level: VirtualFileLock) throws { try base.lock(level) }

  public func unlock(to level: VirtualFileLock) throws { try base.unlock(to: level) }

  public func hasReservedLock() throws -> Bool { try base.hasReservedLock() }

  public func control(_ control: borrowing VirtualFileControl) throws -> VirtualFileAnswer {
    try base.control(control)
  }

  public var sharedMemory: SharedMemory? { base.sharedMemory }

  public var hasSharedMemory: Bool { base.hasSharedMemory }

  public func share(_ operation: borrowing SharedMemoryOperation) throws {
    try base.share(operation)
  }

  public var isReadOnly: Bool { base.isReadOnly }

  public var sectorSize: Int { base.sectorSize }

  public var traits: VirtualFileTraits { base.traits }

  public func close() throws { try base.close() }
}
