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

  /// Guarantees that SQLite may rely on, which it asks for once; none by default.
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

  /// Returns the overload of a SQL function whose first argument is a column of this table, or nil for the function as
  /// it is, which is the default.
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

  /// Returns the damage of the table, for `PRAGMA integrity_check`, or nil.
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

/// A place in a ``VirtualTable``, which goes from row to row.
///
/// The corresponding C type is `sqlite3_vtab_cursor`.
public protocol VirtualTableCursor: AnyObject {
  /// Goes to the first row that a plan of the table finds. It can be called again, for other values.
  ///
  /// The corresponding C function is `xFilter`.
  func filter(_ filter: borrowing VirtualTableFilter) throws

  /// Goes to the next row. It is not called at the end.
  ///
  /// The corresponding C function is `xNext`.
  func next() throws

  /// Whether there is no row any more.
  ///
  /// The corresponding C function is `xEof`.
  var isAtEnd: Bool { get }

  /// A value of the row, of the column with this place in the schema.
  ///
  /// The corresponding C function is `xColumn`.
  func column(_ index: Int) throws -> DatabaseValue

  /// The number of the row, which no other row of the table has; it stays the same while a statement
  /// runs. A table `WITHOUT ROWID` is not asked for it.
  ///
  /// The corresponding C function is `xRowid`.
  var rowid: Int64 { get throws }
}

/// A ``VirtualTable`` that takes `INSERT`, `UPDATE` and `DELETE`.
///
/// It is there once for each connection that knows it. What it does not undo in ``rollback()`` and
/// ``rollback(to:)`` stays when a transaction, or a statement that fails half way, is undone.
///
/// The corresponding C function of the three is `xUpdate`.
public protocol WritableVirtualTable: VirtualTable {
  /// The identity of a row: the rowid, or the primary key of a table `WITHOUT ROWID`.
  associatedtype Key: SQLValue = Int64

  /// Adds a row, and returns its key.
  ///
  /// `key` is the rowid that the statement gives, or nil if the table is to choose one, as it also
  /// is if the table is `WITHOUT ROWID`.
  func insert(_ row: borrowing VirtualTableRow, key: Key?) throws -> Key

  /// Changes a row, and perhaps its key.
  ///
  /// The corresponding C function is `xUpdate`.
  func update(_ key: Key, to row: borrowing VirtualTableRow, newKey: Key) throws

  /// Deletes a row.
  func delete(_ key: Key) throws

  /// Called before the first change in a transaction, also in that of a single statement.
  ///
  /// The corresponding C function is `xBegin`.
  func begin() throws

  /// Called when a transaction is to be committed. If it throws, it is rolled back. Another that begins in here throws
  /// ``ResultCode/misuse``.
  ///
  /// The corresponding C function is `xSync`.
  func sync() throws

  /// Called when a transaction has been committed, which cannot fail any more. As in ``sync()``, none can begin.
  ///
  /// The corresponding C function is `xCommit`.
  func commit()

  /// Called when a transaction is rolled back.
  ///
  /// The corresponding C function is `xRollback`.
  func rollback()

  /// Called when the state is to be kept under a number. Those with a higher number are forgotten.
  ///
  /// The number is that of a `SAVEPOINT`, or of a statement that may have to be undone by itself.
  ///
  /// The corresponding C function is `xSavepoint`.
  func savepoint(_ number: Int) throws

  /// Called when a savepoint is not needed any more, nor those with a higher number.
  ///
  /// The corresponding C function is `xRelease`.
  func release(_ number: Int) throws

  /// Called when the state is to come back that was kept under a number, or else under the next higher
  /// one, as nothing has changed in between, or else that of the begin. The savepoint stays.
  ///
  /// The number is -1 for a `SAVEPOINT` that has begun the transaction.
  ///
  /// The corresponding C function is `xRollbackTo`.
  func rollback(to number: Int) throws
}

extension WritableVirtualTable {
  public func begin() throws {}
  public func sync() throws {}
  public func commit() {}
  public func rollback() {}
  public func savepoint(_ number: Int) throws {}
  public func release(_ number: Int) throws {}
  public func rollback(to number: Int) throws {}
}

/// The overload of a SQL function for a column of a ``VirtualTable``.
public struct VirtualTableFunction {
  /// A Swift function that SQL can call.
  public typealias Body = (_ arguments: borrowing SQLFunctionArguments) throws -> DatabaseValue

  let constraint: Int32?
  let body: Body

  /// A function that takes the place of the one that SQL knows.
  public init(_ body: @escaping Body) {
    constraint = nil
    self.body = body
  }

  /// A function of two arguments that is also a constraint on its first one, in `WHERE f(column, value)`.
  ///
  /// A plan gets it as ``VirtualTableConstraint/Operation/function(_:)`` with this number, from 150 to
  /// 255; any other throws ``ResultCode/range``.
  public init(constraint: Int, _ body: @escaping Body) throws {
    guard 150...255 ~= constraint else {
      throw SQLiteError(.range, "The number of a function constraint must be from 150 to 255")
    }
    self.constraint = Int32(constraint)
    self.body = body
  }
}

@available(*, unavailable)
extension VirtualTableFunction: Sendable {}
