import CSluice

/// A file system written in Swift, which is retained while it is registered or has an open file.
@safe final class FileSystemBox: Sendable {
  let name: String
  let system: any VirtualFileSystem
  /// The addresses of the boxes of open databases, keyed by the addresses of the databases' C names.
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

  /// Returns the database whose journal or WAL has this name, or nil; names are compared by address.
  ///
  /// SQLite stores the names of a database, its journal and its WAL together. But if SQLite reads the name of a
  /// journal from a super-journal, this name is stored elsewhere, so the journal's database cannot be found.
  func database(withFileNamed name: UnsafePointer<CChar>) -> FileBox? {
    let file = UInt(bitPattern: name)
    let address: UInt? = databases.withLock { databases in
      databases.first { key, _ in
        let database = unsafe UnsafePointer<CChar>(bitPattern: key)
        return unsafe UInt(bitPattern: sqlite3_filename_journal(database)) == file
          || UInt(bitPattern: sqlite3_filename_wal(database)) == file
      }?.value
    }
    // The database's own connection makes this call, so the database remains open during the call.
    return unsafe address.flatMap { unsafe UnsafeRawPointer(bitPattern: $0) }.map {
      unsafe Unmanaged<FileBox>.fromOpaque($0).takeUnretainedValue()
    }
  }
}

/// The object that a `sqlite3_vfs` retains for a file system in Swift.
///
/// A connection refers to its slot until it closes, and SQLite does not report when a connection closes. A slot
/// therefore exists until the process ends. Once a slot's file system is deallocated, the slot is reused for a
/// file system with the same name.
@safe final class FileSystemSlot: Sendable {
  private struct State {
    /// The registered file system; nil once it has been removed.
    var registered: FileSystemBox?
    weak var box: FileSystemBox?
  }

  var pointer: UnsafeMutablePointer<sqlite3_vfs> { unsafe shared.to(sqlite3_vfs.self) }
  private let shared: SharedPointer
  private let state = Locked(State())

  init(_ name: String) throws {
    guard let copy = unsafe sqliteCopy(of: name) else {
      throw SQLiteError(.noMemory, "Out of memory for a file system")
    }
    let pointer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    shared = unsafe SharedPointer(pointer)
    unsafe pointer.initialize(to: sqlite3_vfs())
    unsafe pointer.pointee.iVersion = 2
    unsafe pointer.pointee.szOsFile = Int32(MemoryLayout<sluice_file>.size)
    unsafe pointer.pointee.zName = UnsafePointer(copy)
    unsafe pointer.pointee.pAppData = Unmanaged.passRetained(self).toOpaque()
    unsafe FileSystemMethods.add(to: &pointer.pointee)
  }

  /// The file system while it is registered or has an open file; nil otherwise.
  var box: FileSystemBox? { state.withLock { $0.registered ?? $0.box } }

  func fill(with box: FileSystemBox) {
    let longest = Int32(clamping: min(max(box.system.maximumPathLength, 512), 65_536))
    unsafe pointer.pointee.mxPathname = longest
    state.withLock { state in
      state.registered = box
      state.box = box
    }
  }

  /// Releases the file system, outside the lock.
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
