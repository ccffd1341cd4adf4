import CSluice

extension Connection {
  /// A Swift function that SQL can call in a full-text query.
  public typealias FTS5Function = (_ context: borrowing FTS5Context) throws -> DatabaseValue

  /// Adds an auxiliary function for full-text queries, in addition to `bm25`, `highlight` and `snippet`.
  ///
  /// ```swift
  /// try connection.addFullTextFunction("hits") { context in
  ///   .integer(Int64(try context.instances().count))
  /// }
  /// let best = try connection.query(
  ///   .column(.string),
  ///   sql: "SELECT text FROM note WHERE note MATCH ? ORDER BY hits(note) DESC",
  ///   parameters: "sluice")
  /// ```
  ///
  /// The first argument in SQL is the table; the context describes its current row. The other arguments are
  /// ``FTS5Context/arguments``. If the function throws an error, the statement throws the same error; the code of an
  /// ``SQLiteError`` is preserved. Auxiliary functions require ``SQLiteCapability/fts5``.
  ///
  /// The connection retains `function` until it is replaced or removed, or the connection closes. A replacement
  /// takes effect immediately, even while a statement is calling the function.
  ///
  /// The corresponding C function is `fts5_api.xCreateFunction`.
  public func addFullTextFunction(_ name: String, _ function: @escaping FTS5Function) throws {
    defer { state.settle() }
    try fullTextRegistry().function(name, isNew: true, state)?
      .replace(by: FullTextFunction(call: function))
    // Cached statements may still call a different function with this name.
    evictStatements()
  }

  /// Removes and releases a full-text function; later calls of the function throw.
  public func removeFullTextFunction(_ name: String) throws {
    let slot = try fullTextRegistry().function(name, isNew: false, state)
    guard let slot, slot.content != nil else {
      throw SQLiteError(.notFound, "No full-text function named \(name) has been added")
    }
    slot.replace(by: nil)
    state.settle()
  }
}

/// A wrapper for a closure, because a box cannot contain a function type.
struct FullTextFunction {
  let call: Connection.FTS5Function
}

enum FullTextFunctionModule {
  /// The FTS5 callback that calls every function in Swift.
  static let call: fts5_extension_function = { api, cursor, context, count, values in
    guard let api = unsafe api, let cursor = unsafe cursor,
      let box = unsafe api.pointee.xUserData(cursor)
    else { return }
    let slot = unsafe Box<FTS5Slot<FullTextFunction>>.at(box)
    do {
      guard let function = slot.value.content else {
        throw SQLiteError(.error, "no such function: \(slot.value.name)")
      }
      let value = try slot.state.call {
        try unsafe function.call(
          FTS5Context(api, cursor, slot.state, SQLFunctionArguments(count, values)))
      }
      try unsafe FunctionContext(context).setResult(value)
    } catch {
      // When FTS5 calls the function to sort rows, it passes on only the result code, so store the error.
      let error = SQLiteError.naming(slot.value.name, in: error)
      slot.state.keepFailure(error)
      unsafe FunctionContext(context).setError(SQLiteError(wrapping: error))
    }
  }
}
