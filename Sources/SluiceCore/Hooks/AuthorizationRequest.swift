import CSQLite

/// Something that a statement wants to do, for ``Connection/authorize(_:)`` to decide.
public struct AuthorizationRequest: Hashable, Sendable {
  /// What the statement wants to do.
  public let action: AuthorizedAction
  /// The name of the database in which it does so, such as `main`; nil if it is done in none.
  public let schema: String?
  /// The innermost trigger or view that does so, or nil if the SQL itself does.
  public let source: String?
}

/// Whether a statement may do something.
public enum Authorization: Hashable, Sendable, CaseIterable {
  /// It may.
  case allow
  /// It may not, and fails with ``ResultCode/authorization`` when it is compiled.
  case deny
  /// It is compiled without: a column that it reads is NULL, and what it changes stays as it is.
  ///
  /// Only a `DELETE` goes on, but row by row, so that the update hook hears of each.
  ///
  /// The corresponding C value is `SQLITE_IGNORE`.
  case ignore

  /// The one that leaves less to the statement.
  fileprivate func stricter(_ other: Authorization) -> Authorization {
    switch (self, other) {
    case (.deny, _), (_, .deny): .deny
    case (.ignore, _), (_, .ignore): .ignore
    case (.allow, .allow): .allow
    }
  }

  fileprivate var code: Int32 {
    switch self {
    case .allow: SQLITE_OK
    case .deny: SQLITE_DENY
    case .ignore: SQLITE_IGNORE
    }
  }
}

extension Hooks {
  func installAuthorizer(_ handle: OpaquePointer, _ isOn: Bool) {
    // What was compiled under other rules is compiled anew before it runs again, for which SQLite
    // sees to it only when it gets an authorizer, not when it loses one.
    unsafe sqlite3_set_authorizer(
      handle,
      { me, code, first, second, schema, source in
        unsafe Hooks.at(me).decide(code, text(first), text(second), text(schema), text(source)).code
      }, pointer)
    if !isOn { unsafe sqlite3_set_authorizer(handle, nil, nil) }
  }

  /// Has all statements compiled anew before they run again.
  func recompileStatements(_ handle: OpaquePointer) {
    unsafe installAuthorizer(handle, !authorizer.isEmpty)
  }

  private func decide(
    _ code: Int32, _ first: String?, _ second: String?, _ schema: String?, _ source: String?
  ) -> Authorization {
    guard !callbacks.isCleaningUp else { return .allow }
    let request = AuthorizationRequest(
      action: AuthorizedAction(code, first, second), schema: schema, source: source)
    return callbacks.inHook {
      var decision = Authorization.allow
      do {
        for observer in authorizer.all where !observer.token.isCancelled {
          decision = decision.stricter(try observer.tell(request))
        }
      } catch {
        callbacks.keepFailure(error, as: .authorization)
        return .deny
      }
      return decision
    }
  }
}

private func text(_ text: UnsafePointer<CChar>?) -> String? {
  unsafe text.map { unsafe String(cString: $0) }
}
