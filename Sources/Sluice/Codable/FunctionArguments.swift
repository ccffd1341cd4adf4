public import Foundation
public import SluiceCore

extension Date: SQLFunctionArgument, SQLFunctionResult {
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
    try body(values.get(.date(as: values.codingStrategies().dates), at: index))
  }

  /// Returns the date in the form that the connection's ``CodingStrategies/dates`` specify.
  public func result(of values: borrowing SQLFunctionArguments) throws -> DatabaseValue {
    try DatabaseValue(.date(self, as: values.codingStrategies().dates))
  }
}

extension UUID: SQLFunctionArgument, SQLFunctionResult {
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

  /// Returns the UUID in the form that the connection's ``CodingStrategies/uuids`` specify.
  public func result(of values: borrowing SQLFunctionArguments) throws -> DatabaseValue {
    try DatabaseValue(.uuid(self, as: values.codingStrategies().uuids))
  }
}

extension SQLFunctionArguments {
  /// Returns the strategies of the connection that calls the function.
  fileprivate func codingStrategies() throws -> CodingStrategies {
    (try clientState()?.object as? CodingSettings ?? .standard).strategies
  }
}
