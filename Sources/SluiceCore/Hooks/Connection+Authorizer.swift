extension Connection {
  /// Asks `decide` for each thing that a statement wants to do, when the statement is compiled.
  ///
  /// ```swift
  /// let token = try connection.authorize { request in
  ///   switch request.action {
  ///   case .select, .read, .function: .allow
  ///   default: .deny
  ///   }
  /// }
  /// ```
  ///
  /// If it throws, the statement is denied, and throws that error, with the code
  /// ``ResultCode/authorization`` unless it brings its own. What several decide differently, the
  /// strictest decides. Statements that were compiled before are compiled anew when they run next,
  /// also when an authorizer has been cancelled. All SQL has to pass, also what the library needs for a
  /// transaction, such as `BEGIN` and `COMMIT`; only what rolls back after a failure does not.
  ///
  /// `decide` cannot use the connection, which throws ``ResultCode/misuse``. In all else it is like
  /// ``onCommit(_:)``.
  ///
  /// The corresponding C function is `sqlite3_set_authorizer`.
  @discardableResult
  public func authorize(
    _ decide: @escaping (_ request: AuthorizationRequest) throws -> Authorization
  ) throws -> HookToken {
    let token = try observe({ $0.authorizer.add($1) }) { try decide(copy $0) }
    // The first has done this by itself.
    try unsafe hooks?.recompileStatements(handle())
    return token
  }
}
