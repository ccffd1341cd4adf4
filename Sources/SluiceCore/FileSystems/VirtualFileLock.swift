/// How strongly a file is locked by one connection.
///
/// The corresponding C values are `SQLITE_LOCK_*`.
public enum VirtualFileLock: Int32, Hashable, Sendable, CaseIterable, Comparable {
  /// Not at all.
  case none = 0
  /// It reads, as others may.
  case shared = 1
  /// It is going to write; others may still read, and begin to.
  case reserved = 2
  /// It waits until nobody reads any more, and nobody can begin to.
  case pending = 3
  /// It writes, and nobody else does anything.
  case exclusive = 4

  public static func < (first: VirtualFileLock, second: VirtualFileLock) -> Bool {
    first.rawValue < second.rawValue
  }
}
