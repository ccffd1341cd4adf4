import Testing

/// The areas of suites.
extension Tag {
  /// Codable rows and parameters.
  @Tag static var coding: Self
  /// Migrations.
  @Tag static var migrations: Self
  /// Models.
  @Tag static var models: Self
  /// Live queries, row changes and publishers.
  @Tag static var observation: Self
}
