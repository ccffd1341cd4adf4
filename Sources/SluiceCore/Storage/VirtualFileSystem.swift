/// A file system through which SQLite opens, reads, writes and locks its files.
///
/// A file system that is entirely in Swift provides its own files. To change or observe some calls of another
/// file system, use a ``VirtualFileSystemShim``, which requires only a few lines.
///
/// ``SQLiteLibrary/addFileSystem(_:_:isDefault:)`` adds a file system under a name. From then on, SQLite can
/// call the file system from any thread. While a method runs, using the connection that called it throws
/// ``ResultCode/misuse``. Other connections can be used.
///
/// If a method throws, the statement that needs the file also throws. If the method throws an ``SQLiteError``
/// whose code SQLite understands in that call, the statement's error has the same code. Otherwise, the
/// statement's error has the code for the kind of call. In both cases, it has the message of the thrown error.
///
/// Paths are results of ``fullPath(of:)``, with `-journal` or `-wal` added for the files next to a database.
/// Sluice rejects a path that is not UTF-8 before it calls a method.
///
/// The corresponding C type is `sqlite3_vfs`.
public protocol VirtualFileSystem: Sendable {
  /// Opens a file, or creates it if this is requested, and returns the open file.
  ///
  /// An error that has no code becomes ``ResultCode/cantOpen``.
  ///
  /// The corresponding C function is `xOpen`.
  func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile

  /// Deletes a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - syncsFolder: Whether to wait until the deletion has reached the disk.
  /// - Throws: ``ResultCode/ioErrorDeleteMissing`` if the file does not exist. SQLite expects this error for some
  ///   files.
  ///
  /// The corresponding C function is `xDelete`.
  func delete(_ path: String, syncsFolder: Bool) throws

  /// Returns whether a file exists, or can be accessed in the specified way.
  ///
  /// An empty journal counts as missing, so the result for it is false.
  ///
  /// The corresponding C function is `xAccess`.
  func access(_ path: String, _ access: VirtualFileAccess) throws -> Bool

  /// Returns the full path of a file, which SQLite uses from then on, independently of the current folder.
  ///
  /// The default implementation returns `path` unchanged.
  ///
  /// The corresponding C function is `xFullPathname`.
  func fullPath(of path: String) throws -> String

  /// The maximum number of UTF-8 bytes in a full path, from 512 to 65,536; 1,024 by default.
  var maximumPathLength: Int { get }

  /// Fills memory with random bytes, which SQLite uses as a seed.
  ///
  /// The default implementation uses the standard file system.
  ///
  /// The corresponding C function is `xRandomness`.
  func fillWithRandomBytes(_ bytes: inout MutableSpan<UInt8>)

  /// Waits for `duration`.
  ///
  /// This method is called while another connection holds a lock that is needed.
  ///
  /// The default implementation uses the standard file system.
  ///
  /// The corresponding C function is `xSleep`.
  func sleep(for duration: Duration)

  /// Returns the time since the beginning of 1970 in UTC, which SQL uses as `now`.
  ///
  /// The default implementation uses the standard file system.
  ///
  /// The corresponding C function is `xCurrentTimeInt64`.
  func currentTime() throws -> Duration

  /// The number of the last operating system error on this thread; 0 if there was none. The default is 0.
  ///
  /// The number becomes ``SQLiteError/systemErrno``.
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

/// A kind of file access that SQLite checks.
///
/// The corresponding C values are `SQLITE_ACCESS_*`.
public enum VirtualFileAccess: Int32, Hashable, Sendable, CaseIterable {
  /// The file exists.
  case exists = 0
  /// The file can be read and written.
  case readWrite = 1
  /// The file can be read.
  case read = 2
}

/// A file system that wraps another one, and implements only some methods itself.
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
/// All other methods and properties are those of ``base``.
public protocol VirtualFileSystemShim: VirtualFileSystem {
  /// The file system that this shim wraps; ``SQLiteLibrary/standardFileSystem`` by default.
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
