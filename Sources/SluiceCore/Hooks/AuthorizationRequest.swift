import CSluice

/// Something that a statement wants to do, for ``Connection/authorize(_:)`` to decide.
public struct AuthorizationRequest: Hashable, Sendable {
  /// The action of the statement.
  public let action: AuthorizedAction
  /// The name of the database in which it does so, such as `main`; nil if it is done in none.
  public let schema: String?
  /// The innermost trigger or view that does so, or nil if the SQL itself does.
  public let source: String?
}

/// The answer of an authorizer.
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

/// Something that a statement is about to be allowed to do.
///
/// A name is that of what is created, read and so on. What belongs to the schema `temp` has cases of its
/// own where SQLite has them.
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
  /// An index is made anew.
  case reindex(name: String)
  /// Statistics are collected of a table or an index.
  case analyze(name: String)

  /// There is a `SELECT`, in the statement or as a part of it.
  case select
  /// A column is read; of a table that is used without any of its columns, one without a name.
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

  /// A pragma is asked, or set to a value.
  case pragma(name: String, value: String?)
  /// A transaction is begun or ended: `BEGIN`, `COMMIT` or `ROLLBACK`.
  case transaction(operation: String)
  /// A savepoint is begun or ended: `BEGIN`, `RELEASE` or `ROLLBACK`.
  case savepoint(operation: String, name: String)
  /// A file is attached; SQLite does not know which if its name is no literal.
  case attach(file: String?)
  /// A database is detached.
  case detach(name: String)
  /// Something that a newer SQLite asks for, with its code and its arguments.
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
