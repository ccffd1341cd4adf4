import Testing

/// The areas that suites test.
extension Tag {
  /// SQL checked at build time, and the command-line tool.
  @Tag static var checkedSQL: Self
}
