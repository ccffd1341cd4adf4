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
    guard generation == statement.generation, let handle = unsafe statement.handle else {
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
  /// What `converter` makes of a column that is not NULL.
  @inlinable
  public func get<T>(_ converter: ColumnValueConverter<T>, at index: Int) throws -> T {
    try converter.convert(self, index)
  }

  /// What `converter` makes of a column that is not NULL.
  @inlinable
  public func get<T>(_ converter: ColumnValueConverter<T>, named name: String) throws -> T {
    try converter.convert(self, index(named: name))
  }

  /// What `converter` makes of a column, or nil for NULL.
  @inlinable
  public func optional<T>(_ converter: ColumnValueConverter<T>, at index: Int) throws -> T? {
    try isNull(at: index) ? nil : converter.convert(self, index)
  }

  /// What `converter` makes of a column, or nil for NULL.
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
    guard generation == statement.generation, let handle = unsafe statement.handle,
      index >= 0, index < statement.width
    else { throw refusal(index) }
    return unsafe Column(
      handle, Int32(truncatingIfNeeded: index), isGuarded: statement.isGuarded)
  }

  /// Why there is no column `index`.
  @inline(never)
  private func refusal(_ index: Int) -> SQLiteError {
    guard generation == statement.generation, unsafe statement.handle != nil else { return stale }
    return SQLiteError(
      .range, "There is no column \(index): the row has \(statement.width)", sql: statement.sql)
  }

  private var stale: SQLiteError {
    SQLiteError(.misuse, "The statement has left this row", sql: statement.sql)
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
