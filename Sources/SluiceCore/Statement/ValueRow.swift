/// Rows of copied values, so that the same converters read them as the rows of statements.
///
/// A converter reads a row of SQLite's. A private connection, which has no file, therefore binds the values to the
/// parameters of a query, and returns the row of the query.
enum ValueRow {
  /// The connections that no call uses.
  private static let idle = Locked<[Lent<Connection>]>([])

  /// Calls `body` with a row of values, and returns its result.
  ///
  /// If `body` reads only one column, the columns before it are NULL, and those behind it are missing.
  static func with<T>(
    _ names: [String], _ values: [DatabaseValue], only index: Int? = nil,
    _ body: (borrowing Row) throws -> T
  ) throws -> T {
    let columns = try names.prefix(index.map { $0 + 1 } ?? names.count).enumerated().map {
      let value = index == nil ? "?\($0 + 1)" : index == $0 ? "?1" : "NULL"
      return "\(value) AS \(try quoted(identifier: $1))"
    }
    let sql = "SELECT \(columns.joined(separator: ", "))"
    let connection = try take()
    let result: Result<T?, any Error> = Result {
      try connection.withStatement(sql) { statement in
        for (number, value) in (index.map { [values[$0]] } ?? values).enumerated() {
          try statement.bind(value, toParameter: number + 1)
        }
        var result: T?
        try statement.forEachRow { result = try body($0) }
        return result
      }
    }
    put(connection)
    do {
      guard let value = try result.get() else { throw SQLiteError(.internal, "There is no row") }
      return value
    } catch let error as SQLiteError where error.sql == sql {
      // The SQL is not the caller's.
      throw SQLiteError(error.code, error.message)
    }
  }

  private static func take() throws -> Connection {
    // A forked child process cannot use the connections of its parent.
    if let lent = idle.withLock({ $0.popLast() }) {
      let connection = unsafe lent.value
      if !connection.state.isForked { return connection }
    }
    var configuration = Configuration()
    // One call at a time uses the connection, on any thread.
    configuration.excludesThreads = false
    return try Connection(configuration: configuration)
  }

  private static func put(_ connection: Connection) {
    // No call uses the connection any longer.
    let lent = Lent(connection)
    idle.withLock { $0.append(lent) }
  }
}

extension DatabaseValue {
  /// Returns the value as a converter reads it from a column.
  ///
  /// ```swift
  /// let copied = try value.get(.date(as: .sqlite))
  /// ```
  ///
  /// Use ``init(_:)-(SQLParameter)`` for the opposite direction. Each call costs about as much as a query of one row.
  ///
  /// - Throws: The error of the converter: ``ResultCode/mismatch`` for NULL, and for a value that cannot be read without
  ///   loss.
  public func get<T>(_ converter: ColumnValueConverter<T>) throws -> T {
    try ValueRow.with(["value"], [self]) { try $0.get(converter, at: 0) }
  }

  /// Creates the value that a parameter binds.
  ///
  /// ```swift
  /// let stored = try DatabaseValue(.date(born, as: .sqlite))
  /// ```
  ///
  /// - Throws: The error of the conversion; ``ResultCode/misuse`` for an object or an array, which are no values in SQL;
  ///   ``ResultCode/range`` for a negative number of zero bytes, and ``ResultCode/tooBig`` for too many.
  public init(_ parameter: SQLParameter) throws {
    switch parameter.content {
    case .value(let value): self = value
    case .failure(let error): throw error
    case .zeroBlob(let count):
      guard count >= 0 else {
        throw SQLiteError(.range, "The byte count must not be negative (got \(count))")
      }
      guard count <= Int32.max else {
        throw SQLiteError(.tooBig, "A blob of \(count) bytes is larger than any that SQLite stores")
      }
      self = .blob(Array(repeating: 0, count: count))
    case .object:
      throw SQLiteError(.misuse, "An object or an array is no value in SQL; bind it to a parameter")
    }
  }
}

extension RowValues {
  /// Returns the value in the column at `index`, counted from zero, as a converter reads it.
  ///
  /// ```swift
  /// let born = try row.get(.date(as: .sqlite), at: 2)
  /// ```
  ///
  /// Each call costs about as much as a query of one row.
  ///
  /// - Throws: The error of the converter; ``ResultCode/range`` for an index outside the row.
  public func get<T>(_ converter: ColumnValueConverter<T>, at index: Int) throws -> T {
    _ = try value(at: index)
    return try ValueRow.with(columnNames, values, only: index) { try $0.get(converter, at: index) }
  }

  /// Returns the value in the first column with this name, as a converter reads it.
  ///
  /// - Throws: The error of the converter; ``ResultCode/range`` if there is no such column.
  public func get<T>(_ converter: ColumnValueConverter<T>, named name: String) throws -> T {
    guard let index = index(named: name) else {
      throw SQLiteError(.range, "There is no column named \"\(name)\"")
    }
    return try get(converter, at: index)
  }

  /// Returns the result of a converter for this row.
  ///
  /// - Throws: The error of the converter.
  public func converted<T>(_ converter: RowConverter<T>) throws -> T {
    try ValueRow.with(columnNames, values) { try converter.value(of: $0) }
  }
}

extension SQLFunctionArguments {
  /// Returns an argument as a converter reads it from a column.
  ///
  /// ```swift
  /// let born = try arguments.get(.date(as: .sqlite), at: 0)
  /// ```
  ///
  /// Each call costs about as much as a query of one row.
  ///
  /// - Throws: The error of the converter; ``ResultCode/range`` for an index outside ``indices``.
  public func get<T>(_ converter: ColumnValueConverter<T>, at index: Int) throws -> T {
    let value = try self[index]
    let name = Self.name(of: index)
    do {
      return try ValueRow.with([name], [value]) { try $0.get(converter, at: 0) }
    } catch let error as SQLiteError {
      // The column has the name of the argument.
      let column = "Column 0 (\(name))"
      guard error.message.hasPrefix(column) else { throw error }
      throw SQLiteError(error.code, name + error.message.dropFirst(column.count))
    }
  }

  /// Returns an argument as a converter reads it from a column; nil for NULL.
  ///
  /// - Throws: The error of the converter; ``ResultCode/range`` for an index outside ``indices``.
  public func optional<T>(_ converter: ColumnValueConverter<T>, at index: Int) throws -> T? {
    try get(.optional(converter), at: index)
  }
}
