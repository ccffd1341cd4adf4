/// The current row of a statement.
///
/// A closure that receives a row cannot keep it. A row that ``Statement/step()->Row?`` returned is valid until
/// the statement is next stepped or reset; afterwards, reading it throws ``ResultCode/misuse``. To keep the
/// contents of a row, copy them with ``values()``.
///
/// A column is read by its index, counted from zero, or by its name. There are three ways to read it:
///
/// - ``value(at:)`` returns the stored value.
/// - ``get(_:at:)``, ``optional(_:at:)``, `row["name"]` and `row.name` convert the value to a Swift type, and
///   throw ``ResultCode/mismatch`` if this is not possible without loss.
/// - ``integer(at:)``, ``real(at:)``, ``text(at:)`` and ``blob(at:)`` convert the value by SQLite's rules.
///
/// A name must match the name of a result column exactly. If several columns have the same name, the name
/// refers to the first one.
///
/// In `row.name`, the name of a member of `Row` never refers to a column: `let size: Int = try row.values` does
/// not compile, because `values()` is a method. To read a column with such a name, write `row["values"]`. `Row`
/// has no member `count`, so `row.count` reads a column named `count`.
@dynamicMemberLookup
public struct Row: ~Copyable {
  @usableFromInline let statement: Statement
  /// The value of the statement's `position` while this row is current.
  @usableFromInline var generation: UInt

  @inlinable
  init(_ statement: Statement) {
    self.statement = statement
    generation = statement.currentRow.position
  }

  // Without a deinit, the Swift 6.3 optimizer crashes on a noncopyable type that contains a class reference.
  deinit {}
}

extension Row {
  /// The indexes of the columns, counted from zero.
  ///
  /// The corresponding C function is `sqlite3_column_count`.
  public var indices: Range<Int> { 0..<statement.currentRow.width }

  /// The names of the columns in order, which may contain duplicates.
  ///
  /// The corresponding C function is `sqlite3_column_name`.
  public var columnNames: [String] { statement.columnNames }

  /// Returns the index of the first column with this name.
  ///
  /// Like SQLite, all methods that take a column's name ignore the case of ASCII letters, but a column with exactly this
  /// name takes precedence.
  @inlinable @inline(__always)
  public func index(named name: String) throws -> Int {
    if generation == statement.currentRow.position, let index = statement.resultColumns.guess(name)
    {
      return index
    }
    return try search(name)
  }

  @usableFromInline @inline(never)
  func search(_ name: String) throws -> Int {
    guard let index = try find(name) else { throw statement.noColumn(name) }
    return index
  }

  @usableFromInline @inline(never)
  func find(_ name: String) throws -> Int? {
    try unsafe statement.resultColumns.index(named: name, of: openHandle())
  }

  /// Returns the handle of the statement; throws if the row is no longer current.
  func openHandle() throws -> OpaquePointer {
    guard generation == statement.currentRow.position, let handle = unsafe statement.handle else {
      throw stale
    }
    return unsafe handle
  }

  /// Returns the storage class of the value in a column.
  ///
  /// The corresponding C function is `sqlite3_column_type`.
  public func storageClass(at index: Int) throws -> StorageClass {
    try column(index).storageClass
  }

  /// Returns whether the value in a column is NULL.
  @inlinable
  public func isNull(at index: Int) throws -> Bool {
    try readNull(at: index)
  }

  /// Returns the value in a column as it is stored.
  ///
  /// Throws ``ResultCode/mismatch`` for text that is not UTF-8.
  ///
  /// The corresponding C function is `sqlite3_column_value`.
  public func value(at index: Int) throws -> DatabaseValue {
    let column = try column(index)
    do { return try column.stored() } catch { throw failure(error, index) }
  }

  /// Returns the value in a column as it is stored.
  ///
  /// Throws ``ResultCode/mismatch`` for text that is not UTF-8.
  public func value(named name: String) throws -> DatabaseValue {
    try value(at: index(named: name))
  }

  /// Returns a copy of all columns, which outlives the row.
  public func values() throws -> RowValues {
    var values: [DatabaseValue] = []
    values.reserveCapacity(indices.count)
    for index in indices { values.append(try value(at: index)) }
    return RowValues(names: columnNames, values: values)
  }
}

extension Row {
  /// Returns the converted value of a column that is not NULL.
  @inlinable
  public func get<T>(_ converter: ColumnValueConverter<T>, at index: Int) throws -> T {
    try converter.convert(self, index)
  }

