import CSluice

/// An action of a statement that an authorizer allows or denies; see ``Connection/authorize(_:)``.
public struct AuthorizationRequest: Hashable, Sendable {
  /// The action that the statement performs.
  public let action: AuthorizedAction
  /// The name of the action's database, such as `main`; nil if the action concerns no database.
  public let schema: String?
  /// The innermost trigger or view that performs the action; nil for the SQL of the statement itself.
  public let source: String?
}

/// The decision of an authorizer.
public enum Authorization: Hashable, Sendable, CaseIterable {
  /// The action is allowed.
  case allow
  /// The action is denied: preparing the statement throws ``ResultCode/authorization``.
  case deny
  /// The action is skipped: a column reads as NULL, and a change has no effect.
  ///
  /// A `DELETE` is the exception. It still deletes, but row by row, so the update hook reports each row.
  ///
  /// The corresponding C value is `SQLITE_IGNORE`.
  case ignore

  /// Returns the stricter of two decisions.
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

/// An action of a statement that an authorizer decides on.
///
/// The associated values of a case name the objects that the action creates, reads or otherwise uses. Actions on
/// the schema `temp` have separate cases where SQLite has separate codes for them.
///
/// The corresponding C values are the action codes of `sqlite3_set_authorizer`.
public enum AuthorizedAction: Hashable, Sendable {
  /// An index is created.
  case createIndex(name: String, table: String)
  /// A table is created.
  case createTable(name: String)
  /// A trigger is created.
  case createTrigger(name: String, table: String)
  /// A view is created.
  case createView(name: String)
  /// A virtual table is created by its module.
  case createVirtualTable(name: String, module: String)
  /// An index of a temporary table is created.
  case createTemporaryIndex(name: String, table: String)
  /// A temporary table is created.
  case createTemporaryTable(name: String)
  /// A temporary trigger is created.
  case createTemporaryTrigger(name: String, table: String)
  /// A temporary view is created.
  case createTemporaryView(name: String)
  /// An index is dropped.
  case dropIndex(name: String, table: String)
  /// A table is dropped.
  case dropTable(name: String)
  /// A trigger is dropped.
  case dropTrigger(name: String, table: String)
  /// A view is dropped.
  case dropView(name: String)
  /// A virtual table is dropped.
  case dropVirtualTable(name: String, module: String)
  /// An index of a temporary table is dropped.
  case dropTemporaryIndex(name: String, table: String)
  /// A temporary table is dropped.
  case dropTemporaryTable(name: String)
  /// A temporary trigger is dropped.
  case dropTemporaryTrigger(name: String, table: String)
  /// A temporary view is dropped.
  case dropTemporaryView(name: String)
  /// A table is altered.
  case alterTable(schema: String, table: String)
  /// An index is rebuilt.
  case reindex(name: String)
  /// Statistics are collected for a table or an index.
  case analyze(name: String)

  /// A `SELECT` is executed, as the whole statement or as a part of it.
  case select
  /// A column is read.
  ///
  /// The name of the column is empty if the statement uses the table without reading any of its columns.
  case read(table: String, column: String)
  /// Rows are inserted.
  case insert(table: String)
  /// A column is updated.
  case update(table: String, column: String)
  /// Rows are deleted.
  case delete(table: String)
  /// A function is called.
  case function(name: String)
  /// A query refers to itself.
  case recursive

  /// A pragma is queried, or set to a value.
  case pragma(name: String, value: String?)
  /// A transaction is begun or ended: `BEGIN`, `COMMIT` or `ROLLBACK`.
  case transaction(operation: String)
  /// A savepoint is begun or ended: `BEGIN`, `RELEASE` or `ROLLBACK`.
  case savepoint(operation: String, name: String)
  /// A file is attached.
  ///
  /// The filename is nil if it is not a literal in the SQL, because SQLite then does not report it.
  case attach(file: String?)
  /// A database is detached.
  case detach(name: String)
  /// An action that only a newer version of SQLite defines, with the action's code and its first two arguments.
  case other(code: Int, String?, String?)
}

extension AuthorizedAction {
  init(_ code: Int32, _ first: String?, _ second: String?) {
    let name = first ?? ""
    let detail = second ?? ""
    self =
      Self.create(code, name, detail) ?? Self.drop(code, name, detail)
      ?? Self.use(code, first, second)
  }

  private static func create(_ code: Int32, _ name: String, _ detail: String) -> Self? {
    switch code {
    case SQLITE_CREATE_INDEX: .createIndex(name: name, table: detail)
    case SQLITE_CREATE_TABLE: .createTable(name: name)
    case SQLITE_CREATE_TRIGGER: .createTrigger(name: name, table: detail)
    case SQLITE_CREATE_VIEW: .createView(name: name)
    case SQLITE_CREATE_VTABLE: .createVirtualTable(name: name, module: detail)
    case SQLITE_CREATE_TEMP_INDEX: .createTemporaryIndex(name: name, table: detail)
    case SQLITE_CREATE_TEMP_TABLE: .createTemporaryTable(name: name)
    case SQLITE_CREATE_TEMP_TRIGGER: .createTemporaryTrigger(name: name, table: detail)
    case SQLITE_CREATE_TEMP_VIEW: .createTemporaryView(name: name)
    default: nil
    }
  }

  private static func drop(_ code: Int32, _ name: String, _ detail: String) -> Self? {
    switch code {
    case SQLITE_DROP_INDEX: .dropIndex(name: name, table: detail)
    case SQLITE_DROP_TABLE: .dropTable(name: name)
    case SQLITE_DROP_TRIGGER: .dropTrigger(name: name, table: detail)
    case SQLITE_DROP_VIEW: .dropView(name: name)
    case SQLITE_DROP_VTABLE: .dropVirtualTable(name: name, module: detail)
    case SQLITE_DROP_TEMP_INDEX: .dropTemporaryIndex(name: name, table: detail)
    case SQLITE_DROP_TEMP_TABLE: .dropTemporaryTable(name: name)
    case SQLITE_DROP_TEMP_TRIGGER: .dropTemporaryTrigger(name: name, table: detail)
    case SQLITE_DROP_TEMP_VIEW: .dropTemporaryView(name: name)
    default: nil
    }
  }

  private static func use(_ code: Int32, _ first: String?, _ second: String?) -> Self {
    let name = first ?? ""
    let detail = second ?? ""
    return switch code {
    case SQLITE_ALTER_TABLE: .alterTable(schema: name, table: detail)
    case SQLITE_REINDEX: .reindex(name: name)
    case SQLITE_ANALYZE: .analyze(name: name)
    case SQLITE_SELECT: .select
    case SQLITE_READ: .read(table: name, column: detail)
    case SQLITE_INSERT: .insert(table: name)
    case SQLITE_UPDATE: .update(table: name, column: detail)
    case SQLITE_DELETE: .delete(table: name)
    case SQLITE_FUNCTION: .function(name: detail)
    case SQLITE_RECURSIVE: .recursive
    case SQLITE_PRAGMA: .pragma(name: name, value: second)
    case SQLITE_TRANSACTION: .transaction(operation: name)
    case SQLITE_SAVEPOINT: .savepoint(operation: name, name: detail)
    case SQLITE_ATTACH: .attach(file: first)
    case SQLITE_DETACH: .detach(name: name)
    default: .other(code: Int(code), first, second)
    }
  }
}
