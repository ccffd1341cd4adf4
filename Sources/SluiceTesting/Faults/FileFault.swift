/// A fault of a ``FaultyFileSystem``, and the calls that it affects.
///
/// ```swift
/// let fault = FileFault.full.forEver
/// let other = FileFault.error(.ioErrorSync, in: [.sync])
/// ```
public struct FileFault: Hashable, Sendable {
  /// The calls that the fault affects; other calls neither fail nor count.
  public var calls: Set<FileSystemCall>
  /// The code of the error, or nil for SQLite's code for such a call, as ``ResultCode/ioErrorRead`` for a read.
  public var code: ResultCode?
  /// Whether a failing read or write transfers half of its bytes; such a read ends early, without an error.
  public var isHalfDone = false
  /// Whether all affected calls fail from the first failing one on.
  public var isForEver = false

  /// Returns a fault that makes calls of the given kinds throw, by default calls of all kinds.
  public static func error(
    _ code: ResultCode? = nil, in calls: Set<FileSystemCall> = Set(FileSystemCall.allCases)
  ) -> FileFault {
    FileFault(calls: calls, code: code)
  }

  /// A full disk, which has no space for a write.
  public static var full: FileFault { error(.full, in: [.write]) }

  /// A file that cannot be opened.
  public static var cantOpen: FileFault { error(.cantOpen, in: [.open]) }

  /// A read that returns only half of the bytes, so that SQLite assumes that the file ends there.
  ///
  /// SQLite's next writes can damage the database. This fault shows only that a program keeps running.
  public static var shortRead: FileFault { FileFault(calls: [.read], isHalfDone: true) }

  /// A write that stores only half of the bytes, in whole sectors of 512 bytes, and then throws.
  public static var tornWrite: FileFault { FileFault(calls: [.write], isHalfDone: true) }

  /// The same fault with ``isForEver`` set.
  public var forEver: FileFault {
    var fault = self
    fault.isForEver = true
    return fault
  }
}
