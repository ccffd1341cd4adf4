import CSluice

/// What C keeps for an open file.
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
  /// What the file is in the middle of, which tells what files of C may do.
  private(set) var phase = Phase.opening

  /// Who uses the ``SharedMemory`` of the file.
  var client: SharedMemory.Client?
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
