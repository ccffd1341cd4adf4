import Testing

/// The areas of suites.
extension Tag {
  /// SQL that is checked at build time, and the command.
  @Tag static var checkedSQL: Self
}
