/// A table whose rows are produced by Swift code.
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
/// let letters = try connection.query(
///   .column(.string), sql: "SELECT letter FROM letters")
/// ```
///
/// The methods of a table and its cursors run on the thread that runs the statement. If a method throws, the
/// statement throws the same error; an ``SQLiteError`` includes the SQL of the statement. The methods may use
/// the connection, but they cannot close it, and cannot add or remove modules while a statement is being
/// prepared. ``plan(_:)`` cannot use the connection at all.
///
/// A table is released when SQLite disconnects it: when the table is dropped, when the schema is read again,
/// and when the connection closes.
///
/// The corresponding C type is `sqlite3_vtab`.
public protocol VirtualTable: AnyObject, SendableMetatype {
  associatedtype Cursor: VirtualTableCursor

  /// The columns of the table, which SQLite reads once.
  ///
  /// The corresponding C function is `sqlite3_declare_vtab`.
  var schema: VirtualTableSchema { get throws }

  /// The guarantees on which SQLite may rely; none by default. SQLite reads this property once.
  ///
  /// The corresponding C function is `sqlite3_vtab_config`.
  var options: VirtualTableOptions { get }

  /// Returns a plan for finding the rows that a statement needs, or nil if the constraints permit no plan.
  ///
  /// SQLite calls this method several times for each statement that it prepares, with different usable
  /// constraints, and chooses the cheapest plan. If the result is always nil, preparing the statement throws.
  /// The default implementation returns a plan that reads all rows. The connection cannot be used during the
  /// call.
  ///
  /// The corresponding C function is `xBestIndex`.
  func plan(_ query: borrowing VirtualTableQuery) throws -> VirtualTablePlan?

  /// Returns a new cursor; a table can have many cursors at once.
  ///
  /// The corresponding C function is `xOpen`.
  func cursor() throws -> Cursor

  /// Returns the overload of an SQL function, for calls whose first argument is a column of this table.
  ///
  /// The default is nil, which leaves the function unchanged. SQLite calls this method once for each name and
  /// arity. An SQL function of this name must exist, which ``Connection/addOverloadableFunction(_:arity:)``
  /// ensures.
  ///
  /// The corresponding C function is `xFindFunction`.
  func function(_ name: String, arity: Int) -> VirtualTableFunction?

  /// Called when the table is renamed, with the new name.
  ///
  /// The corresponding C function is `xRename`.
  func rename(to name: String) throws

  /// Called when the table is dropped, to delete its stored data.
  ///
  /// If this method throws, the table is not dropped.
  ///
  /// The corresponding C function is `xDestroy`.
  func destroy() throws

  /// Returns a description of any damage to the table, for `PRAGMA integrity_check`; nil if there is none.
  ///
  /// SQLite calls this method from version 3.44 on. `isQuick` is true for `PRAGMA quick_check`.
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

/// A cursor that iterates over the rows of a ``VirtualTable``.
///
/// The corresponding C type is `sqlite3_vtab_cursor`.
public protocol VirtualTableCursor: AnyObject, SendableMetatype {
  /// Moves to the first row that a plan of the table finds.
  ///
  /// SQLite can call this method again, with different values.
  ///
  /// The corresponding C function is `xFilter`.
  func filter(_ filter: borrowing VirtualTableFilter) throws

  /// Moves to the next row.
  ///
  /// SQLite does not call this method when the cursor is at the end.
  ///
  /// The corresponding C function is `xNext`.
  func next() throws

  /// Whether the cursor is past the last row.
  ///
  /// The corresponding C function is `xEof`.
  var isAtEnd: Bool { get }

  /// Returns the value of a column of the current row, by its index in the schema.
  ///
  /// The corresponding C function is `xColumn`.
  func column(_ index: Int) throws -> DatabaseValue

  /// The rowid of the current row, which is unique in the table.
  ///
  /// The rowid of a row must not change while a statement runs. SQLite does not read the rowids of a
  /// `WITHOUT ROWID` table.
  ///
  /// The corresponding C function is `xRowid`.
  var rowid: Int64 { get throws }
}

/// A ``VirtualTable`` that supports `INSERT`, `UPDATE` and `DELETE`.
///
/// Each connection that uses the table has its own instance. When SQLite undoes a transaction, or a statement
/// that failed partway, only ``rollback()`` and ``rollback(to:)`` can undo changes to the table.
///
/// The corresponding C function for all three statements is `xUpdate`.
public protocol WritableVirtualTable: VirtualTable {
  /// The identity of a row: the rowid, or the primary key of a `WITHOUT ROWID` table.
  associatedtype Key: SQLValue = Int64

  /// Inserts a row and returns its key.
  ///
  /// `key` is the rowid that the statement specifies. It is nil if the table must choose a rowid, and if the
  /// table is `WITHOUT ROWID`.
  func insert(_ row: borrowing VirtualTableRow, key: Key?) throws -> Key

  /// Updates the row with the key `key`; if `newKey` differs, it becomes the key of the row.
  ///
  /// The corresponding C function is `xUpdate`.
  func update(_ key: Key, to row: borrowing VirtualTableRow, newKey: Key) throws

  /// Deletes the row with this key.
  func delete(_ key: Key) throws

  /// Called before the first change in a transaction, including the transaction of a single statement.
  ///
  /// The corresponding C function is `xBegin`.
  func begin() throws

  /// Called when a transaction is about to be committed.
  ///
  /// If this method throws, the transaction is rolled back. Beginning another transaction in this method throws
  /// ``ResultCode/misuse``.
  ///
  /// The corresponding C function is `xSync`.
  func sync() throws

  /// Called when a transaction has been committed.
  ///
  /// The commit can no longer fail. As in ``sync()``, no other transaction can begin.
  ///
  /// The corresponding C function is `xCommit`.
  func commit()

  /// Called when a transaction is rolled back.
  ///
  /// The corresponding C function is `xRollback`.
  func rollback()

  /// Called to save the current state under a number.
  ///
  /// Any states that were saved under higher numbers are discarded. The number is that of a `SAVEPOINT`, or of a
  /// statement that may need to be undone separately.
  ///
  /// The corresponding C function is `xSavepoint`.
  func savepoint(_ number: Int) throws

  /// Called when the savepoint with this number, and all savepoints with higher numbers, are no longer needed.
  ///
  /// The corresponding C function is `xRelease`.
  func release(_ number: Int) throws

  /// Called to restore the state that was saved under a number.
  ///
  /// If no state was saved under that number, restore the state with the next higher number, because nothing
  /// changed in between. If there is no such state either, restore the state at ``begin()``. The savepoint
  /// remains.
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

/// An overload of an SQL function for a column of a ``VirtualTable``.
public struct VirtualTableFunction {
  /// A Swift function that SQL can call.
  public typealias Body = (_ arguments: borrowing SQLFunctionArguments) throws -> DatabaseValue

  let constraint: Int32?
  let body: Body

  /// Creates an overload that replaces the existing SQL function.
  public init(_ body: @escaping Body) {
    constraint = nil
    self.body = body
  }

  /// Creates an overload that is also a constraint on its first argument: `WHERE f(column, value)`.
  ///
  /// The function has two arguments. ``VirtualTable/plan(_:)`` receives the constraint as
  /// ``VirtualTableConstraint/Operation/function(_:)`` with the number `constraint`, which must be from 150 to
  /// 255. Any other number throws ``ResultCode/range``.
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
