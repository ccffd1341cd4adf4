import Testing

/// The areas of suites.
extension Tag {
  /// Codable rows and parameters.
  @Tag static var coding: Self
  /// Collations.
  @Tag static var collations: Self
  /// Queues, pools, tasks and threads.
  @Tag static var concurrency: Self
  /// Opening, configuring and closing connections.
  @Tag static var connections: Self
  /// SQL functions.
  @Tag static var functions: Self
  /// The linked SQLite.
  @Tag static var library: Self
  /// Migrations.
  @Tag static var migrations: Self
  /// Monitors.
  @Tag static var monitoring: Self
  /// Live queries, row changes and publishers.
  @Tag static var observation: Self
  /// Bad input, re-entrance, forks and random programs.
  @Tag static var reliability: Self
  /// Backups, blobs, checkpoints and serialization.
  @Tag static var storage: Self
  /// Values of rows.
  @Tag static var values: Self
}
