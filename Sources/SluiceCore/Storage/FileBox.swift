import CSluice

/// The state of an open file that C keeps.
@safe final class FileBox {
  /// What the file was opened by, which stays as long as it is open.
  let system: FileSystemBox
  /// Nil before it is open, and once it is closed.
  private(set) var file: (any VirtualFile)?
  /// The name for C of a database, which others find it by.
  private let ownName: UnsafePointer<CChar>?
  /// The box of the database that a journal or WAL belongs to.
  private(set) weak var database: FileBox?
  /// The files of C that were opened for this one.
  private var natives: [NativeFile] = []
  /// The file of C that SQLite may map into memory.
  private(set) var mapped: NativeFile?
  /// The current operation of the file, which decides what files of C may do.
  private(set) var phase = Phase.opening

  /// Who uses the ``SharedMemory`` of the file.
  fileprivate var client: SharedMemory.Client?
  /// The region that was mapped last.
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

  /// The name for C of the database that the file belongs to.
  var databaseName: UnsafePointer<CChar>? { unsafe database?.ownName }

  /// Opens the file, and returns whether it can only be read.
  func open(_ name: UnsafePointer<CChar>?, _ flags: Int32) throws -> Bool {
    let request = try unsafe VirtualFileRequest(name, flags, self)
    let file = try system.system.open(request)
    self.file = file
    mapped = (file.mappedFile as? NativeFile).flatMap { $0.box === self ? $0 : nil }
    if let name = unsafe ownName { unsafe system.add(self, named: name) }
    phase = .open
    return file.isReadOnly
  }

  /// Notes a file of C that was opened for this one, and is closed with it.
  func adopt(_ native: NativeFile) { natives.append(native) }

  /// Closes the file, with all that was opened for it.
  func close() throws {
    phase = .closing
    defer { finish() }
    try file?.close()
  }

  /// Lets go of everything, also of what could not be opened.
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

  /// Does something with shared memory, on behalf of SQLite.
  func share(_ kind: SharedMemoryOperation.Kind) throws {
    if case .unmap = kind { phase = .unmapping }
    defer { phase = .open }
    try file?.share(SharedMemoryOperation(kind, self))
  }
}

extension FileBox {
  /// The structure of C for a file, which has room for a box.
  private static func structure(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafeMutablePointer<sluice_file> {
    unsafe UnsafeMutableRawPointer(file!).assumingMemoryBound(to: sluice_file.self)
  }

  /// Gives C one reference, which `release(_:)` takes back.
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

  /// Lends the box of a file of C.
  @inline(__always)
  static func with<T>(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ body: (FileBox) throws -> T
  ) rethrows -> T {
    try unsafe Unmanaged<FileBox>.fromOpaque(structure(file).pointee.object)
      ._withUnsafeGuaranteedRef(body)
  }
}

/// Something that SQLite does with the memory that all connections to a database with a WAL share, lent for
/// the time of the call.
///
/// A file either passes it on to another one, or lets its ``VirtualFile/sharedMemory`` do it.
@safe public struct SharedMemoryOperation: ~Copyable {
  /// What SQLite does.
  public let kind: Kind
  /// The file that it is done for.
  let box: FileBox

  init(_ kind: Kind, _ box: FileBox) {
    self.kind = kind
    self.box = box
  }

  // A struct that cannot be copied and holds a class makes Swift 6.3 crash without one.
  deinit {}

  /// The operation on the shared memory.
  public enum Kind: Hashable, Sendable {
    /// It gets a region of so many bytes into its hands, which is made if `extends`.
    case map(region: Int, size: Int, extends: Bool)
    /// It locks some of eight locks, for itself alone or together with other readers; throws
    /// ``ResultCode/busy`` if it cannot.
    case lock(Range<Int>, isExclusive: Bool)
    /// It releases locks.
    case unlock(Range<Int>, isExclusive: Bool)
    /// It wants what it has written to be seen before what it writes from now on.
    case barrier
    /// It gives the memory back, which is not needed any more if `deletes`.
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

/// The call of SQLite to a file system, which decides the answers that it understands.
enum FileCall {
  case open, delete, access, fullPath, currentTime
  case close, read, write, truncate, sync, size, lock, unlock, checkReservedLock, control, pragma
  case mapSharedMemory, lockSharedMemory

  /// The code of an error that has none, or none that SQLite understands there.
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

  /// Whether SQLite does what is right with a code.
  ///
  /// After any other failure in the middle of writing, it would take its pages for what is in the file.
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

  /// The code of an error for SQLite; its text is kept for the one who has called SQLite.
  @inline(never)
  func fail(_ error: any Error) -> Int32 {
    let error = SQLiteError(wrapping: error)
    let code = understands(error.code) ? error.code : code
    // To be asked to wait is no failure, nor is what SQLite has asked about.
    guard error.code.primary != .busy, error.code != .ioErrorDeleteMissing,
      self != .mapSharedMemory || error.code.primary != .readOnly
    else { return code.rawValue }
    unsafe error.message.withCString { unsafe sluice_keep_failure(code.rawValue, $0) }
    return code.rawValue
  }
}

/// Runs what SQLite calls a file system for; its connection cannot be used meanwhile.
@inline(__always)
func inFileSystem<T>(_ body: () throws -> T) rethrows -> T {
  sluice_enter_file_system(1)
  defer { sluice_enter_file_system(-1) }
  return try body()
}