  /// Returns the converted value of a column that is not NULL.
  @inlinable
  public func get<T>(_ converter: ColumnValueConverter<T>, named name: String) throws -> T {
    try converter.convert(self, index(named: name))
  }

  /// Returns the converted value of a column, or nil for NULL.
  @inlinable
  public func optional<T>(_ converter: ColumnValueConverter<T>, at index: Int) throws -> T? {
    try isNull(at: index) ? nil : converter.convert(self, index)
  }

  /// Returns the converted value of a column, or nil for NULL.
  @inlinable
  public func optional<T>(_ converter: ColumnValueConverter<T>, named name: String) throws -> T? {
    try optional(converter, at: index(named: name))
  }

  /// The value in a column, converted to the requested type; an optional type reads NULL as nil.
  public subscript<T: SQLValue>(index: Int) -> T {
    @inlinable get throws { try read(at: index) }
  }

  /// The value in a column, converted to the requested type; an optional type reads NULL as nil.
  public subscript<T: SQLValue>(name: String) -> T {
    @inlinable get throws { try read(at: index(named: name)) }
  }

  /// The value in a column, converted to the requested type: `let age: Int? = try row.age`.
  public subscript<T: SQLValue>(dynamicMember name: String) -> T {
    @inlinable get throws { try read(at: index(named: name)) }
  }
}

/// Unavailable overloads for arrays, which a column cannot contain.
///
/// The compiler's error message names the converter that reads an array.
extension Row {
  @available(
    *, unavailable,
    message: "to read an array from a column, use a converter: row.get(.json([Int].self), at: 0)"
  )
  public subscript<Element>(index: Int) -> [Element] { get throws { throw noArray } }

  @available(
    *, unavailable,
    message:
      "to read an array from a column, use a converter: row.get(.json([Int].self), named: \"list\")"
  )
  public subscript<Element>(name: String) -> [Element] { get throws { throw noArray } }

  @available(
    *, unavailable,
    message:
      "to read an array from a column, use a converter: row.get(.json([Int].self), named: \"list\")"
  )
  public subscript<Element>(dynamicMember name: String) -> [Element] {
    get throws { throw noArray }
  }

  private var noArray: SQLiteError {
    SQLiteError(.misuse, "A column cannot contain an array", sql: statement.sql)
  }
}

/// Subscripts that read a column without stating a type: `let value = try row[0]`.
extension Row {
  /// The value in a column as it is stored; text must be valid UTF-8.
  @_disfavoredOverload
  public subscript(index: Int) -> DatabaseValue {
    get throws { try value(at: index) }
  }

  /// The value in a column as it is stored; text must be valid UTF-8.
  @_disfavoredOverload
  public subscript(name: String) -> DatabaseValue {
    get throws { try value(named: name) }
  }

  /// The value in a column as it is stored; text must be valid UTF-8.
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> DatabaseValue {
    get throws { try value(named: name) }
  }
}

extension Row {
  /// Returns the error for a converter to throw if it cannot convert the value in a column.
  ///
  /// The message begins with the index and the name of the column, followed by `reason`, such as "is not a UUID".
  public func mismatch(at index: Int, _ reason: String) -> SQLiteError {
    SQLiteError(.mismatch, "\(name(of: index)) \(reason)", sql: statement.sql)
  }

  /// Returns column `index`, after the checks that every access performs.
  @inline(__always)
  func column(_ index: Int) throws -> Column {
    guard generation == statement.currentRow.position, let handle = unsafe statement.handle,
      index >= 0, index < statement.currentRow.width
    else { throw refusal(index) }
    return unsafe Column(
      handle, Int32(truncatingIfNeeded: index), isGuarded: statement.traits.contains(.guarded))
  }

  /// Returns the error that explains why column `index` cannot be read.
  @inline(never)
  private func refusal(_ index: Int) -> SQLiteError {
    guard generation == statement.currentRow.position, unsafe statement.handle != nil else {
      return stale
    }
    return SQLiteError(
      .range,
      "There is no column at index \(index); the row has \(statement.currentRow.width) columns",
      sql: statement.sql)
  }

  private var stale: SQLiteError {
    SQLiteError(
      .misuse, "The row is no longer valid, because its statement was stepped, reset or finalized",
      sql: statement.sql)
  }

  @usableFromInline @inline(never)
  func lossy<T>(_ index: Int, _ type: T.Type) -> SQLiteError {
    // The column has just been read, so reading it again fails only if the statement has since been stepped or
    // reset.
    guard let found = try? storageClass(at: index) else { return stale }
    return mismatch(at: index, "is \(found.rawValue), and cannot be \(type)")
  }

