public import Foundation
public import SluiceCore

extension Connection {
  /// Lets SQL compare text by `compare`, for the comparisons that Foundation has.
  ///
  /// ```swift
  /// try connection.addCollation("localized") { $0.localizedCompare($1) }
  /// ```
  ///
  /// The order of a locale differs between systems and changes with their updates. An index that
  /// uses such a collation is damaged by that; use it in `ORDER BY`, and not in a table or index.
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
