import CSluice

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
  /// If it throws, the statement is denied, and throws that error. What several decide differently, the
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
    let token = try observe(\.authorizer) { try decide(copy $0) }
    // The first has done this by itself.
    try unsafe hooks?.recompileStatements(handle())
    return token
  }
}

extension Hooks {
  func installAuthorizer(_ handle: OpaquePointer, _ isOn: Bool) {
    // What was compiled under other rules is compiled anew before it runs again, for which SQLite
    // sees to it only when it gets an authorizer, not when it loses one.
    unsafe sqlite3_set_authorizer(
      handle,
      { me, code, first, second, schema, source in
        let hooks = unsafe Hooks.at(me)
        unsafe hooks.state.tracker?.tell(code, first, second, schema)
        guard !hooks.authorizer.isEmpty else { return SQLITE_OK }
        return unsafe hooks.decide(code, text(first), text(second), text(schema), text(source)).code
      }, pointer)
    if !isOn { unsafe sqlite3_set_authorizer(handle, nil, nil) }
  }

  /// Has all statements compiled anew before they run again.
  func recompileStatements(_ handle: OpaquePointer) {
    unsafe installAuthorizer(handle, !authorizer.isEmpty || state.tracker != nil)
  }

  private func decide(
    _ code: Int32, _ first: String?, _ second: String?, _ schema: String?, _ source: String?
  ) -> Authorization {
    guard !state.isCleaningUp else { return .allow }
    let request = AuthorizationRequest(
      action: AuthorizedAction(code, first, second), schema: schema, source: source)
    return state.within(.hook) {
      var decision = Authorization.allow
      do {
        for observer in authorizer.all where !observer.token.isCancelled {
          decision = decision.stricter(try observer.tell(request))
        }
      } catch {
        state.keepFailure(error)
        return .deny
      }
      return decision
    }
  }
}

private func text(_ text: UnsafePointer<CChar>?) -> String? {
  unsafe text.map { unsafe String(cString: $0) }
}
