import CSluice

extension Connection {
  /// Adds an authorizer, which decides on each action of a statement when the statement is prepared.
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
  /// If `decide` throws, the action is denied, and preparing the statement throws that error. If several authorizers
  /// disagree, the strictest decision applies. After an authorizer has been added or cancelled, statements that were
  /// prepared earlier are re-prepared the next time they run. The authorizer checks all SQL, including the SQL that
  /// the library runs for a transaction, such as `BEGIN` and `COMMIT`. Only a rollback after a failure is exempt.
  ///
  /// Do not rely on an authorizer alone to hide a table: SQLite does not report the columns that `USING` and `NATURAL JOIN`
  /// compare, nor, before version 3.54, the reads of `INSERT INTO copy SELECT * FROM original`.
  ///
  /// Using the connection in `decide` throws ``ResultCode/misuse``. In all other respects, this method
  /// behaves like ``onCommit(_:)``.
  ///
  /// The corresponding C function is `sqlite3_set_authorizer`.
  @discardableResult
  public func authorize(
    _ decide: @escaping (_ request: AuthorizationRequest) throws -> Authorization
  ) throws -> HookToken {
    let token = try observe(\.authorizer) { try decide(copy $0) }
    // SQLite re-prepares statements automatically only for the first authorizer, because only that one is installed
    // in SQLite.
    try unsafe hooks?.recompileStatements(handle())
    return token
  }
}

extension Hooks {
  func installAuthorizer(_ handle: OpaquePointer, _ isOn: Bool) {
    // The authorizer is set even if it is removed immediately afterwards, because SQLite re-prepares statements
    // only when an authorizer is set, not when one is removed.
    unsafe sqlite3_set_authorizer(
      handle,
      { me, code, first, second, schema, source in
        let hooks = unsafe Hooks.at(me)
        unsafe hooks.state.tracker?.tell(code, first, second, schema, source)
        guard !hooks.authorizer.isEmpty, hooks.state.tracker?.isAsking != true else {
          return SQLITE_OK
        }
        return unsafe hooks.decide(code, text(first), text(second), text(schema), text(source)).code
      }, pointer)
    if !isOn { unsafe sqlite3_set_authorizer(handle, nil, nil) }
  }

  /// Makes SQLite re-prepare all statements before they run again.
  func recompileStatements(_ handle: OpaquePointer) {
    unsafe installAuthorizer(handle, !authorizer.isEmpty || state.tracker != nil)
  }

  private func decide(
    _ code: Int32, _ first: String?, _ second: String?, _ schema: String?, _ source: String?
  ) -> Authorization {
    guard !state.calls.isCleaningUp else { return .allow }
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
