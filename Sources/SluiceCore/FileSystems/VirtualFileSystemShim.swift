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
