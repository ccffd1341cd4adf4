/// The maintenance that a ``ConnectionPool`` performs in the background.
///
/// ```swift
/// var upkeep = PoolUpkeep()
/// upkeep.walLimit = .refuseWrites(bytes: 4_000_000_000)
/// upkeep.idleReaderTimeout = .seconds(60)
/// let pool = try ConnectionPool(path: path, upkeep: upkeep)
/// ```
///
/// The default settings suit a program that runs for months; ``none`` turns all maintenance off. If a setting
/// is nil, the maintenance that it configures is off. A ``checkpointInterval``, ``idleReaderTimeout`` or
/// ``optimizeInterval`` of less than 100 milliseconds counts as 100 milliseconds. Once nothing is left to do, upkeep
/// uses no CPU time.
///
/// The pool reports all upkeep to ``Configuration/monitor``, by calling ``ConnectionMonitor/upkeepDidRun(_:)``.
public struct PoolUpkeep: Sendable {
  /// The number of frames in the WAL at which a checkpoint runs in the background; 1000 by default.
  ///
  /// The checkpoint runs after the commit, when no access is waiting for the write connection. If there is always an
  /// access waiting, a commit after which the WAL has four times as many frames runs a checkpoint itself. Without
  /// upkeep, SQLite runs every checkpoint in a commit.
  ///
  /// If ``Configuration/checkpointsAutomatically`` is false, or ``Connection/walAutocheckpoint`` was set to 0, no
  /// checkpoint runs in the background, because another program, such as a replicator, decides when to run one. Any
  /// other number that differs from SQLite's default is kept: a commit after which the WAL has this number of frames
  /// runs a checkpoint itself.
  public var checkpointFrames: Int? = 1000

  /// The time after a commit at which a checkpoint runs, even if the WAL is small; one minute by default.
  ///
  /// While a reader prevents the checkpoint from completing, the checkpoint is repeated at this interval.
  public var checkpointInterval: Duration? = .seconds(60)

  /// The time for which readers may keep a checkpoint from completing before the monitor is notified; by default
  /// one minute.
  ///
  /// See ``UpkeepRecord/Event/heldWAL(_:readers:walSize:)``.
  public var readerPatience: Duration = .seconds(60)

  /// The size of the WAL at which the pool slows or refuses writes; see ``WALLimit``.
  ///
  /// By default, a WAL of one gibibyte or more slows each write access by up to 100 milliseconds.
  public var walLimit: WALLimit? = .slowWrites(bytes: 1 << 30, by: .milliseconds(100))

  /// The time after which an unused reader is closed; five minutes by default.
  ///
  /// A reader is closed at the earliest when this time has passed since its last use, and usually before twice
  /// this time has passed. The pool opens another one on demand.
  public var idleReaderTimeout: Duration? = .seconds(300)

  /// The time after a commit at which the query planner's statistics are updated; four hours by default.
  ///
  /// The update examines at most some hundred rows of each index. See ``Connection/optimize(database:)`` and
  /// ``Configuration/optimizesOnClose``.
  public var optimizeInterval: Duration? = .seconds(4 * 3600)

  /// The clock that measures the intervals; tests can pass a different clock.
  public var clock: any Clock<Duration> = ContinuousClock()

  /// Creates the default settings.
  public init() {}

  /// No maintenance: SQLite runs checkpoints in commits, and readers remain open.
  public static var none: PoolUpkeep {
    var upkeep = PoolUpkeep()
    upkeep.checkpointFrames = nil
    upkeep.checkpointInterval = nil
    upkeep.walLimit = nil
    upkeep.idleReaderTimeout = nil
    upkeep.optimizeInterval = nil
    return upkeep
  }

  /// These settings, with times and numbers limited to valid ranges.
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

  /// The size of the WAL at which the pool slows or refuses writes.
  ///
  /// A WAL grows while readers prevent a checkpoint from completing, and a large WAL slows down every read. If the WAL
  /// has reached the limit, the pool tries to complete a checkpoint and to restart the WAL before each access to the
  /// write connection.
  ///
  /// If another program runs the checkpoints, as with ``Configuration/replicated``, the pool tries only a passive
  /// checkpoint, after which the WAL does not restart while that program reads it. The checkpoint keeps the disk from
  /// filling up if the other program has stopped.
  public enum WALLimit: Hashable, Sendable {
    /// Each access to the write connection waits for readers for at most the duration `by`, and then always runs.
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

/// A report on the maintenance of a ``ConnectionPool``.
public struct UpkeepRecord: Sendable {
  /// The label of the pool.
  public let label: String
  /// The maintenance that was performed, or the problem that was found.
  public let event: Event

  /// A maintenance event.
  public enum Event: Sendable {
    /// A background checkpoint has ended; the `Duration` is the time that the checkpoint took.
    case checkpoint(Checkpoint, Duration)
    /// Readers have kept a checkpoint from completing for longer than ``PoolUpkeep/readerPatience``.
    ///
    /// `readers` are this pool's reads in progress, the longest first. A snapshot or another process can also be the
    /// cause, and is the only one if there are no reads. `walSize` is the size of the WAL file in bytes.
    case heldWAL(WALStarvation, readers: [RunningRead], walSize: Int)
    /// An access waited because the WAL had reached ``PoolUpkeep/walLimit``; the `Duration` is the time it waited.
    ///
    /// `isRelieved` is true if the next write restarts the WAL. If it is false, a pool with the limit
    /// `slowWrites` continues to write, and a pool with the limit `refuseWrites` rejects the writes.
    case walLimit(walSize: Int, isRelieved: Bool, Duration)
    /// Unused readers were closed.
    case closedReaders(count: Int)
    /// The query planner's statistics were updated; the `Duration` is the time that the update took.
    case optimized(Duration)
    /// Memory was released because SQLite used more than ``SQLiteLibrary/softHeapLimit``.
    case releasedMemory
    /// Maintenance failed with an error, and will be retried.
    case failed(SQLiteError)
  }
}
