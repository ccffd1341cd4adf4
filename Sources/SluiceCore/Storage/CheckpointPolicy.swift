/// When checkpoints are made, and when somebody is to hear that a reader keeps the WAL from being emptied.
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
/// It does nothing by itself: ``apply(to:frames:at:)`` is called after writing, or now and then. One policy is
/// for one database, and can be used from any thread.
public final class CheckpointPolicy: Sendable {
  /// The database, by its name on the connection.
  public let database: String
  /// How many pages there are in the WAL when a checkpoint is due.
  public let frames: Int
  /// After which time a checkpoint is due, whatever there is in the WAL.
  public let interval: Duration
  /// For how long a reader may hold the WAL before that is reported.
  public let patience: Duration

  private let onStarvation: @Sendable (WALStarvation) -> Void
  private let state = Locked(State())

  fileprivate struct State: Sendable {
    /// When a checkpoint was made last.
    var last: ContinuousClock.Instant?
    /// Where checkpoints are held up.
    var hold: Hold?
  }

  fileprivate struct Hold: Sendable {
    let checkpointedFrameCount: Int
    let since: ContinuousClock.Instant
  }

  /// Makes a policy; `onStarvation` is called on the thread that applies it.
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

  /// Makes a passive checkpoint if one is due, and reports a reader that has held the WAL for too long.
  ///
  /// `frames` is what there is in the WAL, if that is known, as it is to a WAL hook; if not, the time alone
  /// decides. The first call makes a checkpoint. It returns nil if none was due, and throws what
  /// ``Connection/checkpoint(_:database:)`` throws.
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
  /// Notes a checkpoint, and returns the starvation that several in a row tell of.
  mutating func note(_ checkpoint: Checkpoint, at now: ContinuousClock.Instant) -> WALStarvation? {
    guard let count = checkpoint.frameCount, let moved = checkpoint.checkpointedFrameCount else {
      // Without numbers nothing is known to have changed.
      return nil
    }
    guard moved < count else {
      hold = nil
      return nil
    }
    // As long as the same reader stays, no checkpoint gets further than it.
    if hold?.checkpointedFrameCount != moved {
      hold = .init(checkpointedFrameCount: moved, since: now)
    }
    let since = hold?.since ?? now
    return WALStarvation(
      duration: now - since, frameCount: count, checkpointedFrameCount: moved)
  }
}

/// That a reader keeps the WAL from being emptied, so that it grows with all that is written.
public struct WALStarvation: Hashable, Sendable {
  /// For how long the oldest reader has held the WAL, at least: since the first checkpoint that it stopped.
  public let duration: Duration
  /// How many frames the WAL has, each of which is one page.
  public let frameCount: Int
  /// How many of them could be moved to the database file.
  public let checkpointedFrameCount: Int
}
