import CSluice

/// The C callbacks of a file in Swift.
enum FileMethods {
  typealias File = UnsafeMutablePointer<sqlite3_file>?

  /// Returns the C methods of a file.
  ///
  /// The table omits methods that the file does not support, so that SQLite does not call them.
  static func table(hasSharedMemory: Bool, isMapped: Bool) -> UnsafePointer<sqlite3_io_methods> {
    unsafe UnsafePointer(
      tables[(hasSharedMemory ? 1 : 0) + (isMapped ? 2 : 0)].to(sqlite3_io_methods.self))
  }

  private static let tables: [SharedPointer] =
    [(false, false), (true, false), (false, true), (true, true)].map { shared, mapped in
      let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      unsafe table.initialize(to: sqlite3_io_methods())
      unsafe addReading(&table.pointee)
      unsafe addLocking(&table.pointee)
      unsafe addAnswers(&table.pointee)
      unsafe table.pointee.iVersion = mapped ? 3 : shared ? 2 : 1
      if shared { unsafe addSharedMemory(&table.pointee) }
      if mapped { unsafe addMapping(&table.pointee) }
      return unsafe SharedPointer(table)
    }

  /// Calls a file, and returns the result code of any error that it throws.
  @inline(__always)
  private static func call(
    _ file: File, _ call: FileCall, _ body: (FileBox) throws -> Void
  ) -> Int32 {
    unsafe FileBox.with(file) { box in
      inFileSystem {
        do {
          try body(box)
          return SQLITE_OK
        } catch { return call.fail(error) }
      }
    }
  }

