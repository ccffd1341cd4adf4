import CSluice

/// A file that a C file system has opened on behalf of a file system in Swift.
@safe final class NativeFile: VirtualFile {
  /// The box of the file that SQLite uses; the box closes this file.
  private(set) weak var box: FileBox?
  let isReadOnly: Bool
  /// The owner of the file's C name; nil if SQLite owns the name.
  ///
  /// The owner is retained because the C file system may continue to use the name while the file is open.
  private let name: CreatedFilename?
  /// The C file; nil once it is closed.
  private(set) var file: UnsafeMutablePointer<sqlite3_file>?
  /// The level of the file's lock after the last successful call that locked or unlocked the file.
  private var level = VirtualFileLock.none
  /// Whether the file has mapped shared memory.
  fileprivate var isSharing = false
  /// The number of pages that SQLite has mapped into memory.
  var fetches = 0

  init(
    _ request: borrowing VirtualFileRequest, _ system: UnsafeMutablePointer<sqlite3_vfs>
  ) throws {
    box = request.box
    name = request.created
    guard let memory = unsafe sluice_allocate(UInt64(max(system.pointee.szOsFile, 64))) else {
      throw SQLiteError(.noMemory, "Out of memory for a file")
    }
    let file = unsafe memory.bindMemory(to: sqlite3_file.self, capacity: 1)
    var flags: Int32 = 0
    let code = unsafe system.pointee.xOpen?(system, request.name, file, request.flags, &flags)
    // Most file systems report only the flags that differ from the request.
    isReadOnly = (flags | request.flags) & SQLITE_OPEN_READONLY != 0
    guard code == SQLITE_OK, unsafe file.pointee.pMethods != nil else {
      unsafe Self.close(file)
      throw unsafe SQLiteError(code ?? SQLITE_CANTOPEN, of: nil)
    }
    unsafe self.file = file
  }

  deinit { end() }

  @discardableResult
  private static func close(_ file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
    let code = unsafe file.pointee.pMethods?.pointee.xClose?(file) ?? SQLITE_OK
    unsafe sqlite3_free(file)
    return code
  }

  /// Closes the file, even if there are other references to it.
  func end() {
    guard let file = unsafe file else { return }
    unsafe self.file = nil
    if isSharing { _ = unsafe file.pointee.pMethods.pointee.xShmUnmap?(file, 0) }
    unsafe Self.close(file)
  }

  func close() throws {
    guard let file = unsafe file else { return }
    guard box?.phase != .open, box?.phase != .unmapping, !isSharing, fetches == 0 else {
      throw SQLiteError(.misuse, "The file cannot be closed before SQLite closes it")
    }
    unsafe self.file = nil
    try NativeFileSystem.check(unsafe Self.close(file))
  }

  typealias Pointer = UnsafeMutablePointer<sqlite3_file>
  typealias Methods = UnsafePointer<sqlite3_io_methods>

  /// Calls a method of the C file, and throws if it fails.
  @inline(__always)
  func call(_ call: (Pointer, Methods) -> Int32?) throws {
    let code = try unsafe answer(call)
    guard code == SQLITE_OK else { return try NativeFileSystem.check(code) }
  }

  @inline(__always)
  func answer(_ call: (Pointer, Methods) -> Int32?) throws -> Int32? {
    guard let file = unsafe file, let methods = unsafe file.pointee.pMethods else {
      throw SQLiteError(.misuse, "The file is closed")
    }
    return unsafe call(file, methods)
  }
}

extension NativeFile {
  /// Returns a byte count as a C integer, and throws if no file can have that many bytes at `offset`.
  @inline(__always)
  static func count(_ count: Int, at offset: Int64) throws -> Int32 {
    guard let number = Int32(exactly: count), offset >= 0, offset <= Int64.max - Int64(count) else {
      throw SQLiteError(.range, "\(count) bytes at offset \(offset) are outside any file")
    }
    return number
  }

  func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws -> Int {
    let count = try Self.count(bytes.count, at: offset)
    guard count > 0 else { return 0 }
    let code = try unsafe bytes.withUnsafeMutableBytes { bytes in
      try unsafe answer { file, methods in
        unsafe methods.pointee.xRead?(file, bytes.baseAddress, count, offset)
      }
    }
    if code == ResultCode.ioErrorShortRead.rawValue {
      // After a short read, C does not report how many bytes were read. The number is therefore computed from
      // the size of the file, and is always less than the requested number.
      return try min(Int(clamping: max(0, size() - offset)), bytes.count - 1)
    }
    if code != SQLITE_OK { try NativeFileSystem.check(code) }
    return bytes.count
  }

  func write(_ bytes: Span<UInt8>, at offset: Int64) throws {
    let count = try Self.count(bytes.count, at: offset)
    guard count > 0 else { return }
    try unsafe bytes.withUnsafeBytes { bytes in
      try unsafe call { file, methods in
        unsafe methods.pointee.xWrite?(file, bytes.baseAddress, count, offset)
      }
    }
  }

  func truncate(to size: Int64) throws {
    _ = try Self.count(0, at: size)
    try unsafe call { file, methods in unsafe methods.pointee.xTruncate?(file, size) }
  }

  func sync(_ options: VirtualFileSync) throws {
    try unsafe call { file, methods in unsafe methods.pointee.xSync?(file, options.flags) }
  }

