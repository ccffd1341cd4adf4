import CSluice

/// A file system in Swift, which is kept as long as it is registered or has an open file.
@safe final class FileSystemBox: Sendable {
  let name: String
  let system: any VirtualFileSystem
  /// The databases that are open, by the address of the name that C has for each.
  private let databases = Locked<[UInt: UInt]>([:])

  init(_ name: String, _ system: any VirtualFileSystem) {
    self.name = name
    self.system = system
  }

  func add(_ box: FileBox, named name: UnsafePointer<CChar>) {
    let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(box).toOpaque())
    let key = UInt(bitPattern: name)
    databases.withLock { $0[key] = address }
  }

  func remove(_ box: FileBox, named name: UnsafePointer<CChar>) {
    let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(box).toOpaque())
    let key = UInt(bitPattern: name)
    databases.withLock { if $0[key] == address { $0[key] = nil } }
  }

  /// The database whose journal or WAL has this very name.
  ///
  /// SQLite keeps the names of the three together; that of a journal which a super-journal tells of is
  /// not among them, and cannot be asked for its database.
  func database(withFileNamed name: UnsafePointer<CChar>) -> FileBox? {
    let file = UInt(bitPattern: name)
    let address: UInt? = databases.withLock { databases in
      databases.first { key, _ in
        let database = unsafe UnsafePointer<CChar>(bitPattern: key)
        return unsafe UInt(bitPattern: sqlite3_filename_journal(database)) == file
          || UInt(bitPattern: sqlite3_filename_wal(database)) == file
      }?.value
    }
    // Its connection is the one that calls, so it stays open meanwhile.
    return unsafe address.flatMap { unsafe UnsafeRawPointer(bitPattern: $0) }.map {
      unsafe Unmanaged<FileBox>.fromOpaque($0).takeUnretainedValue()
    }
  }
}
