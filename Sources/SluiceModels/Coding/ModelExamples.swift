public import Sluice

/// A type of which Sluice cannot make examples by itself, as they would be refused.
///
/// It is for what is a property of a ``Model``, and is an enumeration that is not `CaseIterable`, or
/// a type whose `init(from:)` does not take everything.
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
  /// Two blobs: in a column of that type, SQLite leaves everything as it is.
  ///
  /// A table that is ``TablePart/strict`` needs `.type(.any)`.
  public static var modelExamples: (DatabaseValue, DatabaseValue) { (.blob([0]), .blob([1])) }
}
