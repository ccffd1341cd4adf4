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
