public import SluiceCore

/// A type that creates its values from rows itself.
///
/// `query(Person.self, …)`, and all other functions that take a `Decodable` type and SQL, then call ``init(row:)``
/// instead of `init(from:)`. All models conform to this protocol.
public protocol RowConvertible: SendableMetatype {
  /// Creates a value from a row.
  init(row: borrowing Row) throws
}

/// An optional value is nil if all columns are NULL.
extension Optional: RowConvertible where Wrapped: RowConvertible {
  public init(row: borrowing Row) throws {
    self = try row.isNull() ? nil : Wrapped(row: row)
  }
}

extension Row {
  /// Returns whether all columns are NULL.
  func isNull() throws -> Bool {
    for index in indices where try !isNull(at: index) { return false }
    return true
  }
}
