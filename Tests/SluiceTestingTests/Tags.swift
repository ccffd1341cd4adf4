import Testing

/// The areas of suites.
extension Tag {
  /// Failing calls, failing allocations and power cuts.
  @Tag static var faults: Self
}
