import CSluice

/// The state of an open file, to which C holds a reference.
@safe final class FileBox {
  /// The file system that opened the file, retained while the file is open.
  let system: FileSystemBox
  /// The file in Swift; nil before it is opened and after it is closed.
  private(set) var file: (any VirtualFile)?
  /// The C name of this file if it is a database; otherwise nil.
  ///
  /// The journal and the WAL of the database use the name to find this box.
  private let ownName: UnsafePointer<CChar>?
  /// The box of the database that the journal or WAL belongs to; for a database, this box.
  private(set) weak var database: FileBox?
  /// The C files that were opened for this file.
  private var natives: [NativeFile] = []
  /// The C file that SQLite may map into memory.
  private(set) var mapped: NativeFile?
  /// The current operation of the file, which determines the operations that its C files allow.
  private(set) var phase = Phase.opening

  /// The client of the file's ``SharedMemory``.
  fileprivate var client: SharedMemory.Client?
  /// The region of shared memory that was mapped last.
  var region: UnsafeMutableRawPointer?

  enum Phase { case opening, open, unmapping, closing }

  init(_ system: FileSystemBox, _ name: UnsafePointer<CChar>?, _ flags: Int32) {
    self.system = system
    let isDatabase = flags & SQLITE_OPEN_MAIN_DB != 0
    unsafe ownName = isDatabase ? name : nil
    if isDatabase {
      database = self
    } else if let name = unsafe name, flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL) != 0 {
      database = unsafe system.database(withFileNamed: name)
    }
  }

  /// The C name of the database that the file belongs to.
  var databaseName: UnsafePointer<CChar>? { unsafe database?.ownName }

  /// Opens the file, and returns whether it is read-only.
  func open(_ name: UnsafePointer<CChar>?, _ flags: Int32) throws -> Bool {
    let request = try unsafe VirtualFileRequest(name, flags, self)
    let file = try system.system.open(request)
    self.file = file
    mapped = (file.mappedFile as? NativeFile).flatMap { $0.box === self ? $0 : nil }
    if let name = unsafe ownName { unsafe system.add(self, named: name) }
    phase = .open
    return file.isReadOnly
  }

  /// Records a C file that was opened for this file, and is closed with it.
  func adopt(_ native: NativeFile) { natives.append(native) }

  /// Closes the file and everything that was opened for it.
  func close() throws {
    phase = .closing
    defer { finish() }
    try file?.close()
  }

  /// Releases everything that the file retains, even if the file could not be opened.
  func finish() {
    phase = .closing
    if let name = unsafe ownName { unsafe system.remove(self, named: name) }
    let natives = natives
    self.natives = []
    mapped = nil
    client = nil
    file = nil
    for native in natives { native.end() }
  }

  /// Performs an operation on shared memory on behalf of SQLite.
  func share(_ kind: SharedMemoryOperation.Kind) throws {
    if case .unmap = kind { phase = .unmapping }
    defer { phase = .open }
    try file?.share(SharedMemoryOperation(kind, self))
  }
}

extension FileBox {
  /// Returns the C structure of a file, which can store a reference to a box.
  private static func structure(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafeMutablePointer<sluice_file> {
    unsafe UnsafeMutableRawPointer(file!).assumingMemoryBound(to: sluice_file.self)
  }

  /// Stores a retained reference to this box in the C file; `release(_:)` releases the reference.
  func install(in file: UnsafeMutablePointer<sqlite3_file>?) {
    let structure = unsafe Self.structure(file)
    unsafe structure.pointee.object = Unmanaged.passRetained(self).toOpaque()
    unsafe structure.pointee.base.pMethods = FileMethods.table(
      hasSharedMemory: self.file?.hasSharedMemory ?? false, isMapped: mapped != nil)
  }

  static func release(_ file: UnsafeMutablePointer<sqlite3_file>?) {
    let structure = unsafe structure(file)
    unsafe structure.pointee.base.pMethods = nil
    unsafe Unmanaged<FileBox>.fromOpaque(structure.pointee.object).release()
  }

  /// Calls `body` with the box of a C file, and returns the result.
  @inline(__always)
  static func with<T>(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ body: (FileBox) throws -> T
  ) rethrows -> T {
    try unsafe Unmanaged<FileBox>.fromOpaque(structure(file).pointee.object)
      ._withUnsafeGuaranteedRef(body)
  }
}

/// An operation that SQLite performs on the memory shared by all connections to a database with a WAL.
///
/// The operation is valid only during the call. A file either passes the operation on to another file, or
/// leaves it to its ``VirtualFile/sharedMemory``.
@safe public struct SharedMemoryOperation: ~Copyable {
  /// The kind of the operation, with its arguments.
  public let kind: Kind
  /// The file for which the operation is performed.
  let box: FileBox

  init(_ kind: Kind, _ box: FileBox) {
    self.kind = kind
    self.box = box
  }

  // Without a deinit, Swift 6.3 crashes on a noncopyable struct that contains a class reference.
  deinit {}