  func failure(_ failure: ReadFailure, _ index: Int) -> SQLiteError {
    failure.error(name(of: index), sql: statement.sql)
  }

  private func name(of index: Int) -> String {
    let names = statement.columnNames
    return "Column \(index)" + (names.indices.contains(index) ? " (\(names[index]))" : "")
  }
}

/// Methods that read columns by SQLite's conversion rules, which convert any value but may lose information.
extension Row {
  /// Returns the value as an integer, by SQLite's conversion rules.
  ///
  /// Text yields the number that it begins with, or 0. A real yields its integer part. NULL throws
  /// ``ResultCode/mismatch``.
  ///
  /// The corresponding C function is `sqlite3_column_int64`.
  public func integer(at index: Int) throws -> Int64 {
    try notNull(index).integer
  }

  /// Returns the value as an integer, like ``integer(at:)``.
  public func integer(named name: String) throws -> Int64 {
    try integer(at: index(named: name))
  }

  /// Returns the value as a real, by SQLite's conversion rules.
  ///
  /// Text yields the number that it begins with, or 0. NULL throws ``ResultCode/mismatch``.
  ///
  /// The corresponding C function is `sqlite3_column_double`.
  public func real(at index: Int) throws -> Double {
    try notNull(index).real
  }

  /// Returns the value as a real, like ``real(at:)``.
  public func real(named name: String) throws -> Double {
    try real(at: index(named: name))
  }

  /// Returns the value as text, by SQLite's conversion rules.
  ///
  /// A number yields the text into which SQLite converts it. NULL, and text that is not UTF-8, throw
  /// ``ResultCode/mismatch``.
  ///
  /// The corresponding C function is `sqlite3_column_text`.
  public func text(at index: Int) throws -> String {
    let column = try notNull(index)
    do { return try column.text() } catch { throw failure(error, index) }
  }

  /// Returns the value as text, like ``text(at:)``.
  public func text(named name: String) throws -> String {
    try text(at: index(named: name))
  }

  /// Returns the value as bytes, by SQLite's conversion rules.
  ///
  /// Text yields its UTF-8, even if that is invalid. NULL throws ``ResultCode/mismatch``.
  ///
  /// The corresponding C function is `sqlite3_column_blob`.
  public func blob(at index: Int) throws -> [UInt8] {
    let column = try notNull(index)
    do { return try column.blob() } catch { throw failure(error, index) }
  }

  /// Returns the value as bytes, like ``blob(at:)``.
  public func blob(named name: String) throws -> [UInt8] {
    try blob(at: index(named: name))
  }

  private func notNull(_ index: Int) throws -> Column {
    let column = try column(index)
    guard column.storageClass != .null else { throw mismatch(at: index, "is NULL") }
    return column
  }
}

/// Methods that read columns without a copy: a closure borrows the bytes, and the compiler prevents the closure
/// from keeping them.
///
/// While bytes are borrowed, stepping, resetting or binding the statement throws ``ResultCode/misuse``, and so
/// does closing the connection.
extension Row {
  /// Calls `body` with the UTF-8 bytes of a column that contains text, and returns the result of `body`.
  ///
  /// The bytes are not validated: a database file can contain text that is not UTF-8.
  ///
  /// The corresponding C function is `sqlite3_column_text`.
  @inlinable
  public func withUTF8<T, E: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try unsafe lend(textBytes(at: index), body)
  }

  /// Calls `body` with the UTF-8 bytes of a column that contains text, like ``withUTF8(at:_:)``.
  @inlinable
  public func withUTF8<T, E: Error>(
    named name: String, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try withUTF8(at: index(named: name), body)
  }

  /// Calls `body` with the bytes of a column that contains a blob, and returns the result of `body`.
  ///
  /// The corresponding C function is `sqlite3_column_blob`.
  @inlinable
  public func withBytes<T, E: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try unsafe lend(blobBytes(at: index), body)
  }

  /// Calls `body` with the bytes of a column that contains a blob, like ``withBytes(at:_:)``.
  @inlinable
  public func withBytes<T, E: Error>(
    named name: String, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try withBytes(at: index(named: name), body)
  }

  @inlinable @inline(__always)
  func lend<T, E: Error>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (Span<UInt8>) throws(E) -> T
  ) throws(E) -> T {
    statement.currentRow.holds &+= 1
    defer { statement.currentRow.holds &-= 1 }
    return try unsafe body(bytes.span)
  }
}
