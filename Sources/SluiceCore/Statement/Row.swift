/// The row on which a statement stands.
///
/// A row is lent: a closure that gets one cannot keep it. One that ``Statement/step()->Row?`` returned
/// is good until the statement moves on, and throws ``ResultCode/misuse`` afterwards. To keep what
/// it holds, copy it with ``values()``.
///
/// There are three ways to read a column, by index from zero or by name:
/// - ``value(at:)`` gives what is stored;
/// - ``get(_:at:)``, ``optional(_:at:)``, `row["name"]` and `row.name` convert to a Swift type
///   where nothing is lost, and throw ``ResultCode/mismatch`` otherwise;
/// - ``integer(at:)``, ``real(at:)``, ``text(at:)`` and ``blob(at:)`` convert by SQLite's rules.
///
/// A name is the one that the column has in the result, to the letter; of several columns with
/// one name it means the first.
///
/// No member of a row can be taken for a column: `row.count` is a column of that name, and
/// `let size: Int = try row.values` does not compile. Write `row["values"]` for a column that has the
/// name of a member.
@dynamicMemberLookup
public struct Row: ~Copyable {
  @usableFromInline let statement: Statement
  /// The move of the statement that has led to this row.
  @usableFromInline var generation: UInt

  @inlinable
  init(_ statement: Statement) {
    self.statement = statement
    unsafe generation = statement.position
  }

  // Without a deinit the optimizer of Swift 6.3 crashes on a noncopyable type that holds a class.
  deinit {}
}

extension Row {
  /// The indexes of the columns, from 0 on; their count is that of the columns.
  ///
  /// The corresponding C function is `sqlite3_column_count`.
  public var indices: Range<Int> { 0..<statement.width }

  /// The names of the columns in order, which need not differ from each other.
  ///
  /// The corresponding C function is `sqlite3_column_name`.
  public var columnNames: [String] { statement.columnNames }

  /// The index of the first column of this name.
  @inlinable @inline(__always)
  public func index(named name: String) throws -> Int {
    if unsafe generation == statement.position, let index = statement.columns.guess(name) {
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
    guard unsafe generation == statement.position, let handle = unsafe statement.handle else {
      throw stale
    }
    return unsafe statement.columns.index(named: name, of: handle)
  }

  /// How the value in a column is stored.
  ///
  /// The corresponding C function is `sqlite3_column_type`.
  public func storageClass(at index: Int) throws -> StorageClass {
    try column(index).storageClass
  }

  /// Whether the value in a column is NULL.
  @inlinable
  public func isNull(at index: Int) throws -> Bool {
    try readNull(at: index)
  }

  /// The value in a column as it is stored; text must be UTF-8.
  ///
  /// The corresponding C function is `sqlite3_column_value`.
  public func value(at index: Int) throws -> DatabaseValue {
    let column = try column(index)
    do { return try column.stored() } catch { throw failure(error, index) }
  }

  /// The value in a column as it is stored; text must be UTF-8.
  public func value(named name: String) throws -> DatabaseValue {
    try value(at: index(named: name))
  }

  /// A copy of all columns, which can be kept.
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

  /// The value in a column as the type that is asked for; an optional one takes NULL as nil.
  public subscript<T: SQLValue>(index: Int) -> T {
    @inlinable get throws { try read(at: index) }
  }

  /// The value in a column as the type that is asked for; an optional one takes NULL as nil.
  public subscript<T: SQLValue>(name: String) -> T {
    @inlinable get throws { try read(at: index(named: name)) }
  }

  /// The value in a column as the type that is asked for: `let age: Int? = try row.age`.
  public subscript<T: SQLValue>(dynamicMember name: String) -> T {
    @inlinable get throws { try read(at: index(named: name)) }
  }
}

/// These take the arrays that a column cannot hold, so that the compiler can say what reads them.
extension Row {
  @available(
    *, unavailable,
    message: "a column is read as an array by a converter: row.get(.json([Int].self), at: 0)"
  )
  public subscript<Element>(index: Int) -> [Element] { get throws { throw noArray } }

  @available(
    *, unavailable,
    message:
      "a column is read as an array by a converter: row.get(.json([Int].self), named: \"list\")"
  )
  public subscript<Element>(name: String) -> [Element] { get throws { throw noArray } }

  @available(
    *, unavailable,
    message:
      "a column is read as an array by a converter: row.get(.json([Int].self), named: \"list\")"
  )
  public subscript<Element>(dynamicMember name: String) -> [Element] {
    get throws { throw noArray }
  }

  private var noArray: SQLiteError {
    SQLiteError(.misuse, "A column does not hold an array", sql: statement.sql)
  }
}

/// A column of which the code does not say what type it is to be: `let value = try row[0]`.
extension Row {
  /// The value in a column as it is stored; text must be UTF-8.
  @_disfavoredOverload
  public subscript(index: Int) -> DatabaseValue {
    get throws { try value(at: index) }
  }

  /// The value in a column as it is stored; text must be UTF-8.
  @_disfavoredOverload
  public subscript(name: String) -> DatabaseValue {
    get throws { try value(named: name) }
  }

  /// The value in a column as it is stored; text must be UTF-8.
  @_disfavoredOverload
  public subscript(dynamicMember name: String) -> DatabaseValue {
    get throws { try value(named: name) }
  }
}

extension Row {
  /// The error for a converter to throw that cannot make its value of a column, with the `reason`
  /// put behind the column's name: "is not a UUID".
  public func mismatch(at index: Int, _ reason: String) -> SQLiteError {
    SQLiteError(.mismatch, "\(name(of: index)) \(reason)", sql: statement.sql)
  }

