/// Where databases are kept: what SQLite opens, reads, writes and locks its files through.
///
/// One that is wholly in Swift says what its files are; one that changes or watches some calls of another
/// is a ``VirtualFileSystemShim``, which is a few lines.
///
/// SQLite has it under a name, from ``SQLiteLibrary/addFileSystem(_:_:isDefault:)`` on, and calls it from
/// any thread. What is thrown fails the statement that needs the file: with the code of an ``SQLiteError``
/// if it is one that SQLite understands there, else with that of the kind of call, and with the text.
///
/// While it is called, the connection that calls cannot be used: that throws ``ResultCode/misuse``.
/// Others can.
///
/// Paths are what ``fullPath(of:)`` has made of those that were asked for, with `-journal` or `-wal` added
/// for the files beside a database. One that is not UTF-8 is refused before it gets here.
///
/// The corresponding C type is `sqlite3_vfs`.
public protocol VirtualFileSystem: Sendable {
  /// Opens a file, or makes it if that is what is requested.
  ///
  /// What is thrown is ``ResultCode/cantOpen`` if it has no code.
  ///
  /// The corresponding C function is `xOpen`.
  func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile

  /// Deletes a file; `syncsFolder` asks to wait until the disk knows.
  ///
  /// One that is not there throws ``ResultCode/ioErrorDeleteMissing``, which SQLite expects for some.
  ///
  /// The corresponding C function is `xDelete`.
  func delete(_ path: String, syncsFolder: Bool) throws

  /// Whether a file is there, or can be used in this way.
  ///
  /// A journal that is empty counts as one that is not there.
  ///
  /// The corresponding C function is `xAccess`.
  func access(_ path: String, _ access: VirtualFileAccess) throws -> Bool

  /// The path by which a file is known from now on, whatever the current folder is.
  ///
  /// By itself it is the path that was asked for.
  ///
  /// The corresponding C function is `xFullPathname`.
  func fullPath(of path: String) throws -> String

  /// How many bytes of UTF-8 a full path can have, between 512 and 65,536.
  ///
  /// By itself it is 1,024.
  var maximumPathLength: Int { get }

  /// Fills memory with random bytes, which SQLite needs as a seed.
  ///
  /// By itself it takes those of the standard file system.
  ///
  /// The corresponding C function is `xRandomness`.
  func fillWithRandomBytes(_ bytes: inout MutableSpan<UInt8>)

  /// Waits, because another connection has a lock.
  ///
  /// The corresponding C function is `xSleep`.
  func sleep(for duration: Duration)

  /// How long ago 1970 began in UTC: what SQL takes for `now`.
  ///
  /// The corresponding C function is `xCurrentTimeInt64`.
  func currentTime() throws -> Duration

  /// The number of the error of the operating system that came last on this thread; 0 for none.
  ///
  /// It becomes ``SQLiteError/systemErrno``. By itself it is 0.
  ///
  /// The corresponding C function is `xGetLastError`.
  var lastSystemErrno: Int { get }
}

extension VirtualFileSystem {
  public func fullPath(of path: String) throws -> String { path }

  public var maximumPathLength: Int { 1024 }

  public func fillWithRandomBytes(_ bytes: inout MutableSpan<UInt8>) {
    SQLiteLibrary.standardFileSystem.fillWithRandomBytes(&bytes)
  }

  public func sleep(for duration: Duration) {
    SQLiteLibrary.standardFileSystem.sleep(for: duration)
  }

  public func currentTime() throws -> Duration {
    try SQLiteLibrary.standardFileSystem.currentTime()
  }

  public var lastSystemErrno: Int { 0 }
}

/// A question about a file.
///
/// The corresponding C values are `SQLITE_ACCESS_*`.
public enum VirtualFileAccess: Int32, Hashable, Sendable, CaseIterable {
  /// Whether it is there.
  case exists = 0
  /// Whether it can be read and written.
  case readWrite = 1
  /// Whether it can be read.
  case read = 2
}

/// A file system that stands before another one, and does only some things by itself.
///
/// ```swift
/// struct Cipher: VirtualFileSystemShim {
///   let key: UInt8
///
///   func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
///     CipherFile(base: try base.open(request), key: key)
///   }
/// }
/// ```
///
/// What it does not implement goes to ``base``.
public protocol VirtualFileSystemShim: VirtualFileSystem {
  /// The one behind it; by itself ``SQLiteLibrary/standardFileSystem``.
  var base: any VirtualFileSystem { get }
}

extension VirtualFileSystemShim {
  public var base: any VirtualFileSystem { SQLiteLibrary.standardFileSystem }

  public func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
    try base.open(request)
  }

  public func delete(_ path: String, syncsFolder: Bool) throws {
    try base.delete(path, syncsFolder: syncsFolder)
  }

  public func access(_ path: String, _ access: VirtualFileAccess) throws -> Bool {
    try base.access(path, access)
  }

  public func fullPath(of path: String) throws -> String { try base.fullPath(of: path) }

  public var maximumPathLength: Int { base.maximumPathLength }

  public func fillWithRandomBytes(_ bytes: inout MutableSpan<UInt8>) {
    base.fillWithRandomBytes(&bytes)
  }

  public func sleep(for duration: Duration) { base.sleep(for: duration) }

  public func currentTime() throws -> Duration { try base.currentTime() }

  public var lastSystemErrno: Int { base.lastSystemErrno }
}
