/// A table whose rows come from Swift.
///
/// ```swift
/// final class Letters: VirtualTable {
///   let schema: VirtualTableSchema = ["letter"]
///   func cursor() -> Cursor { Cursor() }
///
///   final class Cursor: VirtualTableCursor {
///     private let letters = Array("abc")
///     private var position = 0
///     func filter(_ filter: borrowing VirtualTableFilter) { position = 0 }
///     func next() { position += 1 }
///     var isAtEnd: Bool { position == letters.count }
///     func column(_ index: Int) -> DatabaseValue { .text(String(letters[position])) }
///     var rowid: Int64 { Int64(position) }
///   }
/// }
/// try connection.addModule("letters", as: .eponymousOnly) { _ in Letters() }
/// let letters = try connection.query(.column(.string), sql: "SELECT letter FROM letters")
/// ```
///
/// Its closures run on the thread that runs the statement. The statement throws the errors that
/// they throw; an ``SQLiteError`` gets the SQL of the statement. They may use the connection, but not close it, and not
/// change its modules while a statement is compiled; ``plan(_:)`` may not use it at all. It is released when SQLite
/// disconnects it: when it is dropped, when the schema is read anew, and when the connection closes.
///
/// The corresponding C type is `sqlite3_vtab`.
public protocol VirtualTable: AnyObject {
  associatedtype Cursor: VirtualTableCursor

  /// The columns, which SQLite asks for once.
  ///
  /// The corresponding C function is `sqlite3_declare_vtab`.
  var schema: VirtualTableSchema { get throws }

  /// What SQLite may assume, which it asks for once; by default nothing.
  ///
  /// The corresponding C function is `sqlite3_vtab_config`.
  var options: VirtualTableOptions { get }

  /// How the rows would be found that a statement wants, or nil if not with these constraints.
  ///
  /// It is asked several times for each statement that is compiled, with other constraints usable, and
  /// the cheapest plan wins. If it is nil for all, the statement is refused. By default all rows are
  /// read. Nothing can be done with the connection meanwhile.
  ///
  /// The corresponding C function is `xBestIndex`.
  func plan(_ query: borrowing VirtualTableQuery) throws -> VirtualTablePlan?

  /// A new cursor, of which there can be many at once.
  ///
  /// The corresponding C function is `xOpen`.
  func cursor() throws -> Cursor

  /// What a function of SQL does if its first argument is a column of this table, or nil if nothing
  /// else than always, as by default.
  ///
  /// It is asked once for each name and number of arguments. SQL needs to know a function of this name:
  /// ``Connection/addOverloadableFunction(_:arity:)`` sees to it.
  ///
  /// The corresponding C function is `xFindFunction`.
  func function(_ name: String, arity: Int) -> VirtualTableFunction?

  /// Called when the table gets another name, with that.
  ///
  /// The corresponding C function is `xRename`.
  func rename(to name: String) throws

  /// Called when the table is dropped: the place to delete what is stored for it. If it throws, the
  /// table stays.
  ///
  /// The corresponding C function is `xDestroy`.
  func destroy() throws

  /// What is wrong with the table, for `PRAGMA integrity_check`, or nil.
  ///
  /// SQLite asks from 3.44 on. `isQuick` says that it is `PRAGMA quick_check`.
  ///
  /// The corresponding C function is `xIntegrity`.
  func damage(isQuick: Bool) throws -> String?
}

extension VirtualTable {
  public var options: VirtualTableOptions { [] }
  public func plan(_ query: borrowing VirtualTableQuery) throws -> VirtualTablePlan? {
    VirtualTablePlan()
  }
  public func function(_ name: String, arity: Int) -> VirtualTableFunction? { nil }
  public func rename(to name: String) throws {}
  public func destroy() throws {}
  public func damage(isQuick: Bool) throws -> String? { nil }
}
