extension Configuration {
  /// A configuration for a database that Litestream replicates.
  ///
  /// ```swift
  /// let pool = try ConnectionPool(path: "app.db", configuration: .replicated)
  /// ```
  ///
  /// The database has a WAL, all checkpoints are left to Litestream, and ``synchronous`` is
  /// ``SynchronousMode/normal``. Each connection waits up to five seconds for Litestream's brief locks, as with any new
  /// configuration. Use this configuration for every connection to the file, in all programs: a connection with other
  /// settings can run a checkpoint while Litestream is not running, and Litestream then copies the whole database again.
  ///
  /// While Litestream is not running, the WAL grows. ``PoolUpkeep/walLimit`` limits the growth.
  public static var replicated: Configuration {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.synchronous = .normal
    configuration.checkpointsAutomatically = false
    return configuration
  }
}
