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
