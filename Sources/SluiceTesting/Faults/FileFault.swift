/// A fault of a ``FaultyFileSystem``, and the calls that it affects.
///
/// ```swift
/// let fault = FileFault.full.forEver
/// let other = FileFault.error(.ioErrorSync, in: [.sync])
/// ```
public struct FileFault: Hashable, Sendable {
  /// The calls that fail; others neither fail nor count.
  public var calls: Set<FileSystemCall>
  /// The code of the error, or nil for the code that SQLite has for such a call, as ``ResultCode/ioErrorRead`` for a
  /// read.
  public var code: ResultCode?
  /// Whether reads and writes are done by half: a read then ends early, without an error.
  public var isHalfDone = false
  /// Whether all calls fail from the first one on that does.
  public var isForEver = false

  /// Calls of some kinds, by themselves of all kinds, throw.
  public static func error(
    _ code: ResultCode? = nil, in calls: Set<FileSystemCall> = Set(FileSystemCall.allCases)
  ) -> FileFault {
    FileFault(calls: calls, code: code)
  }

  /// The disk has no room for what is written.
  public static var full: FileFault { error(.full, in: [.write]) }

  /// A file cannot be opened.
  public static var cantOpen: FileFault { error(.cantOpen, in: [.open]) }

  /// Half of what is read arrives, for which SQLite takes it that the file ends there.
  ///
  /// A database can be damaged by what is then written: it shows that a program lives on.
  public static var shortRead: FileFault { FileFault(calls: [.read], isHalfDone: true) }

  /// Half of what is written arrives, in whole sectors of 512 bytes, before the call throws.
  public static var tornWrite: FileFault { FileFault(calls: [.write], isHalfDone: true) }

  /// The same, of which there is no end.
  public var forEver: FileFault {
    var fault = self
    fault.isForEver = true
    return fault
  }
}
