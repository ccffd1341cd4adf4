import Testing

/// The areas that suites test.
extension Tag {
  /// SQL that is checked at build time, and the command.
  @Tag static var checkedSQL: Self
}
