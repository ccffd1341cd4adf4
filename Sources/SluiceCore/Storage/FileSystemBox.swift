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

/// The state of a file system in Swift that C keeps.
///
/// A connection refers to it as long as it is open, and SQLite does not tell of that: so it stays for as long
/// as the process runs. It is used again for one of the same name once nothing is left of that.
@safe final class FileSystemSlot: Sendable {
  private struct State {
    /// Nil once it is taken back.
    var registered: FileSystemBox?
    weak var box: FileSystemBox?
  }

  nonisolated(unsafe) let pointer: UnsafeMutablePointer<sqlite3_vfs>
  private let state = Locked(State())

  init(_ name: String) throws {
    guard let copy = unsafe sqliteCopy(of: name) else {
      throw SQLiteError(.noMemory, "Out of memory for a file system")
    }
    unsafe pointer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    unsafe pointer.initialize(to: sqlite3_vfs())
    unsafe pointer.pointee.iVersion = 2
    unsafe pointer.pointee.szOsFile = Int32(MemoryLayout<sluice_file>.size)
    unsafe pointer.pointee.zName = UnsafePointer(copy)
    unsafe pointer.pointee.pAppData = Unmanaged.passRetained(self).toOpaque()
    unsafe FileSystemMethods.add(to: &pointer.pointee)
  }

  /// The file system, as long as it is registered or has an open file.
  var box: FileSystemBox? { state.withLock { $0.registered ?? $0.box } }

  func fill(with box: FileSystemBox) {
    let longest = Int32(clamping: min(max(box.system.maximumPathLength, 512), 65_536))
    unsafe pointer.pointee.mxPathname = longest
    state.withLock { state in
      state.registered = box
      state.box = box
    }
  }

  /// Lets go of the file system, which is released outside of the lock.
  func empty() {
    let box = state.withLock { state in
      let box = state.registered
      state.registered = nil
      return box
    }
    withExtendedLifetime(box) {}
  }

  static func at(_ pointer: UnsafeMutablePointer<sqlite3_vfs>?) -> FileSystemSlot {
    unsafe Unmanaged<FileSystemSlot>.fromOpaque(pointer!.pointee.pAppData).takeUnretainedValue()
  }
}
