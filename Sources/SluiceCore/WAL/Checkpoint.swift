/// How far a checkpoint goes, and what it waits for.
///
/// The corresponding C values are `SQLITE_CHECKPOINT_*`.
public enum CheckpointMode: Int32, Hashable, Sendable, CaseIterable {
  /// Moves what can be moved, and waits for nobody.
  case passive = 0
  /// Waits for writers, and for readers of an older state, and moves all.
  case full = 1
  /// Like `full`, and then waits for all readers of the WAL, so that the next writer begins it anew.
  case restart = 2
  /// Like `restart`, and empties the file of the WAL.
  case truncate = 3
}

/// What a checkpoint has done.
public struct Checkpoint: Hashable, Sendable {
  /// Whether others kept it from doing all that its mode asks for, which can be tried again.
  ///
  /// They were reading or writing, or made a checkpoint themselves.
  public let isBusy: Bool
  /// How many frames the WAL has, each of which is one page; nil if there is no WAL, or another
  /// checkpoint was being made.
  public let frameCount: Int?
  /// How many of them are in the database file by now, with those from before; nil as ``frameCount``.
  public let checkpointedFrameCount: Int?

  /// Whether all of the WAL is in the database file.
  public var isComplete: Bool { frameCount != nil && frameCount == checkpointedFrameCount }
}
