package import Testing

/// Tags for the areas that suites cover.
extension Tag {
  /// Parameters and SQL.
  @Tag package static var binding: Self
  /// SQL checked at build time, and the command-line tool.
  @Tag package static var checkedSQL: Self
  /// Codable rows and parameters.
  @Tag package static var coding: Self
  /// Collations.
  @Tag package static var collations: Self
  /// Queues, pools, tasks and threads.
  @Tag package static var concurrency: Self
  /// Opening, configuring and closing connections.
  @Tag package static var connections: Self
  /// Failing calls, failing allocations and power cuts.
  @Tag package static var faults: Self
  /// File systems written in Swift.
  @Tag package static var fileSystems: Self
  /// Full-text search.
  @Tag package static var fullText: Self
  /// SQL functions.
  @Tag package static var functions: Self
  /// Hooks and observers of a connection.
  @Tag package static var hooks: Self
  /// The linked SQLite.
  @Tag package static var library: Self
  /// Migrations.
  @Tag package static var migrations: Self
  /// Models.
  @Tag package static var models: Self
  /// Monitors.
  @Tag package static var monitoring: Self
  /// Live queries, row changes and publishers.
  @Tag package static var observation: Self
  /// Invalid input, re-entrancy, forks and random programs.
  @Tag package static var reliability: Self
  /// Sessions and changesets.
  @Tag package static var sessions: Self
  /// Pragmas, limits, status and schema.
  @Tag package static var settings: Self
  /// Preparing and running statements.
  @Tag package static var statements: Self
  /// Backups, blobs, checkpoints and serialization.
  @Tag package static var storage: Self
  /// Transactions and savepoints.
  @Tag package static var transactions: Self
  /// Values in rows.
  @Tag package static var values: Self
  /// Virtual tables.
  @Tag package static var virtualTables: Self
}
