/// The maintenance that a ``ConnectionPool`` performs in the background.
///
/// ```swift
/// var upkeep = PoolUpkeep()
/// upkeep.walLimit = .refuseWrites(bytes: 4_000_000_000)
/// upkeep.idleReaderTimeout = .seconds(60)
/// let pool = try ConnectionPool(path: path, upkeep: upkeep)
/// ```
///
/// A new value has settings for a program that runs for months; ``none`` turns everything off. A setting that is nil
/// turns off its part. A time of less than 100 milliseconds counts as 100 milliseconds. While nothing happens, upkeep
/// takes no time.
///
/// ``Configuration/monitor`` is notified of all upkeep, by ``ConnectionMonitor/upkeepDidRun(_:)``.
public struct PoolUpkeep: Sendable {
  /// The number of frames in the WAL from which a checkpoint runs in the background; 1000 by default.
  ///
  /// The checkpoint runs after the commit, when no access waits for the write connection. If the accesses leave no
  /// pause, a commit that finds four times as many frames runs a checkpoint itself. SQLite alone would run every
  /// checkpoint in a commit.
  ///
  /// If ``Configuration/prepareConnection(_:)`` or a pragma has set ``Connection/walAutocheckpoint`` to 0, nothing runs
  /// a checkpoint in the background, because another program such as a replicator decides. Any other number that
  /// differs from SQLite's default remains the number of the commit.
  public var checkpointFrames: Int? = 1000

  /// The time after a commit at which a checkpoint runs, however small the WAL is; one minute by default.
  ///
  /// While a reader prevents the checkpoint from completing, it is repeated after the same time.
  public var checkpointInterval: Duration? = .seconds(60)

  /// The time for which readers may hold the WAL before the monitor is notified; one minute by default.
  ///
  /// See ``UpkeepRecord/Event/heldWAL(_:readers:walSize:)``.
  public var readerPatience: Duration = .seconds(60)

  /// The size of the WAL from which writes are slowed or refused; see ``WALLimit``.
  ///
  /// By default, writes are slowed by up to 100 milliseconds from one gibibyte.
  public var walLimit: WALLimit? = .slowWrites(bytes: 1 << 30, by: .milliseconds(100))

  /// The time after which a reader that nobody uses is closed; five minutes by default.
  ///
  /// A reader is closed after this time, and before twice this time. The pool opens another one on demand.
  public var idleReaderTimeout: Duration? = .seconds(300)

  /// The time after which the statistics of the query planner are updated, if there were commits; four hours by default.
  ///
  /// The update examines at most some hundred rows of each index. See ``Connection/optimize(database:)`` and
  /// ``Configuration/optimizesOnClose``.
  public var optimizeInterval: Duration? = .seconds(4 * 3600)

  /// The clock that measures the intervals; tests can pass a clock of their own.
  public var clock: any Clock<Duration> = ContinuousClock()

  /// Creates the default settings.
  public init() {}

  /// No maintenance: SQLite runs its checkpoints in commits, and readers stay open.
  public static var none: PoolUpkeep {
    var upkeep = PoolUpkeep()
    upkeep.checkpointFrames = nil
    upkeep.checkpointInterval = nil
    upkeep.walLimit = nil
    upkeep.idleReaderTimeout = nil
    upkeep.optimizeInterval = nil
    return upkeep
  }

  /// These settings with times and numbers that can be planned with.
  var checked: PoolUpkeep {
    var upkeep = self
    let times = Duration.milliseconds(100)...Duration.seconds(1 << 40)
    func checked(_ time: Duration) -> Duration {
      min(max(time, times.lowerBound), times.upperBound)
    }
    upkeep.checkpointFrames = checkpointFrames.map { max(1, $0) }
    upkeep.checkpointInterval = checkpointInterval.map(checked)
    upkeep.idleReaderTimeout = idleReaderTimeout.map(checked)
    upkeep.optimizeInterval = optimizeInterval.map(checked)
    return upkeep
  }

  /// The size of a WAL from which the pool slows or refuses writes.
  ///
  /// A WAL grows while readers prevent a checkpoint from completing, and slows down every read. Above the limit, the
  /// pool tries before each access to the write connection to complete a checkpoint and to restart the WAL.
  public enum WALLimit: Hashable, Sendable {
    /// Each access to the write connection waits for readers for at most the duration, and then writes regardless.
    case slowWrites(bytes: Int, by: Duration)
    /// Statements that write throw ``ResultCode/busy`` until the WAL restarts.
    case refuseWrites(bytes: Int)

    var bytes: Int {
      switch self {
      case .slowWrites(let bytes, _), .refuseWrites(let bytes): bytes
      }
    }
  }
}

/// A report of the maintenance of a ``ConnectionPool``.
public struct UpkeepRecord: Sendable {
  /// The label of the pool.
  public let label: String
  /// The maintenance that was performed, or the problem that was found.
  public let event: Event

  /// One part of the maintenance.
  public enum Event: Sendable {
    /// A checkpoint in the background has ended, after the duration.
    case checkpoint(Checkpoint, Duration)
    /// Readers have kept a checkpoint from completing for longer than ``PoolUpkeep/readerPatience``.
    ///
    /// `readers` are the reads in progress of this pool, the longest first. If there are none, a snapshot or
    /// another process holds the WAL. `walSize` is the size of the WAL file in bytes.
    case heldWAL(WALStarvation, readers: [RunningRead], walSize: Int)
    /// An access has waited because the WAL had reached ``PoolUpkeep/walLimit``.
    ///
    /// `isRelieved` is true if the WAL is restarted by the next write. Otherwise, the access wrote regardless, or its
    /// writes are refused.
    case walLimit(walSize: Int, isRelieved: Bool, Duration)
    /// Readers that nobody used were closed.
    case closedReaders(count: Int)
    /// The statistics of the query planner were updated, in the duration.
    case optimized(Duration)
    /// Memory was released because SQLite used more than ``SQLiteLibrary/softHeapLimit``.
    case releasedMemory
    /// Maintenance failed with an error, and is tried again later.
    case failed(SQLiteError)
  }
}

/// A read of a ``ConnectionPool`` that is in progress.
public struct RunningRead: Hashable, Sendable {
  /// The label of the connection.
  public let label: String
  /// The time at which the read acquired the connection.
  public let since: ContinuousClock.Instant
  /// The SQL of the statement that started last, without the values that were bound; nil before the first one.
  public let sql: String?
}
