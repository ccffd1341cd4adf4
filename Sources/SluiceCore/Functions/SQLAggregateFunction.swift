/// The state of an aggregate function for one group of rows.
///
/// ```swift
/// final class Product: SQLAggregateFunction {
///   private var product = 1.0
///   func step(_ values: borrowing SQLFunctionArguments) throws { product *= try values.get(at: 0) }
///   func final() throws -> DatabaseValue { .real(product) }
/// }
/// try connection.addAggregateFunction("product", arity: 1) { Product() }
/// ```
///
/// Each group, in each call of the function in a query, has a state of its own.
public protocol SQLAggregateFunction: AnyObject {
  /// Takes in one row. An error ends the statement.
  func step(_ values: borrowing SQLFunctionArguments) throws

  /// Answers for the group, which may have had no row. It is the last call.
  ///
  /// It is called also when a statement is reset in the middle of a group; nobody gets the
  /// answer then. After ``step(_:)`` threw, it is not called.
  func final() throws -> DatabaseValue
}

/// The state of an aggregate function that can also run over a window.
///
/// Rows come in with ``SQLAggregateFunction/step(_:)`` and leave with ``inverse(_:)``.
public protocol SQLAggregateWindowFunction: SQLAggregateFunction {
  /// Takes the oldest row out, which has the values with which it came in.
  func inverse(_ values: borrowing SQLFunctionArguments) throws

  /// Answers for the rows that are in the window now.
  func value() throws -> DatabaseValue
}
