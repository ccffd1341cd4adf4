import CSluice

extension SQLiteLibrary {
  /// Lets connections of this process use a file system, under a name: with
  /// ``Configuration/fileSystem``, or `vfs=` in a URI.
  ///
  /// ```swift
  /// try SQLiteLibrary.addFileSystem("cipher", Cipher(key: 0x5a))
  /// var configuration = Configuration()
  /// configuration.fileSystem = "cipher"
  /// let connection = try Connection(path: path, configuration: configuration)
  /// ```
  ///
  /// With `isDefault`, those that ask for none use it, too. A name that is taken throws
  /// ``ResultCode/misuse``, as does one that is empty or contains a NUL.
  ///
  /// SQLite keeps a few hundred bytes for each name, also when the file system is removed.
  ///
  /// The corresponding C function is `sqlite3_vfs_register`.
  public static func addFileSystem(
    _ name: String, _ fileSystem: some VirtualFileSystem, isDefault: Bool = false
  ) throws {
    try refuseNUL(in: name, "The name of the file system")
    try start()
    guard !name.isEmpty else { throw SQLiteError(.misuse, "The name of the file system is empty") }
    // The standard file system is the default before any in Swift is registered.
    _ = NativeFileSystem.standard
    try FileSystems.shared.withLock { systems in
      guard unsafe sqlite3_vfs_find(name) == nil else {
        throw SQLiteError(.misuse, "A file system named \(name) already exists")
      }
      let slot = try systems.slot(named: name)
      slot.fill(with: FileSystemBox(name, fileSystem))
      unsafe SwiftFileSystems.add(slot.pointer)
      let code = unsafe sqlite3_vfs_register(slot.pointer, isDefault ? 1 : 0)
      guard code == SQLITE_OK else {
        slot.empty()
        throw unsafe SQLiteError(code, of: nil)
      }
    }
  }

  /// Takes a file system back, which no connection can be opened with from now on.
  ///
  /// Connections that have a file open with it go on as before, and it is released when the last file is
  /// closed. One that was not added by ``addFileSystem(_:_:isDefault:)`` throws ``ResultCode/notFound``.
  ///
  /// The corresponding C function is `sqlite3_vfs_unregister`.
  public static func removeFileSystem(_ name: String) throws {
    try refuseNUL(in: name, "The name of the file system")
    let slot = try FileSystems.shared.withLock { systems in
      guard let slot = unsafe systems.slot(at: sqlite3_vfs_find(name)) else {
        throw SQLiteError(.notFound, "No file system named \(name) was registered in Swift")
      }
      unsafe sqlite3_vfs_unregister(slot.pointer)
      return slot
    }
    slot.empty()
  }

  /// The file system of this name: the one that was added, or one in C.
  ///
  /// An unknown name throws ``ResultCode/notFound``.
  ///
  /// The corresponding C function is `sqlite3_vfs_find`.
  public static func fileSystem(named name: String) throws -> any VirtualFileSystem {
    try refuseNUL(in: name, "The name of the file system")
    try start()
    _ = NativeFileSystem.standard
    return try FileSystems.shared.withLock { systems in
      guard let pointer = unsafe sqlite3_vfs_find(name) else {
        throw SQLiteError(.notFound, "There is no file system named \(name)")
      }
      // A name can be used anew, so what is behind one in Swift is held, and not its name.
      if let system = unsafe systems.slot(at: pointer)?.box?.system { return system }
      return unsafe NativeFileSystem(pointer)
    }
  }

  /// The file system that SQLite uses by itself, whatever was added as the default.
  public static var standardFileSystem: any VirtualFileSystem { NativeFileSystem.standard }
}

/// The file systems in Swift that there are or have been.
struct FileSystems {
  private var slots: [FileSystemSlot] = []

  static let shared = Locked(FileSystems())

  func slot(at pointer: UnsafeMutablePointer<sqlite3_vfs>?) -> FileSystemSlot? {
    slots.first { unsafe $0.pointer == pointer }
  }

  /// A slot with nothing in it, and nothing that is still in use.
  fileprivate mutating func slot(named name: String) throws -> FileSystemSlot {
    if let slot = slots.first(where: { $0.isFree(for: name) }) { return slot }
    let slot = try FileSystemSlot(name)
    slots.append(slot)
    return slot
  }
}

extension FileSystemSlot {
  fileprivate func isFree(for name: String) -> Bool {
    unsafe box == nil && String(cString: pointer.pointee.zName) == name
  }
}

/// Which file systems are in Swift, and were at any time, by their addresses: those who call one are kept
/// from being used by it.
enum SwiftFileSystems {
  private static let addresses = Locked<Set<UInt>>([])

  static var isEmpty: Bool { addresses.withLock { $0.isEmpty } }

  static func add(_ system: UnsafeMutablePointer<sqlite3_vfs>) {
    let address = UInt(bitPattern: system)
    addresses.withLock { _ = $0.insert(address) }
  }

  static func contains(_ system: UnsafeMutablePointer<sqlite3_vfs>?) -> Bool {
    let address = UInt(bitPattern: system)
    return addresses.withLock { $0.contains(address) }
  }
}
