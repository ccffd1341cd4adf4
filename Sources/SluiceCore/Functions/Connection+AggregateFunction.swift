import CSluice

private typealias Group = AggregateGroup<any SQLAggregateFunction>
private typealias WindowGroup = AggregateGroup<any SQLAggregateWindowFunction>

extension Connection {
  /// Adds an SQL aggregate function with this name.
  ///
  /// `make` creates the state of one group, and is called for each group of each call in a query. In all
  /// other respects, this method behaves like ``addFunction(_:arity:options:_:)``.
  ///
  /// The corresponding C function is `sqlite3_create_function_v2`.
  public func addAggregateFunction<Function: SQLAggregateFunction>(
    _ name: String, arity: Int, options: FunctionOptions = [],
    _ make: @escaping () -> Function
  ) throws {
    let arity = try Self.arity(arity, of: name)
    let make: () -> any SQLAggregateFunction = make
    try refuseFunction(name, options)
    defer { state.releaseDeferred() }
    // SQLite releases the box even if it rejects the function.
    try check(
      unsafe sqlite3_create_function_v2(
        handle(), name, arity, SQLITE_UTF8 | options.flags,
        Box(make, state, function: name).retained(), nil,
        { context, count, values in
          unsafe Group.update(context) {
            try unsafe $0.step(SQLFunctionArguments(count, values, aggregate: context))
          }
        },
        { context in
          let group = unsafe Group.last(context)
          if !group.hasFailed {
            unsafe FunctionContext(context).setResult(group.state) { try group.function.final() }
          }
        },
        releaseBox))
    try forgetFunctions(adding: options)
  }

  /// Adds an SQL function with this name that works as an aggregate and over windows.
  ///
  /// `make` creates the state of one group or partition, and is called for each group or partition of each call
  /// in a query. In all other respects, this method behaves like ``addFunction(_:arity:options:_:)``.
  ///
  /// The corresponding C function is `sqlite3_create_window_function`.
  public func addAggregateFunction<Function: SQLAggregateWindowFunction>(
    _ name: String, arity: Int, options: FunctionOptions = [],
    _ make: @escaping () -> Function
  ) throws {
    let arity = try Self.arity(arity, of: name)
    let make: () -> any SQLAggregateWindowFunction = make
    try refuseFunction(name, options)
    defer { state.releaseDeferred() }
    // SQLite releases the box even if it rejects the function.
    try check(
      unsafe sqlite3_create_window_function(
        handle(), name, arity, SQLITE_UTF8 | options.flags,
        Box(make, state, function: name).retained(),
        { context, count, values in
          unsafe WindowGroup.update(context) {
            try unsafe $0.step(SQLFunctionArguments(count, values, aggregate: context))
          }
        },
        { context in
          let group = unsafe WindowGroup.last(context)
          if !group.hasFailed {
            unsafe FunctionContext(context).setResult(group.state) { try group.function.final() }
          }
        },
        { context in
          guard let group = unsafe WindowGroup.current(context) else {
            unsafe sqlite3_result_error_nomem(context)
            return
          }
          unsafe FunctionContext(context).setResult(group.state) { try group.function.value() }
        },
        { context, count, values in
          unsafe WindowGroup.update(context) {
            try unsafe $0.inverse(SQLFunctionArguments(count, values, aggregate: context))
          }
        },
        releaseBox))
    try forgetFunctions(adding: options)
  }
}

/// The state of an aggregate function for one group of rows.
///
/// ```swift
/// final class Product: SQLAggregateFunction {
///   private var product = 1.0
///   func step(_ values: borrowing SQLFunctionArguments) throws {
///     product *= try values.get(at: 0)
///   }
///   func final() throws -> DatabaseValue { .real(product) }
/// }
/// try connection.addAggregateFunction("product", arity: 1) { Product() }
/// ```
///
/// Each group has its own state for each call of the function in a query.
public protocol SQLAggregateFunction: AnyObject, SendableMetatype {
  /// Adds one row to the group; an error ends the statement.
  func step(_ values: borrowing SQLFunctionArguments) throws

  /// Returns the result for the group, which may be empty; this method is called last.
  ///
  /// This method is also called when a statement is reset in the middle of a group; the result is then discarded.
  /// After ``step(_:)`` has thrown, this method is not called.
  func final() throws -> DatabaseValue
}

/// The state of an aggregate function that can also run over a window.
///
/// Rows enter the window with ``SQLAggregateFunction/step(_:)`` and leave it with ``inverse(_:)``.
public protocol SQLAggregateWindowFunction: SQLAggregateFunction {
  /// Removes the oldest row from the window; `values` are the values with which the row was added.
  func inverse(_ values: borrowing SQLFunctionArguments) throws

  /// Returns the result for the rows that are currently in the window.
  func value() throws -> DatabaseValue
}
