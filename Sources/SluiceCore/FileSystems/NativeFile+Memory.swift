import CSluice

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
    // What can only be read is mapped all the same, with a code that says so.
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

  /// Bytes in memory, for SQLite, or nil if they are to be read.
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
