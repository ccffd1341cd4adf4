import CSluice

/// What C keeps for a file system in Swift.
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
      throw SQLiteError(.noMemory, "No memory for a file system")
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
