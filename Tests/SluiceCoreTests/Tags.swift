import Testing

/// The areas of suites.
extension Tag {
  /// Parameters and SQL.
  @Tag static var binding: Self
  /// Collations.
  @Tag static var collations: Self
  /// Queues, pools, tasks and threads.
  @Tag static var concurrency: Self
  /// Opening, configuring and closing connections.
  @Tag static var connections: Self
  /// File systems in Swift.
  @Tag static var fileSystems: Self
  /// Full-text search.
  @Tag static var fullText: Self
  /// SQL functions.
  @Tag static var functions: Self
  /// Hooks and observers of a connection.
  @Tag static var hooks: Self
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
  /// Sessions and changesets.
  @Tag static var sessions: Self
  /// Pragmas, limits, status and schema.
  @Tag static var settings: Self
  /// Preparing and running statements.
  @Tag static var statements: Self
  /// Backups, blobs, checkpoints and serialization.
  @Tag static var storage: Self
  /// Transactions and savepoints.
  @Tag static var transactions: Self
  /// Virtual tables.
  @Tag static var virtualTables: Self
}
