import CSluice

/// The C callbacks of a file system in Swift.
enum FileSystemMethods {
  typealias System = UnsafeMutablePointer<sqlite3_vfs>?

  static func add(to system: inout sqlite3_vfs) {
    unsafe addFiles(to: &system)
    unsafe addServices(to: &system)
    unsafe addLibraries(to: &system)
  }

  /// Calls `body` with the file system, and returns `SQLITE_OK` or the code of the error that `body` throws.
  private static func call(
    _ system: System, _ call: FileCall, _ body: (FileSystemBox) throws -> Void
  ) -> Int32 {
    inFileSystem {
      do {
        guard let box = unsafe FileSystemSlot.at(system).box else {
          throw SQLiteError(.cantOpen, "The file system has been removed")
        }
        try body(box)
        return SQLITE_OK
      } catch { return call.fail(error) }
    }
  }

  private static func addFiles(to system: inout sqlite3_vfs) {
    unsafe system.xOpen = { system, name, file, flags, result in
      unsafe file?.pointee.pMethods = nil
      return unsafe FileSystemMethods.call(system, .open) { system in
        let box = unsafe FileBox(system, name, flags)
        do {
          let isReadOnly = try unsafe box.open(name, flags)
          unsafe result?.pointee = isReadOnly ? FileSystemMethods.changed(flags) : flags
        } catch {
          box.finish()
          throw error
        }
        unsafe box.install(in: file)
      }
    }
    unsafe system.xDelete = { system, path, syncsFolder in
      unsafe FileSystemMethods.call(system, .delete) { box in
        try unsafe box.system.delete(text(of: path!), syncsFolder: syncsFolder != 0)
      }
    }
    unsafe system.xAccess = { system, path, access, result in
      unsafe result?.pointee = 0
      return unsafe FileSystemMethods.call(system, .access) { box in
        let access = VirtualFileAccess(rawValue: access) ?? .exists
        unsafe result?.pointee = try unsafe box.system.access(text(of: path!), access) ? 1 : 0
      }
    }
    unsafe system.xFullPathname = { system, path, count, result in
      sluice_note_symbolic_link(0)
      let code = unsafe FileSystemMethods.call(system, .fullPath) { box in
        let full = try unsafe box.system.fullPath(of: text(of: path!))
        try refuseNUL(in: full, "The path")
        guard full.utf8.count < Int(count) else {
          throw SQLiteError(.cantOpenFullPath, "The path is too long")
        }
        unsafe full.withCString { unsafe result!.update(from: $0, count: full.utf8.count + 1) }
      }
      // The code `isLink` tells SQLite that the path contains a symbolic link. If the database was opened
      // with the option not to follow links, SQLite then rejects the path.
      return code == SQLITE_OK && sluice_saw_symbolic_link() != 0 ? NativeFileSystem.isLink : code
    }
  }

  /// Returns the flags of a file that was requested for writing but is read-only.
  private static func changed(_ flags: Int32) -> Int32 {
    flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY
  }

  /// Returns the file system or, if it has been removed, the standard file system.
  private static func system(_ system: System) -> any VirtualFileSystem {
    unsafe FileSystemSlot.at(system).box?.system ?? NativeFileSystem.standard
  }

  private static func addServices(to table: inout sqlite3_vfs) {
    unsafe table.xRandomness = { pointer, count, result in
      inFileSystem {
        guard count > 0, let result = unsafe result else { return 0 }
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: result, count: Int(count))
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        var span = unsafe bytes.bindMemory(to: UInt8.self).mutableSpan
        unsafe FileSystemMethods.system(pointer).fillWithRandomBytes(&span)
        return count
      }
    }
    unsafe table.xSleep = { pointer, microseconds in
      inFileSystem {
        unsafe FileSystemMethods.system(pointer).sleep(for: .microseconds(Int64(microseconds)))
        return microseconds
      }
    }
    unsafe table.xCurrentTimeInt64 = { pointer, result in
      inFileSystem {
        do {
          unsafe result?.pointee = try unsafe FileSystemMethods.system(pointer).currentTime()
            .julianMilliseconds
          return SQLITE_OK
        } catch { return FileCall.currentTime.fail(error) }
      }
    }
    unsafe table.xCurrentTime = { pointer, result in
      var milliseconds: Int64 = 0
      let code = unsafe pointer?.pointee.xCurrentTimeInt64?(pointer, &milliseconds) ?? SQLITE_ERROR
      unsafe result?.pointee = Double(milliseconds) / 86_400_000
      return code
    }
    unsafe table.xGetLastError = { pointer, _, _ in
      inFileSystem { unsafe Int32(clamping: FileSystemMethods.system(pointer).lastSystemErrno) }
    }
  }

  /// Adds the methods for shared libraries, which are those of the standard file system.
  private static func addLibraries(to table: inout sqlite3_vfs) {
    let standard = unsafe NativeFileSystem.standard.pointer
    guard unsafe standard?.pointee.xDlOpen != nil else { return }
    unsafe table.xDlOpen = { _, path in
      let standard = unsafe NativeFileSystem.standard.pointer
      return unsafe standard?.pointee.xDlOpen?(standard, path)
    }
    unsafe table.xDlError = { _, count, message in
      let standard = unsafe NativeFileSystem.standard.pointer
      unsafe standard?.pointee.xDlError?(standard, count, message)
    }
    unsafe table.xDlSym = { _, library, symbol in
      let standard = unsafe NativeFileSystem.standard.pointer
      return unsafe standard?.pointee.xDlSym?(standard, library, symbol)
    }
    unsafe table.xDlClose = { _, library in
      let standard = unsafe NativeFileSystem.standard.pointer
      unsafe standard?.pointee.xDlClose?(standard, library)
    }
  }
}

extension Duration {
  /// This time since 1970, converted to milliseconds since the start of SQLite's Julian day count.
  ///
  /// The range is from the start of the day count, in the year -4713, to the end of 9999; other times throw
  /// ``ResultCode/range``.
  fileprivate var julianMilliseconds: Int64 {
    get throws {
      let last = Duration.milliseconds(464_269_060_799_999) - julianEpoch
      guard self >= .zero - julianEpoch, self <= last else {
        throw SQLiteError(.range, "The time is outside SQLite's range: \(self)")
      }
      let (seconds, attoseconds) = (self + julianEpoch).components
      return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
  }
}
