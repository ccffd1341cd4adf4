/// The locks of all files that are open at one path, for a ``VirtualFileSystem`` used within one process.
///
/// Each of these files has a ``FileLock``.
public final class FileLocks: Sendable {
  fileprivate struct Counts {
    /// The number of files that have any lock.
    var sharing = 0
    /// The strongest lock of any file; only one file can have more than a shared lock.
    var strongest = VirtualFileLock.none
  }

  fileprivate let counts = Locked(Counts())

  /// Creates the locks of a path at which no file is open.
  public init() {}

  /// Whether any file has ``VirtualFileLock/reserved`` or a stronger lock.
  public var isReserved: Bool { counts.withLock { $0.strongest > .shared } }
}

/// The lock of one file, which is released when the object is deallocated.
///
/// ```swift
/// func lock(_ level: VirtualFileLock) throws { try locked.take(level) }
/// func unlock(to level: VirtualFileLock) { locked.release(to: level) }
/// func hasReservedLock() -> Bool { locks.isReserved }
/// ```
public final class FileLock {
  private let locks: FileLocks
  /// The current level of the lock.
  public private(set) var level = VirtualFileLock.none

  /// Creates the lock of a file that is being opened, without locking the file.
  public init(_ locks: FileLocks) { self.locks = locks }

  deinit { release(to: .none) }

  /// Acquires a stronger lock.
  ///
  /// If other files are reading, a request for ``VirtualFileLock/exclusive`` throws, but acquires
  /// ``VirtualFileLock/pending``, which prevents new readers.
  ///
  /// - Throws: ``ResultCode/busy`` if another file's lock prevents this one.
  public func take(_ level: VirtualFileLock) throws {
    let before = self.level
    let (after, isBusy) = locks.counts.withLock { $0.take(level, having: before) }
    self.level = after
    if isBusy { throw SQLiteError(.busy, "Another connection has locked the file") }
  }

  /// Downgrades the lock to a weaker level.
  public func release(to level: VirtualFileLock) {
    let before = self.level
    self.level = locks.counts.withLock { $0.release(to: level, having: before) }
  }
}

extension FileLocks.Counts {
  fileprivate mutating func take(
    _ level: VirtualFileLock, having held: VirtualFileLock
  ) -> (VirtualFileLock, isBusy: Bool) {
    guard level > held else { return (held, false) }
    var held = held
    if held == .none {
      guard strongest < .pending else { return (held, true) }
      sharing += 1
      held = .shared
      strongest = max(strongest, .shared)
    }
    guard level > .shared else { return (held, false) }
    if held == .shared {
      guard strongest < .reserved else { return (held, true) }
      held = .reserved
    }
    if level > .reserved { held = level == .exclusive && sharing == 1 ? .exclusive : .pending }
    strongest = held
    return (held, held < level)
  }

  fileprivate mutating func release(
    to level: VirtualFileLock, having held: VirtualFileLock
  ) -> VirtualFileLock {
    guard level < held else { return held }
    if held > .shared { strongest = .shared }
    guard level == .none else { return .shared }
    sharing -= 1
    if sharing == 0 { strongest = .none }
    return .none
  }
}
