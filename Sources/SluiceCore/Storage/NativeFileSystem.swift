import CSluice

/// A C file system, such as one that is part of SQLite.
@safe struct NativeFileSystem: VirtualFileSystem {
  /// The C file system, which SQLite keeps until the process ends; nil if there is none.
  var pointer: UnsafeMutablePointer<sqlite3_vfs>? { unsafe shared?.to(sqlite3_vfs.self) }
  private let shared: SharedPointer?

  init(_ pointer: UnsafeMutablePointer<sqlite3_vfs>?) {
    shared = unsafe pointer.map { unsafe SharedPointer($0) }
  }

  /// The standard file system, looked up before a file system in Swift can become the default.
  static let standard: NativeFileSystem = {
    // If SQLite cannot start, it has no file system.
    try? SQLiteLibrary.start()
    return unsafe NativeFileSystem(sqlite3_vfs_find(nil))
  }()

  /// The result code for a path that contains a symbolic link: `SQLITE_OK_SYMLINK`.
  static let isLink = SQLITE_OK | 2 << 8

  func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    let file = try unsafe NativeFile(request, system())
    request.box.adopt(file)
    return file
  }

  func delete(_ path: String, syncsFolder: Bool) throws {
    try unsafe call(path) { system, path in
      unsafe system.pointee.xDelete?(system, path, syncsFolder ? 1 : 0)
    }
  }

  func access(_ path: String, _ access: VirtualFileAccess) throws -> Bool {
    var result: Int32 = 0
    try unsafe call(path) { system, path in
      unsafe system.pointee.xAccess?(system, path, access.rawValue, &result)
    }
    return result != 0
  }

  func fullPath(of path: String) throws -> String {
    let count = try unsafe system().pointee.mxPathname + 1
    let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(max(count, 1)))
    defer { unsafe buffer.deallocate() }
    unsafe buffer.initialize(repeating: 0)
    // Each thread has a note of whether the last path that it resolved contains a symbolic link. The C file
    // system can call a file system in Swift, which overwrites this note. The note is therefore read first, and
    // written back afterwards.
    var isLink = sluice_saw_symbolic_link() != 0
    defer { sluice_note_symbolic_link(isLink ? 1 : 0) }
    try unsafe call(path) { system, path in
      let code = unsafe system.pointee.xFullPathname?(system, path, count, buffer.baseAddress)
      if code == Self.isLink { isLink = true }
      return code
    }
    return try unsafe text(of: UnsafePointer(buffer.baseAddress!))
  }

  var maximumPathLength: Int { unsafe pointer.map { unsafe Int($0.pointee.mxPathname) } ?? 1024 }

  func fillWithRandomBytes(_ bytes: inout MutableSpan<UInt8>) {
    unsafe bytes.withUnsafeMutableBytes { bytes in
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      _ = unsafe pointer?.pointee.xRandomness?(pointer, Int32(clamping: bytes.count), start)
    }
  }

  func sleep(for duration: Duration) {
    let microseconds = duration.clampedMicroseconds
    _ = unsafe pointer?.pointee.xSleep?(pointer, microseconds)
  }

  func currentTime() throws -> Duration {
    let system = try unsafe system()
    if unsafe system.pointee.iVersion >= 2, let ask = unsafe system.pointee.xCurrentTimeInt64 {
      var time: Int64 = 0
      try Self.check(unsafe ask(system, &time))
      return .milliseconds(time) - julianEpoch
    }
    var days = 0.0
    try Self.check(unsafe system.pointee.xCurrentTime?(system, &days))
    guard (0...6_000_000).contains(days) else {
      throw SQLiteError(.range, "The file system returned a date that is out of range")
    }
    return .seconds(days * 86_400) - julianEpoch
  }

  var lastSystemErrno: Int {
    unsafe Int(pointer?.pointee.xGetLastError?(pointer, 0, nil) ?? 0)
  }

  private func system() throws -> UnsafeMutablePointer<sqlite3_vfs> {
    guard let pointer = unsafe pointer else {
      throw SQLiteError(.notFound, "The linked SQLite has no file system")
    }
    return unsafe pointer
  }

  private func call(
    _ path: String,
    _ call: (UnsafeMutablePointer<sqlite3_vfs>, UnsafePointer<CChar>) -> Int32?
  ) throws {
    try refuseNUL(in: path, "The path")
    let system = try unsafe system()
    try Self.check(unsafe path.withCString { unsafe call(system, $0) })
  }

  /// Throws if a call failed, or if the method does not exist.
  static func check(_ code: Int32?) throws {
    // A code for success can contain further information in its upper bits.
    guard let code, code & 0xff == SQLITE_OK else {
      throw unsafe SQLiteError(code ?? SQLITE_NOTFOUND, of: nil)
    }
  }
}

/// The time from the start of SQLite's Julian day count to 1970.
let julianEpoch = Duration.milliseconds(210_866_760_000_000)

extension Duration {
  /// The duration in microseconds as a C integer, clamped to about 35 minutes.
  fileprivate var clampedMicroseconds: Int32 {
    let (seconds, attoseconds) = components
    guard seconds < Int64(Int32.max) / 1_000_000 else { return .max }
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return Int32(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }
}