  func size() throws -> Int64 {
    var size: Int64 = 0
    try unsafe call { file, methods in unsafe methods.pointee.xFileSize?(file, &size) }
    return size
  }

  func lock(_ level: VirtualFileLock) throws {
    guard level > self.level else { return }
    guard level != .pending, level == .shared || self.level >= .shared else {
      throw SQLiteError(.misuse, "The lock of a file cannot change from \(self.level) to \(level)")
    }
    try unsafe call { file, methods in unsafe methods.pointee.xLock?(file, level.rawValue) }
    self.level = level
  }

  func unlock(to level: VirtualFileLock) throws {
    guard level <= .shared else {
      throw SQLiteError(.misuse, "A file cannot be unlocked to the level \(level)")
    }
    try unsafe call { file, methods in unsafe methods.pointee.xUnlock?(file, level.rawValue) }
    self.level = min(self.level, level)
  }

  func hasReservedLock() throws -> Bool {
    var result: Int32 = 0
    try unsafe call { file, methods in unsafe methods.pointee.xCheckReservedLock?(file, &result) }
    return result != 0
  }

  func control(_ control: borrowing VirtualFileControl) throws -> VirtualFileAnswer {
    let code = try unsafe answer { file, methods in
      unsafe methods.pointee.xFileControl?(file, Int32(control.code), control.argument)
    }
    switch code {
    case SQLITE_OK: return .done
    case SQLITE_NOTFOUND, nil: return .unknown
    case let code?:
      let error = unsafe SQLiteError(code, of: nil)
      throw SQLiteError(error.code, control.takeSaid() ?? error.message)
    }
  }

  var sectorSize: Int { unsafe ask { unsafe $1.pointee.xSectorSize?($0) } ?? 4096 }

  var traits: VirtualFileTraits {
    let flags = unsafe ask { unsafe $1.pointee.xDeviceCharacteristics?($0) } ?? 0
    return VirtualFileTraits(rawValue: Int32(truncatingIfNeeded: flags))
  }

  private func ask(_ call: (Pointer, Methods) -> Int32?) -> Int? {
    // A closed file has neither traits nor a sector size.
    (try? unsafe answer(call)).flatMap { $0.map(Int.init) }
  }
}

extension NativeFile {
  private var version: Int32 { unsafe file?.pointee.pMethods?.pointee.iVersion ?? 0 }

  var hasSharedMemory: Bool {
    unsafe version >= 2 && file?.pointee.pMethods?.pointee.xShmMap != nil
  }

  func share(_ operation: borrowing SharedMemoryOperation) throws {
    guard let box, operation.box === box, hasSharedMemory else {
      throw SQLiteError(.misuse, "The file has no shared memory for this operation")
    }
    if case .map = operation.kind {
    } else if !isSharing {
      throw SQLiteError(.misuse, "The file has not mapped its shared memory")
    }
    switch operation.kind {
    case .map(let region, let size, let extends): try map(region, size, extends, box)
    case .lock(let slots, let isExclusive):
      try lock(slots, SQLITE_SHM_LOCK, isExclusive: isExclusive)
    case .unlock(let slots, let isExclusive):
      try lock(slots, SQLITE_SHM_UNLOCK, isExclusive: isExclusive)
    case .barrier:
      try unsafe call { file, methods in
        unsafe methods.pointee.xShmBarrier?(file)
        return SQLITE_OK
      }
    case .unmap(let deletes):
      isSharing = false
      try unsafe call { file, methods in
        unsafe methods.pointee.xShmUnmap?(file, deletes ? 1 : 0)
      }
    }
  }

  private func map(_ region: Int, _ size: Int, _ extends: Bool, _ box: FileBox) throws {
    var memory: UnsafeMutableRawPointer?
    let code = try unsafe answer { file, methods in
      unsafe methods.pointee.xShmMap?(
        file, Int32(region), Int32(size), extends ? 1 : 0, &memory)
    }
    // If `xShmMap` returns `SQLITE_READONLY`, the shared memory is read-only, but it is mapped.
    isSharing = isSharing || code == SQLITE_OK || code.map { $0 & 0xff } == SQLITE_READONLY
    unsafe box.region = memory
    try NativeFileSystem.check(code)
  }

  private func lock(_ slots: Range<Int>, _ flag: Int32, isExclusive: Bool) throws {
    try unsafe call { file, methods in
      unsafe methods.pointee.xShmLock?(
        file, Int32(slots.lowerBound), Int32(slots.count),
        flag | (isExclusive ? SQLITE_SHM_EXCLUSIVE : SQLITE_SHM_SHARED))
    }
  }
}

extension NativeFile {
  var mappedFile: (any VirtualFile)? { version >= 3 ? self : nil }

  /// Returns the address of bytes that are mapped into memory, or nil if SQLite must read them.
  func fetch(_ count: Int32, at offset: Int64) throws -> UnsafeMutableRawPointer? {
    _ = try Self.count(Int(count), at: offset)
    var memory: UnsafeMutableRawPointer?
    try unsafe call { file, methods in
      unsafe methods.pointee.xFetch?(file, offset, count, &memory)
    }
    if unsafe memory != nil { fetches += 1 }
    return unsafe memory
  }

  func unfetch(_ memory: UnsafeMutableRawPointer?, at offset: Int64) throws {
    if unsafe memory != nil { fetches -= 1 }
    try unsafe call { file, methods in unsafe methods.pointee.xUnfetch?(file, offset, memory) }
  }
}
