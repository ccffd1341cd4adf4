import CSluice

/// A file that a ``VirtualFileSystem`` has opened.
///
/// Only one thread at a time uses a file. A ``VirtualFileShim`` is a file that wraps another one.
///
/// SQLite never passes a negative offset. It passes an offset that is too large for the file only if the content
/// of the database refers to such an offset.
///
/// The corresponding C types are `sqlite3_file` and `sqlite3_io_methods`.
public protocol VirtualFile: SendableMetatype {
  /// Reads the available bytes from `offset` on, and returns their number.
  ///
  /// After the call, Sluice fills the part of `bytes` that is beyond the end of the file with zeros.
  ///
  /// The corresponding C function is `xRead`.
  func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int

  /// Writes all of `bytes` from `offset` on, which may be beyond the end of the file.
  ///
  /// - Throws: ``ResultCode/full`` if there is no space left.
  ///
  /// The corresponding C function is `xWrite`.
  func write(_ bytes: Span<UInt8>, at offset: Int64) throws

  /// Truncates the file to `size` bytes.
  ///
  /// The corresponding C function is `xTruncate`.
  func truncate(to size: Int64) throws

  /// Waits until written data is safe from a power failure.
  ///
  /// The default implementation does nothing.
  ///
  /// The corresponding C function is `xSync`.
  func sync(_ options: VirtualFileSync) throws

  /// Returns the number of bytes in the file.
  ///
  /// The corresponding C function is `xFileSize`.
  func size() throws -> Int64

  /// Acquires a lock that is stronger than the current one.
  ///
  /// ``FileLocks`` manages the locks of files that exist only within this process. SQLite locks only database
  /// files, not their journals.
  ///
  /// - Throws: ``ResultCode/busy`` if another file's lock prevents this one.
  ///
  /// The corresponding C function is `xLock`.
  func lock(_ level: VirtualFileLock) throws

  /// Downgrades the lock to ``VirtualFileLock/shared`` or ``VirtualFileLock/none``.
  ///
  /// The corresponding C function is `xUnlock`.
  func unlock(to level: VirtualFileLock) throws

  /// Returns whether any connection has ``VirtualFileLock/reserved`` or a stronger lock.
  ///
  /// The corresponding C function is `xCheckReservedLock`.
  func hasReservedLock() throws -> Bool

  /// Performs a control that SQLite or a pragma sends to the file, and returns the answer.
  ///
  /// The default implementation returns ``VirtualFileAnswer/unknown``.
  ///
  /// The corresponding C function is `xFileControl`.
  func control(_ control: borrowing VirtualFileControl) throws -> VirtualFileAnswer

  /// The memory that all files open at this path share; nil by default.
  ///
  /// If this property is nil, the database can have a WAL only in exclusive locking mode.
  var sharedMemory: SharedMemory? { get }

  /// Whether the file supports ``share(_:)``; by default, whether it has ``sharedMemory``.
  ///
  /// This property is read once.
  var hasSharedMemory: Bool { get }

  /// Performs an operation on the memory that a WAL needs.
  ///
  /// The default implementation uses ``sharedMemory``.
  ///
  /// The corresponding C functions are `xShmMap`, `xShmLock`, `xShmBarrier` and `xShmUnmap`.
  func share(_ operation: borrowing SharedMemoryOperation) throws

  /// The file whose bytes SQLite may map into memory, if a pragma permits mapping; nil by default.
  ///
  /// SQLite does not call ``read(into:at:)`` for mapped bytes. If this property is nil, all reads call
  /// ``read(into:at:)``. A shim that changes no bytes, and does not need to observe reads, can return the mapped
  /// file of its base. This property is read once.
  ///
  /// The corresponding C functions are `xFetch` and `xUnfetch`.
  var mappedFile: (any VirtualFile)? { get }

  /// Whether the file was opened without permission to write; false by default.
  ///
  /// This property is read once.
  var isReadOnly: Bool { get }

  /// The number of bytes around a write that a power failure may damage.
  ///
  /// The value must be a power of two from 512 to 65,536. The default is 4,096, which is also used in place of
  /// an invalid value.
  ///
  /// The corresponding C function is `xSectorSize`.
  var sectorSize: Int { get }

  /// The traits that SQLite can rely on; none by default.
  ///
  /// The corresponding C function is `xDeviceCharacteristics`.
  var traits: VirtualFileTraits { get }

  /// Closes the file.
  ///
  /// The file is released afterwards, even if this method throws.
  ///
  /// The default implementation does nothing.
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

/// The level of a connection's lock on a file.
///
/// The corresponding C values are `SQLITE_LOCK_*`.
public enum VirtualFileLock: Int32, Hashable, Sendable, CaseIterable, Comparable {
  /// No lock.
  case none = 0
  /// The lock of a connection that is reading; other connections can also read.
  case shared = 1
  /// The lock of a connection that is going to write; other connections can still read, and begin to read.
  case reserved = 2
  /// The lock of a connection that is waiting for readers to finish; no other connection can begin to read.
  case pending = 3
  /// The lock of a connection that is writing; no other connection can read or write.
  case exclusive = 4

