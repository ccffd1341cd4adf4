/// A call from SQLite to a file system or to one of its files.
///
/// The corresponding C types are `sqlite3_vfs` and `sqlite3_io_methods`.
public enum FileSystemCall: String, Hashable, Sendable, CaseIterable {
  /// Opens a file: ``VirtualFileSystem/open(_:)``.
  case open
  /// Deletes a file: ``VirtualFileSystem/delete(_:syncsFolder:)``.
  case delete
  /// Checks whether a file exists: ``VirtualFileSystem/access(_:_:)``.
  case access
  /// Gets the full path of a file: ``VirtualFileSystem/fullPath(of:)``.
  case fullPath
  /// Reads from a file: ``VirtualFile/read(into:at:)``.
  case read
  /// Writes to a file: ``VirtualFile/write(_:at:)``.
  case write
  /// Truncates a file: ``VirtualFile/truncate(to:)``.
  case truncate
  /// Waits until the disk has stored all writes: ``VirtualFile/sync(_:)``.
  case sync
  /// Gets the size of a file: ``VirtualFile/size()``.
  case size
  /// Acquires a lock: ``VirtualFile/lock(_:)``.
  case lock
  /// Releases a lock: ``VirtualFile/unlock(to:)``.
  case unlock
  /// Checks whether a connection has reserved the file for writing: ``VirtualFile/hasReservedLock()``.
  case hasReservedLock
  /// Sends another request to a file: ``VirtualFile/control(_:)``.
  case control
  /// Uses the shared memory that a WAL needs: ``VirtualFile/share(_:)``.
  case share
  /// Closes a file: ``VirtualFile/close()``.
  case close
}
