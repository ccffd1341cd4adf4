/// A call of SQLite to a file system or to one of its files.
///
/// The corresponding C types are `sqlite3_vfs` and `sqlite3_io_methods`.
public enum FileSystemCall: String, Hashable, Sendable, CaseIterable {
  /// Opens a file: ``VirtualFileSystem/open(_:)``.
  case open
  /// Deletes a file: ``VirtualFileSystem/delete(_:syncsFolder:)``.
  case delete
  /// Asks whether a file is there: ``VirtualFileSystem/access(_:_:)``.
  case access
  /// Asks for the path by which a file is known: ``VirtualFileSystem/fullPath(of:)``.
  case fullPath
  /// Reads: ``VirtualFile/read(into:at:)``.
  case read
  /// Writes: ``VirtualFile/write(_:at:)``.
  case write
  /// Makes a file shorter: ``VirtualFile/truncate(to:)``.
  case truncate
  /// Waits for the disk: ``VirtualFile/sync(_:)``.
  case sync
  /// Asks how long a file is: ``VirtualFile/size()``.
  case size
  /// Gets a lock: ``VirtualFile/lock(_:)``.
  case lock
  /// Gives a lock back: ``VirtualFile/unlock(to:)``.
  case unlock
  /// Asks whether anybody is about to write: ``VirtualFile/hasReservedLock()``.
  case hasReservedLock
  /// Says something else to a file: ``VirtualFile/control(_:)``.
  case control
  /// Uses the memory that a WAL needs: ``VirtualFile/share(_:)``.
  case share
  /// Closes a file: ``VirtualFile/close()``.
  case close
}
