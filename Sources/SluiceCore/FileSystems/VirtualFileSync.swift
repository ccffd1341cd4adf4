import CSluice

/// How safe what was written has to be.
///
/// The corresponding C values are `SQLITE_SYNC_*`.
public struct VirtualFileSync: OptionSet, Hashable, Sendable {
  /// The flags as C has them.
  public let rawValue: Int32

  /// The options for flags of C.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// It has to be on the medium, and not only in the memory of the disk, where the system can tell.
  public static var full: VirtualFileSync { VirtualFileSync(rawValue: 1) }

  /// The content counts, and not what the system notes of the file.
  public static var dataOnly: VirtualFileSync { VirtualFileSync(rawValue: SQLITE_SYNC_DATAONLY) }

  /// The options as C has them, where the two ways of syncing are two numbers.
  init(flags: Int32) {
    var options: VirtualFileSync = flags & 0x0f == SQLITE_SYNC_FULL ? .full : []
    if flags & SQLITE_SYNC_DATAONLY != 0 { options.insert(.dataOnly) }
    self = options
  }

  var flags: Int32 {
    (contains(.full) ? SQLITE_SYNC_FULL : SQLITE_SYNC_NORMAL)
      | (contains(.dataOnly) ? SQLITE_SYNC_DATAONLY : 0)
  }
}
