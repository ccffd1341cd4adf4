public import Foundation
public import SluiceCore

extension Connection {
  /// Adds a collation that compares text with one of Foundation's comparison methods.
  ///
  /// ```swift
  /// try connection.addCollation("localized") { $0.localizedCompare($1) }
  /// ```
  ///
  /// A locale's order differs between systems, and changes with system updates. Such a change corrupts an index
  /// that uses the collation. Therefore, use the collation in `ORDER BY`, but not in a table or an index.
  public func addCollation(
    _ name: String, _ compare: @escaping (_ first: String, _ second: String) -> ComparisonResult
  ) throws {
    try addCollation(name) { first, second in
      switch compare(first, second) {
      case .orderedAscending: SQLOrder.ascending
      case .orderedSame: SQLOrder.same
      case .orderedDescending: SQLOrder.descending
      }
    }
  }
}
