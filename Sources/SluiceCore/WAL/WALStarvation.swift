/// That a reader keeps the WAL from being emptied, so that it grows with all that is written.
public struct WALStarvation: Hashable, Sendable {
  /// For how long the oldest reader has held the WAL, at least: since the first checkpoint that it stopped.
  public let duration: Duration
  /// How many frames the WAL has, each of which is one page.
  public let frameCount: Int
  /// How many of them could be moved to the database file.
  public let checkpointedFrameCount: Int
}
