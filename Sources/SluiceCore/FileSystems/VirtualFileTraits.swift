import CSluice

/// What SQLite can rely on when it writes a file.
///
/// One that is claimed and not true loses data in a power failure.
///
/// The corresponding C values are `SQLITE_IOCAP_*`, of which there may be more.
public struct VirtualFileTraits: OptionSet, Hashable, Sendable {
  /// The flags as C has them.
  public let rawValue: Int32

  /// The traits for flags of C.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Each write is done whole or not at all.
  public static var atomic: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC) }
  /// A write of 512 bytes, at a multiple of that, is done whole or not at all.
  public static var atomic512: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC512) }
  /// A write of 1 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic1K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC1K) }
  /// A write of 2 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic2K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC2K) }
  /// A write of 4 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic4K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC4K) }
  /// A write of 8 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic8K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC8K) }
  /// A write of 16 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic16K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC16K) }
  /// A write of 32 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic32K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC32K) }
  /// A write of 64 KiB, at a multiple of that, is done whole or not at all.
  public static var atomic64K: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_ATOMIC64K) }
  /// What is added at the end is written before the file becomes longer.
  public static var safeAppend: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_SAFE_APPEND) }
  /// Writes reach the disk in their order.
  public static var sequential: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_SEQUENTIAL) }
  /// A file cannot be deleted while it is open.
  public static var undeletableWhenOpen: VirtualFileTraits {
    Self(rawValue: SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN)
  }
  /// A power failure damages no bytes but those that are being written.
  public static var powersafeOverwrite: VirtualFileTraits {
    Self(rawValue: SQLITE_IOCAP_POWERSAFE_OVERWRITE)
  }
  /// The file cannot change, whoever tries: SQLite does not lock it.
  public static var immutable: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_IMMUTABLE) }
  /// Several writes can be done together or not at all, by way of ``VirtualFile/control(_:)``.
  public static var batchAtomic: VirtualFileTraits { Self(rawValue: SQLITE_IOCAP_BATCH_ATOMIC) }
}
