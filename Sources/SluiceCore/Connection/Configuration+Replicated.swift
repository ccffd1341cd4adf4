extension Configuration {
  /// A configuration for a database that Litestream replicates.
  ///
  /// ```swift
  /// let pool = try ConnectionPool(path: "app.db", configuration: .replicated)
  /// ```
  ///
  /// The database is in WAL mode, all checkpoints are left to Litestream, and ``synchronous`` is
  /// ``SynchronousMode/normal``. Each connection waits up to five seconds for Litestream's brief locks, as with any new
  /// configuration.
  ///
  /// Use this configuration for every connection to the file, in all programs. If a connection with other settings runs
  /// a checkpoint while Litestream is not running, the replica can miss commits without any error.
  ///
  /// While Litestream is not running, the WAL grows. ``PoolUpkeep/walLimit`` limits the growth; once it has taken
  /// effect, Litestream copies the whole database again.
  public static var replicated: Configuration {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.synchronous = .normal
    configuration.checkpointsAutomatically = false
    return configuration
  }
}