  /// The kind of an operation on shared memory.
  public enum Kind: Hashable, Sendable {
    /// Maps a region of `size` bytes, which is created if it does not exist and `extends` is true.
    case map(region: Int, size: Int, extends: Bool)
    /// Acquires some of the eight locks, either exclusively or shared with other readers.
    ///
    /// Throws ``ResultCode/busy`` if a lock is not available.
    case lock(Range<Int>, isExclusive: Bool)
    /// Releases some of the locks.
    case unlock(Range<Int>, isExclusive: Bool)
    /// Makes all earlier writes visible before any later ones.
    case barrier
    /// Unmaps the memory; if `deletes` is true and no other connection uses the memory, also deletes it.
    case unmap(deletes: Bool)
  }

  // The optimizer of Swift 6.3 crashes on a body that borrows the operation in more than one branch.
  func perform(with memory: SharedMemory) throws { try box.perform(kind, with: memory) }
}

extension FileBox {
  fileprivate func perform(
    _ kind: SharedMemoryOperation.Kind, with memory: SharedMemory
  ) throws {
    let client = client ?? SharedMemory.Client(memory)
    self.client = client
    switch kind {
    case .map(let number, let size, let extends):
      unsafe region = try client.memory.region(number, size, extends: extends)
    case .lock(let slots, let isExclusive): try client.lock(slots, isExclusive: isExclusive)
    case .unlock(let slots, let isExclusive): client.unlock(slots, isExclusive: isExclusive)
    case .barrier: client.memory.barrier()
    case .unmap(let deletes):
      self.client = nil
      client.leave(deletes: deletes)
    }
  }
}

/// A kind of call from SQLite to a file system, which determines the result codes that SQLite understands.
enum FileCall {
  case open, delete, access, fullPath, currentTime
  case close, read, write, truncate, sync, size, lock, unlock, checkReservedLock, control, pragma
  case mapSharedMemory, lockSharedMemory

  /// The result code for an error that has no code, or whose code SQLite does not understand in this call.
  private var code: ResultCode {
    switch self {
    case .open: .cantOpen
    case .delete: .ioErrorDelete
    case .access: .ioErrorAccess
    case .fullPath: .cantOpenFullPath
    case .currentTime, .control: .ioError
    case .pragma: .error
    case .close: .ioErrorClose
    case .read: .ioErrorRead
    case .write: .ioErrorWrite
    case .truncate: .ioErrorTruncate
    case .sync: .ioErrorSync
    case .size: .ioErrorStatus
    case .lock: .ioErrorLock
    case .unlock: .ioErrorUnlock
    case .checkReservedLock: .ioErrorCheckReservedLock
    case .mapSharedMemory: .ioErrorSharedMemoryMap
    case .lockSharedMemory: .ioErrorSharedMemoryLock
    }
  }

  /// Returns whether SQLite handles a result code correctly as the result of this kind of call.
  ///
  /// For example, if a failed write returned a code that SQLite does not understand, SQLite would continue as
  /// if the pages in its cache had been written to the file.
  private func understands(_ code: ResultCode) -> Bool {
    let isFailureOfInput = code.primary == .ioError && code != .ioErrorShortRead
    switch (self, code.primary) {
    case (_, .ioError): return isFailureOfInput
    case (_, .ok), (_, .row), (_, .done), (_, .misuse), (_, .internal): return false
    case (.pragma, _): return codeOfFailure(code) == code.rawValue
    case (.open, _), (.control, _):
      return code.primary != .error && codeOfFailure(code) == code.rawValue
    case (.write, .full), (.truncate, .full), (.sync, .full): return true
    case (.read, .corrupt), (.read, .notADatabase): return true
    case (.lock, .busy), (.checkReservedLock, .busy): return true
    case (.mapSharedMemory, .busy), (.lockSharedMemory, .busy): return true
    case (.mapSharedMemory, .readOnly), (.mapSharedMemory, .cantOpen),
      (.mapSharedMemory, .protocol),
      (.mapSharedMemory, .noMemory):
      return true
    case (.delete, .cantOpen), (.access, .cantOpen), (.fullPath, .cantOpen), (.fullPath, .noMemory):
      return true
    default: return false
    }
  }

  /// Returns the result code for an error, and records the message for the error that Sluice throws.
  @inline(never)
  func fail(_ error: any Error) -> Int32 {
    let error = SQLiteError(wrapping: error)
    let code = understands(error.code) ? error.code : code
    // Three errors are not failures, because SQLite expects them: a lock is not available, a file to be deleted
    // does not exist, or shared memory is read-only. Their messages are not recorded.
    guard error.code.primary != .busy, error.code != .ioErrorDeleteMissing,
      self != .mapSharedMemory || error.code.primary != .readOnly
    else { return code.rawValue }
    unsafe error.message.withCString { unsafe sluice_keep_failure(code.rawValue, $0) }
    return code.rawValue
  }
}

/// Runs a callback of a file system, and returns its result; the calling connection cannot be used during the
/// call.
@inline(__always)
func inFileSystem<T>(_ body: () throws -> T) rethrows -> T {
  sluice_enter_file_system(1)
  defer { sluice_enter_file_system(-1) }
  return try body()
}