  public static func < (first: VirtualFileLock, second: VirtualFileLock) -> Bool {
    first.rawValue < second.rawValue
  }
}

/// Options of a sync, which specify how safe the written data must be.
///
/// The corresponding C values are `SQLITE_SYNC_*`.
public struct VirtualFileSync: OptionSet, Hashable, Sendable {
  /// The options as a combination of flags.
  ///
  /// The flag for ``full`` is Sluice's own; the others are C flags.
  public let rawValue: Int32

  /// Creates options from a combination of flags.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Data must be on the medium, not only in the disk's cache, if the system can distinguish the two.
  public static var full: VirtualFileSync { VirtualFileSync(rawValue: 1) }

  /// Only the content must be safe, not the metadata of the file.
  public static var dataOnly: VirtualFileSync { VirtualFileSync(rawValue: SQLITE_SYNC_DATAONLY) }

  /// Creates options from C flags, which represent a normal and a full sync as two different numbers.
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

/// Traits of a file on which SQLite can rely when it writes.
///
/// A trait that the file claims but does not have can cause data loss in a power failure. SQLite may define
/// more traits than those below.
///
/// The corresponding C values are `SQLITE_IOCAP_*`.
public struct VirtualFileTraits: OptionSet, Hashable, Sendable {
  /// The C flags of the traits.
  public let rawValue: Int32

  /// Creates traits from C flags.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Each write is atomic: it is done completely or not at all.
  public static var atomic: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC) }
  /// A write of 512 bytes, at a multiple of 512 bytes, is atomic.
  public static var atomic512: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC512) }
  /// A write of 1 KiB, at a multiple of 1 KiB, is atomic.
  public static var atomic1K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC1K) }
  /// A write of 2 KiB, at a multiple of 2 KiB, is atomic.
  public static var atomic2K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC2K) }
  /// A write of 4 KiB, at a multiple of 4 KiB, is atomic.
  public static var atomic4K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC4K) }
  /// A write of 8 KiB, at a multiple of 8 KiB, is atomic.
  public static var atomic8K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC8K) }
  /// A write of 16 KiB, at a multiple of 16 KiB, is atomic.
  public static var atomic16K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC16K) }
  /// A write of 32 KiB, at a multiple of 32 KiB, is atomic.
  public static var atomic32K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC32K) }
  /// A write of 64 KiB, at a multiple of 64 KiB, is atomic.
  public static var atomic64K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC64K) }
  /// Appended bytes are written before the size of the file increases.
  public static var safeAppend: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_SAFE_APPEND) }
  /// Writes reach the disk in order.
  public static var sequential: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_SEQUENTIAL) }
  /// The file cannot be deleted while it is open.
  public static var undeletableWhenOpen: VirtualFileTraits {
    Self(rawValue: SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN)
  }
  /// A power failure damages only the bytes that are being written.
  public static var powersafeOverwrite: VirtualFileTraits {
    Self(rawValue: SQLITE_IOCAP_POWERSAFE_OVERWRITE)
  }
  /// Nothing can change the file, so SQLite does not lock it.
  public static var immutable: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_IMMUTABLE) }
  /// A group of writes can be atomic; ``VirtualFile/control(_:)`` receives the controls that begin and end a
  /// group.
  public static var batchAtomic: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_BATCH_ATOMIC) }
  /// SQLite may read a part of a page of the database.
  ///
  /// SQLite since version 3.47.1 does so only if a file has this trait. Versions 3.45.0 to 3.47.0 do so with every file.
  ///
  /// The corresponding C value is `SQLITE_IOCAP_SUBPAGE_READ`.
  public static var subpageRead: VirtualFileTraits { Self(rawValue: 0x8000) }
}

/// A file that wraps another one, and implements only some methods itself.
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
///     var hidden = ContiguousArray<UInt8>(repeating: 0, count: bytes.count)
///     for index in bytes.indices { hidden[index] = bytes[index] ^ key }
///     try base.write(hidden.span, at: offset)
///   }
/// }
/// ```
///
/// All other methods and properties are those of ``base``, except for ``VirtualFile/mappedFile``, which is nil
/// because mapped reads would bypass the shim.
///
/// If the standard file system opens a file for a request, that file stays open until SQLite closes the file
/// that was returned to SQLite for the same request, such as the shim. The file of the standard file system
/// cannot be closed earlier, and using it later throws ``ResultCode/misuse``.
public protocol VirtualFileShim: VirtualFile {
  /// The file that this shim wraps.
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

  /// The traits of ``base``, without ``VirtualFileTraits/subpageRead``.
  ///
  /// A file that encrypts or compresses whole pages need not read a part of one, except for SQLite 3.45.0 to 3.47.0.
  public var traits: VirtualFileTraits { base.traits.subtracting(.subpageRead) }

  public func close() throws { try base.close() }
}
