/// A policy that decides when to run checkpoints, and when to report a reader that holds the WAL.
///
/// ```swift
/// let policy = CheckpointPolicy(frames: 4000, interval: .seconds(30)) { starvation in
///   print("A reader has held the WAL for", starvation.duration)
/// }
/// try queue.sync { connection in
///   try connection.execute(sql: "INSERT INTO event(title) VALUES ('Note G')")
///   try policy.apply(to: connection)
/// }
/// ```
///
/// A reader *holds* the WAL if it prevents a checkpoint from copying all frames.
///
/// A policy does nothing automatically: call ``apply(to:frames:at:)`` after writes, or from time to time. Each
/// policy serves one database, and can be used from any thread.
public final class CheckpointPolicy: Sendable {
  /// The name of the database on the connection.
  public let database: String
  /// The number of pages in the WAL at which a checkpoint is due.
  public let frames: Int
  /// The time after which another checkpoint is due, counted from the last one, even if the WAL is small.
  public let interval: Duration
  /// The time for which a reader may hold the WAL before the policy reports the reader.
  public let patience: Duration

  private let onStarvation: @Sendable (WALStarvation) -> Void
  private let state = Locked(State())

  fileprivate struct State: Sendable {
    /// The time of the last checkpoint.
    var last: ContinuousClock.Instant?
    /// The frame at which a reader stops checkpoints, and when it began to do so; nil if no reader stops them.
    var hold: Hold?
  }

  fileprivate struct Hold: Sendable {
    let checkpointedFrameCount: Int
    let since: ContinuousClock.Instant
  }

  /// Creates a policy, whose method ``apply(to:frames:at:)`` calls `onStarvation` on the calling thread.
  public init(
    database: String = "main", frames: Int = 1000, interval: Duration = .seconds(60),
    patience: Duration = .seconds(60),
    onStarvation: @escaping @Sendable (_ starvation: WALStarvation) -> Void = { _ in }
  ) {
    self.database = database
    self.frames = frames
    self.interval = interval
    self.patience = patience
    self.onStarvation = onStarvation
  }

  /// Runs a passive checkpoint if one is due, and reports a reader that has held the WAL for too long.
  ///
  /// The first call always runs a checkpoint.
  ///
  /// - Parameters:
  ///   - connection: The connection that runs the checkpoint.
  ///   - frames: The number of frames in the WAL, if it is known, as in a WAL hook. If nil, only the time
  ///     determines whether a checkpoint is due.
  ///   - now: The time of the call.
  /// - Returns: The checkpoint, or nil if none was due.
  /// - Throws: The errors that ``Connection/checkpoint(_:database:)`` throws.
  @discardableResult
  public func apply(
    to connection: Connection, frames: Int? = nil, at now: ContinuousClock.Instant = .now
  ) throws -> Checkpoint? {
    let isDue = state.withLock { state in
      state.last.map { now - $0 >= interval } ?? true || frames ?? 0 >= self.frames
    }
    guard isDue else { return nil }
    let checkpoint = try connection.checkpoint(.passive, database: database)
    let starvation = state.withLock { state in
      state.last = now
      return state.note(checkpoint, at: now)
    }
    if let starvation, starvation.duration >= patience { onStarvation(starvation) }
    return checkpoint
  }
}

extension CheckpointPolicy.State {
  /// Records a checkpoint, and returns a report if a reader holds the WAL; otherwise nil.
  mutating func note(_ checkpoint: Checkpoint, at now: ContinuousClock.Instant) -> WALStarvation? {
    guard let count = checkpoint.frameCount, let moved = checkpoint.checkpointedFrameCount else {
      // Without frame counts, it is unknown whether a reader still holds the WAL, so `hold` does not change.
      return nil
    }
    guard moved < count else {
      hold = nil
      return nil
    }
    // While the same reader holds the WAL, every checkpoint stops at the same frame.
    if hold?.checkpointedFrameCount != moved {
      hold = .init(checkpointedFrameCount: moved, since: now)
    }
    let since = hold?.since ?? now
    return WALStarvation(
      duration: now - since, frameCount: count, checkpointedFrameCount: moved)
  }
}

/// A report that a reader keeps the WAL from being emptied, so that the WAL grows with every write.
public struct WALStarvation: Hashable, Sendable {
  /// The time for which the oldest reader is known to have held the WAL.
  ///
  /// The time starts at the first checkpoint that the reader stopped, so the reader may have begun earlier.
  public let duration: Duration
  /// The number of frames in the WAL, each of which is one page.
  public let frameCount: Int
  /// The number of WAL frames that are now in the database file; the reader keeps the rest in the WAL.
  public let checkpointedFrameCount: Int
}
