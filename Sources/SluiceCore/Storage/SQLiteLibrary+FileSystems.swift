import CSluice

extension SQLiteLibrary {
  /// Adds a file system, which connections in this process can select by name.
  ///
  /// ```swift
  /// try SQLiteLibrary.addFileSystem("cipher", Cipher(key: 0x5a))
  /// var configuration = Configuration()
  /// configuration.fileSystem = "cipher"
  /// let connection = try Connection(path: path, configuration: configuration)
  /// ```
  ///
  /// A connection selects the file system with ``Configuration/fileSystem``, or with `vfs=` in a URI. If
  /// `isDefault` is true, connections that select no file system also use it.
  ///
  /// Sluice keeps a few hundred bytes for each name, even after the file system is removed.
  ///
  /// - Throws: ``ResultCode/misuse`` if the name is taken, is empty or contains a NUL.
  ///
  /// The corresponding C function is `sqlite3_vfs_register`.
  public static func addFileSystem(
    _ name: String, _ fileSystem: some VirtualFileSystem, isDefault: Bool = false
  ) throws {
    try refuseNUL(in: name, "The name of the file system")
    try start()
    guard !name.isEmpty else { throw SQLiteError(.misuse, "The name of the file system is empty") }
    // The standard file system must be looked up while it is still the default.
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

  /// Removes a file system, so that no further connection can be opened with it.
  ///
  /// Connections that have a file open with the file system continue to work. The file system is released when
  /// the last file is closed.
  ///
  /// - Throws: ``ResultCode/notFound`` if ``addFileSystem(_:_:isDefault:)`` did not add the file system.
  ///
  /// The corresponding C function is `sqlite3_vfs_unregister`.
  public static func removeFileSystem(_ name: String) throws {
    try refuseNUL(in: name, "The name of the file system")
    let slot = try FileSystems.shared.withLock { systems in
      guard let slot = unsafe systems.slot(at: sqlite3_vfs_find(name)) else {
        throw SQLiteError(.notFound, "No file system named \(name) was added in Swift")
      }
      unsafe sqlite3_vfs_unregister(slot.pointer)
      return slot
    }
    slot.empty()
  }

  /// Returns the file system with this name, which was either added in Swift or registered in C.
  ///
  /// - Throws: ``ResultCode/notFound`` for an unknown name.
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
      // A slot can be reused, so a file system in Swift is returned directly, and not through its slot.
      if let system = unsafe systems.slot(at: pointer)?.box?.system { return system }
      return unsafe NativeFileSystem(pointer)
    }
  }

  /// SQLite's own default file system, even if another file system was added as the default.
  public static var standardFileSystem: any VirtualFileSystem { NativeFileSystem.standard }
}

/// The file systems in Swift that are or were registered.
struct FileSystems {
  private var slots: [FileSystemSlot] = []

  static let shared = Locked(FileSystems())

  func slot(at pointer: UnsafeMutablePointer<sqlite3_vfs>?) -> FileSystemSlot? {
    slots.first { unsafe $0.pointer == pointer }
  }

  /// Returns a slot whose previous file system is no longer in use, or a new slot.
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
