public import Sluice

/// A type that provides its own examples, because it would refuse those that Sluice creates.
///
/// Conform the type of a ``Model``'s property if it is an enumeration that is not `CaseIterable`, or if its
/// `init(from:)` refuses some values.
///
/// ```swift
/// enum Shelf: Codable, ModelExamples {
///   case lost
///   case room(Int)
///   static let modelExamples = (Shelf.lost, Shelf.room(1))
/// }
/// ```
public protocol ModelExamples {
  /// Two values that are stored differently.
  static var modelExamples: (Self, Self) { get }
}

extension DatabaseValue: ModelExamples {
  /// Two blobs: a column of type BLOB stores every value unchanged.
  ///
  /// A table that is ``TablePart/strict`` needs `.type(.any)`.
  public static var modelExamples: (DatabaseValue, DatabaseValue) { (.blob([0]), .blob([1])) }
}
