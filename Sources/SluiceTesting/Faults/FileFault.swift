/// A fault of a ``FaultyFileSystem``, and the calls that it affects.
///
/// ```swift
/// let fault = FileFault.full.forEver
/// let other = FileFault.error(.ioErrorSync, in: [.sync])
/// ```
public struct FileFault: Hashable, Sendable {
  /// The calls that the fault affects; other calls do not fail and are not counted.
  public var calls: Set<FileSystemCall>
  /// The error code; nil for the default code of the failing call, such as ``ResultCode/ioErrorRead`` for a read.
  public var code: ResultCode?
  /// Whether a failing read or write transfers half of its bytes; such a read returns early, without an error.
  public var isHalfDone = false
  /// Whether all affected calls after the first failing call also fail.
  public var isForEver = false

  /// Returns a fault that makes calls of these kinds throw; the default is all kinds.
  public static func error(
    _ code: ResultCode? = nil, in calls: Set<FileSystemCall> = Set(FileSystemCall.allCases)
  ) -> FileFault {
    FileFault(calls: calls, code: code)
  }

  /// A fault that simulates a full disk, which has no space for a write.
  public static var full: FileFault { error(.full, in: [.write]) }

  /// A fault that prevents a file from being opened.
  public static var cantOpen: FileFault { error(.cantOpen, in: [.open]) }

  /// A fault that makes a read return only half of the bytes, so that SQLite assumes that the file ends there.
  ///
  /// The next writes by SQLite can damage the database, so this fault can only test whether a program keeps
  /// running.
  public static var shortRead: FileFault { FileFault(calls: [.read], isHalfDone: true) }

  /// A fault that makes a write store only half of the bytes, in whole sectors of 512 bytes, and then throw.
  public static var tornWrite: FileFault { FileFault(calls: [.write], isHalfDone: true) }

  /// A copy of this fault with ``isForEver`` set to true.
  public var forEver: FileFault {
    var fault = self
    fault.isForEver = true
    return fault
  }
}
