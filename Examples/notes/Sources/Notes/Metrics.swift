/// The figures of a service since its start, for a monitoring system.
public struct Metrics: Codable, Hashable, Sendable {
  public var pool: Pool
  public var reads: Accesses
  public var writes: Accesses
  public var upkeep: Upkeep
  public var index: Index
  /// The number of requests in progress.
  public var runningRequests: Int

  /// The state of the pool at the moment.
  public struct Pool: Codable, Hashable, Sendable {
    public var openReaders: Int
    public var busyReaders: Int
    public var waitingReads: Int
    public var waitingWrites: Int
    /// The size of the WAL in bytes.
    public var walSize: Int
  }

  /// Accesses to the pool, with their times in milliseconds.
  public struct Accesses: Codable, Hashable, Sendable {
    public var count: Int
    public var failed: Int
    /// The number of waits for a lock of another connection or process.
    public var lockWaits: Int
    /// The time from the request to the connection.
    public var wait: Times
    /// The time with the connection.
    public var duration: Times
  }

  /// Percentiles in milliseconds.
  public struct Times: Codable, Hashable, Sendable {
    public var p50: Double
    public var p99: Double
    public var max: Double
  }

  /// The numbers of maintenance events.
  public struct Upkeep: Codable, Hashable, Sendable {
    public var checkpoints = 0
    /// Reports of reads that have kept the WAL from being restarted.
    public var heldWAL = 0
    /// Writes that have waited because of the size of the WAL.
    public var walLimits = 0
    public var failures = 0
  }

  /// The index in memory.
  public struct Index: Codable, Hashable, Sendable {
    public var notes: Int
    public var words: Int
    /// The number of times that the index was built from the table.
    public var builds: Int
    /// Whether the index follows the table; false while the service tries again after an error.
    public var isFollowing: Bool
    /// The last error that has interrupted the index, even if it follows the table again.
    public var lastProblem: String?
  }
}

extension Metrics.Times {
  init(_ histogram: Histogram) {
    func milliseconds(_ duration: Duration) -> Double {
      (duration / .milliseconds(1) * 1000).rounded() / 1000
    }
    self.init(
      p50: milliseconds(histogram.quantile(0.5)), p99: milliseconds(histogram.quantile(0.99)),
      max: milliseconds(histogram.maximum))
  }
}
