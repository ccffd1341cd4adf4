public import Foundation
public import SluiceCore

extension Date: SQLFunctionArgument {
  /// Calls `body` with a date in the form that the connection's ``CodingStrategies/dates`` specify.
  ///
  /// ```swift
  /// try connection.addFunction("weekday") { (date: Date) in
  ///   Calendar(identifier: .gregorian).component(.weekday, from: date)
  /// }
  /// ```
  ///
  /// An argument of this type costs about as much as a query of one row.
  ///
  /// - Throws: ``ResultCode/mismatch`` for an argument in another form.
  public static func with<T>(
    argument index: Int, of values: borrowing SQLFunctionArguments, _ body: (Date) throws -> T
  ) throws -> T {
    try body(values.get(.date(as: values.codingStrategies.dates), at: index))
  }
}

extension UUID: SQLFunctionArgument {
  /// Calls `body` with a UUID, which text or a blob of 16 bytes represents.
  ///
  /// An argument of this type costs about as much as a query of one row.
  ///
  /// - Throws: ``ResultCode/mismatch`` for any other argument.
  public static func with<T>(
    argument index: Int, of values: borrowing SQLFunctionArguments, _ body: (UUID) throws -> T
  ) throws -> T {
    let isBlob = try values.storageClass(at: index) == .blob
    return try body(values.get(isBlob ? .uuidBytes : .uuidString, at: index))
  }
}

extension SQLFunctionArguments {
  /// The strategies of the connection that calls the function.
  fileprivate var codingStrategies: CodingStrategies {
    (clientState?.object as? CodingSettings ?? .standard).strategies
  }
}