  /// Column `index`, after the checks that every access goes through.
  @inline(__always)
  func column(_ index: Int) throws -> Column {
    guard unsafe generation == statement.position, let handle = unsafe statement.handle,
      index >= 0, index < statement.width
    else { throw refusal(index) }
    return unsafe Column(
      handle, Int32(truncatingIfNeeded: index), isGuarded: statement.isGuarded)
  }

  /// Why there is no column `index`.
  @inline(never)
  private func refusal(_ index: Int) -> SQLiteError {
    guard unsafe generation == statement.position, unsafe statement.handle != nil else {
      return stale
    }
    return SQLiteError(
      .range, "There is no column \(index); the row has \(statement.width)", sql: statement.sql)
  }

  private var stale: SQLiteError {
    SQLiteError(
      .misuse, "The row is no longer valid; the statement has moved on", sql: statement.sql)
  }

  @usableFromInline @inline(never)
  func lossy<T>(_ index: Int, _ type: T.Type) -> SQLiteError {
    // The column has just been read, so nothing but a move of the statement can fail here.
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

/// The same row for a decoder, which reads it outside the closure that borrows it.
extension Row {
  /// The statement that stands on this row.
  @inlinable package var source: Statement { statement }

  /// The same row, to be kept: like any other it throws ``ResultCode/misuse`` once its step has passed.
  @inlinable package func again() -> Row { Row(statement, generation) }

  @inlinable
  init(_ statement: Statement, _ generation: UInt) {
    self.statement = statement
    self.generation = generation
  }

  /// The index of the first column of this name, or nil if there is none.
  @inlinable @inline(__always)
  package func column(named name: String) throws -> Int? {
    if unsafe generation == statement.position, let index = statement.columns.guess(name) {
      return index
    }
    return try find(name)
  }
}

/// Columns by SQLite's own rules of conversion, which never fail on a value but may lose some of it.
extension Row {
  /// The value as an integer, where NULL throws.
  ///
  /// Text gives the number that it begins with, or 0, and a real its whole part.
  ///
  /// The corresponding C function is `sqlite3_column_int64`.
  public func integer(at index: Int) throws -> Int64 {
    try notNull(index).integer
  }

  /// The value as an integer, as ``integer(at:)`` gives it.
  public func integer(named name: String) throws -> Int64 {
    try integer(at: index(named: name))
  }

  /// The value as a real, where NULL throws.
  ///
  /// Text gives the number that it begins with, or 0.
  ///
  /// The corresponding C function is `sqlite3_column_double`.
  public func real(at index: Int) throws -> Double {
    try notNull(index).real
  }

  /// The value as a real, as ``real(at:)`` gives it.
  public func real(named name: String) throws -> Double {
    try real(at: index(named: name))
  }

  /// The value as text, where NULL throws, and what is not UTF-8.
  ///
  /// A number becomes what SQLite writes for it.
  ///
  /// The corresponding C function is `sqlite3_column_text`.
  public func text(at index: Int) throws -> String {
    let column = try notNull(index)
    do { return try column.text() } catch { throw failure(error, index) }
  }

  /// The value as text, as ``text(at:)`` gives it.
  public func text(named name: String) throws -> String {
    try text(at: index(named: name))
  }

  /// The value as bytes, where NULL throws.
  ///
  /// Those of text are its UTF-8, also where that is wrong.
  ///
  /// The corresponding C function is `sqlite3_column_blob`.
  public func blob(at index: Int) throws -> [UInt8] {
    let column = try notNull(index)
    do { return try column.blob() } catch { throw failure(error, index) }
  }

  /// The value as bytes, as ``blob(at:)`` gives it.
  public func blob(named name: String) throws -> [UInt8] {
    try blob(at: index(named: name))
  }

  private func notNull(_ index: Int) throws -> Column {
    let column = try column(index)
    guard column.storageClass != .null else { throw mismatch(at: index, "is NULL") }
    return column
  }
}

/// Columns without a copy: the bytes are lent, and the compiler keeps them inside the closure.
///
/// While bytes are lent, their statement cannot be stepped, reset or bound, and its connection
/// cannot be closed: each throws ``ResultCode/misuse``.
extension Row {
  /// Lends the UTF-8 of a column that holds text.
  ///
  /// It is not checked to be UTF-8, which a database file can fail to contain.
  ///
  /// The corresponding C function is `sqlite3_column_text`.
  @inlinable
  public func withUTF8<T, E: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try unsafe lend(textBytes(at: index), body)
  }

  /// Lends the UTF-8 of a column that holds text, as ``withUTF8(at:_:)`` does.
  @inlinable
  public func withUTF8<T, E: Error>(
    named name: String, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try withUTF8(at: index(named: name), body)
  }

  /// Lends the bytes of a column that holds a blob.
  ///
  /// The corresponding C function is `sqlite3_column_blob`.
  @inlinable
  public func withBytes<T, E: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try unsafe lend(blobBytes(at: index), body)
  }

  /// Lends the bytes of a column that holds a blob, as ``withBytes(at:_:)`` does.
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
    unsafe statement.holds &+= 1
    defer { unsafe statement.holds &-= 1 }
    return try unsafe body(bytes.span)
  }
}
