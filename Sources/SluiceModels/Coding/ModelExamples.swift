public import Sluice

/// A type that provides its own examples, because it would reject the examples that Sluice creates.
///
/// If the type of a ``Model``'s property is an enumeration that is not `CaseIterable`, or if its `init(from:)`
/// rejects some values, conform the type to this protocol.
///
/// ```swift
/// enum Shelf: Codable, ModelExamples {
///   case lost
///   case room(Int)
///   static let modelExamples = (Shelf.lost, Shelf.room(1))
/// }
/// ```
public protocol ModelExamples: SendableMetatype {
  /// Two values whose stored forms differ.
  static var modelExamples: (Self, Self) { get }
}

extension DatabaseValue: ModelExamples {
  /// Two blobs, because a BLOB column stores every value unchanged.
  ///
  /// In a ``TablePart/strict`` table, the column needs `.type(.any)`.
  public static var modelExamples: (DatabaseValue, DatabaseValue) { (.blob([0]), .blob([1])) }
}