  private static func addReading(_ table: inout sqlite3_io_methods) {
    unsafe table.xClose = { file in
      let code = unsafe FileMethods.call(file, .close) { try $0.close() }
      // Releasing the box can run deinitializers of the file system's objects, which also must not use the
      // connection.
      inFileSystem { unsafe FileBox.release(file) }
      return code
    }
    unsafe table.xRead = { file, bytes, count, offset in
      var isShort = false
      let code = unsafe FileMethods.call(file, .read) { box in
        isShort = try unsafe FileMethods.read(
          box, UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)), offset)
      }
      return code == SQLITE_OK && isShort ? ResultCode.ioErrorShortRead.rawValue : code
    }
    unsafe table.xWrite = { file, bytes, count, offset in
      unsafe FileMethods.call(file, .write) { box in
        let bytes = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
        let span = unsafe bytes.bindMemory(to: UInt8.self).span
        try box.file?.write(span, at: offset)
      }
    }
    unsafe table.xTruncate = { file, size in
      unsafe FileMethods.call(file, .truncate) { try $0.file?.truncate(to: size) }
    }
    unsafe table.xSync = { file, flags in
      unsafe FileMethods.call(file, .sync) { try $0.file?.sync(VirtualFileSync(flags: flags)) }
    }
    unsafe table.xFileSize = { file, result in
      unsafe FileMethods.call(file, .size) { box in
        let size = try box.file?.size() ?? 0
        guard size >= 0 else {
          throw SQLiteError(.range, "The file system reported an invalid file size (\(size))")
        }
        unsafe result?.pointee = size
      }
    }
  }

  /// Fills `bytes`, using zeros for bytes beyond the end of the file, and returns whether the read was short.
  @inline(__always)
  private static func read(
    _ box: FileBox, _ bytes: UnsafeMutableRawBufferPointer, _ offset: Int64
  ) throws -> Bool {
    var count = 0
    do {
      var span = unsafe bytes.bindMemory(to: UInt8.self).mutableSpan
      count = try box.file?.read(into: &span, at: offset) ?? 0
    } catch SQLiteError.ioErrorShortRead {}
    guard count < bytes.count else {
      guard count == bytes.count else { throw wrong(count, bytes.count) }
      return false
    }
    guard count >= 0 else { throw wrong(count, bytes.count) }
    unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
      .initializeMemory(as: UInt8.self, repeating: 0)
    return true
  }

  @inline(never)
  private static func wrong(_ count: Int, _ most: Int) -> SQLiteError {
    SQLiteError(.range, "The file reported that it read \(count) of \(most) bytes")
  }

  private static func addLocking(_ table: inout sqlite3_io_methods) {
    unsafe table.xLock = { file, level in
      unsafe FileMethods.call(file, .lock) {
        try $0.file?.lock(VirtualFileLock(rawValue: level) ?? .exclusive)
      }
    }
    unsafe table.xUnlock = { file, level in
      unsafe FileMethods.call(file, .unlock) {
        try $0.file?.unlock(to: VirtualFileLock(rawValue: level) ?? .none)
      }
    }
    unsafe table.xCheckReservedLock = { file, result in
      unsafe FileMethods.call(file, .checkReservedLock) { box in
        unsafe result?.pointee = try box.file?.hasReservedLock() ?? false ? 1 : 0
      }
    }
  }

  private static func addAnswers(_ table: inout sqlite3_io_methods) {
    unsafe table.xFileControl = { file, operation, argument in
      var answer = SQLITE_NOTFOUND
      let kind = operation == SQLITE_FCNTL_PRAGMA ? FileCall.pragma : .control
      let code = unsafe FileMethods.call(file, kind) { box in
        let control = unsafe VirtualFileControl(operation, argument)
        do { answer = try control.answer(box.file?.control(control) ?? .unknown) } catch {
          control.say(SQLiteError(wrapping: error).message)
          throw error
        }
        guard operation == SQLITE_FCNTL_VFSNAME else { return }
        control.prepend(box.system.name)
        answer = SQLITE_OK
      }
      return code == SQLITE_OK ? answer : code
    }
    unsafe table.xSectorSize = { file in
      let size = unsafe FileBox.with(file) { box in inFileSystem { box.file?.sectorSize ?? 0 } }
      // SQLite could not play back a journal with any other sector size.
      return (512...65_536).contains(size) && size.nonzeroBitCount == 1 ? Int32(size) : 4096
    }
    unsafe table.xDeviceCharacteristics = { file in
      unsafe FileBox.with(file) { box in inFileSystem { box.file?.traits.rawValue ?? 0 } }
    }
  }

  private static func addSharedMemory(_ table: inout sqlite3_io_methods) {
    unsafe table.xShmMap = { file, region, size, extends, result in
      unsafe result?.pointee = nil
      return unsafe FileMethods.call(file, .mapSharedMemory) { box in
        unsafe box.region = nil
        defer { unsafe result?.pointee = unsafe box.region }
        try box.share(.map(region: Int(region), size: Int(size), extends: extends != 0))
        guard unsafe extends == 0 || box.region != nil else {
          throw SQLiteError(.ioErrorSharedMemoryMap, "The file has not mapped its shared memory")
        }
      }
    }
    unsafe table.xShmLock = { file, first, count, flags in
      unsafe FileMethods.call(file, .lockSharedMemory) { box in
        let slots = Int(first)..<Int(first) + max(0, Int(count))
        let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
        try box.share(
          flags & SQLITE_SHM_LOCK != 0
            ? .lock(slots, isExclusive: isExclusive) : .unlock(slots, isExclusive: isExclusive))
      }
    }
    unsafe table.xShmBarrier = { file in
      // SQLite does not check whether the barrier succeeded.
      _ = unsafe FileMethods.call(file, .lockSharedMemory) { try $0.share(.barrier) }
    }
    unsafe table.xShmUnmap = { file, deletes in
      unsafe FileMethods.call(file, .lockSharedMemory) {
        try $0.share(.unmap(deletes: deletes != 0))
      }
    }
  }

  private static func addMapping(_ table: inout sqlite3_io_methods) {
    unsafe table.xFetch = { file, offset, count, result in
      unsafe result?.pointee = nil
      return unsafe FileMethods.call(file, .read) { box in
        unsafe result?.pointee = try box.mapped?.fetch(count, at: offset)
      }
    }
    unsafe table.xUnfetch = { file, offset, memory in
      unsafe FileMethods.call(file, .read) { try unsafe $0.mapped?.unfetch(memory, at: offset) }
    }
  }
}
