import CSluice

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
  func stricter(_ other: Authorization) -> Authorization {
    switch (self, other) {
    case (.deny, _), (_, .deny): .deny
    case (.ignore, _), (_, .ignore): .ignore
    case (.allow, .allow): .allow
    }
  }

  var code: Int32 {
    switch self {
    case .allow: SQLITE_OK
    case .deny: SQLITE_DENY
    case .ignore: SQLITE_IGNORE
    }
  }
}
