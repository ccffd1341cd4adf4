extension Connection {
  /// Lets SQL read the values of a sequence as the rows of a table-valued function.
  ///
  /// ```swift
  /// try connection.addTableFunction("range", columns: ["value"], parameters: ["first", "last"]) {
  ///   (first: Int, last: Int?) in first...max(first, last ?? Int.max)
  /// }
  /// let sum = try connection.first(.column(.int), sql: "SELECT sum(value) FROM range(1, 10)")
  /// ```
  ///
  /// The types of the arguments are those of the closure. One that is not of its type, and one that is
  /// missing or NULL where the type is not optional, throws ``ResultCode/mismatch``. Each argument can
  /// also be given by the name of its parameter: `WHERE last = 10`.
  ///
  /// The sequence is walked as far as the statement reads it, so it may be endless. Its `rowid` counts
  /// from one. Views and triggers of a file can call it only if it is ``VirtualTableOptions/innocuous`` or
  /// ``VirtualTableOptions/usableInSchema``. In all else it is like
  /// ``addModule(_:as:shadowNames:_:)``, and taken back by ``removeModule(_:)``.
  ///
  /// The corresponding C function is `sqlite3_create_module_v2`.
  @inlinable
  public func addTableFunction<each A: SQLValue, Rows: Sequence>(
    _ name: String, columns: [VirtualTableSchema.Column], parameters: [String] = [],
    options: VirtualTableOptions = [], _ rows: @escaping (repeat each A) throws -> Rows
  ) throws where Rows.Element: SQLValue {
    var isNeeded: [Bool] = []
    for type in repeat (each A).self { isNeeded.append(TableFunctionArguments.isNeeded(type)) }
    try addTableFunction(
      name, columns, parameters, isNeeded, width: 1, options,
      call: { arguments in
        var index = 0
        return TableFunctionRows(try rows(repeat arguments.next((each A).self, &index))) {
          value, _ in try value.databaseValue
        }
      })
  }

  /// Lets SQL read the tuples of a sequence as the rows of a table-valued function.
  ///
  /// ```swift
  /// try connection.addTableFunction("words", columns: ["place", "word"], parameters: ["text"]) {
  ///   (text: String) in
  ///   text.split(separator: " ").enumerated().lazy.map { ($0.offset, String($0.element)) }
  /// }
  /// ```
  ///
  /// It has as many columns as the tuples have elements, which have no labels. In all else it is like
  /// the form for one column.
  @inlinable
  public func addTableFunction<each A: SQLValue, each C: SQLValue, Rows: Sequence>(
    _ name: String, columns: [VirtualTableSchema.Column], parameters: [String] = [],
    options: VirtualTableOptions = [], _ rows: @escaping (repeat each A) throws -> Rows
  ) throws where Rows.Element == (repeat each C) {
    var (isNeeded, width) = ([Bool](), 0)
    for type in repeat (each A).self { isNeeded.append(TableFunctionArguments.isNeeded(type)) }
    for _ in repeat (each C).self { width += 1 }
    try addTableFunction(
      name, columns, parameters, isNeeded, width: width, options,
      call: { arguments in
        var index = 0
        return TableFunctionRows(try rows(repeat arguments.next((each A).self, &index))) {
          row, wanted in
          var index = 0
          for value in repeat each row {
            if index == wanted { return try value.databaseValue }
            index += 1
          }
          return .null
        }
      })
  }

  /// Lets SQL read the arrays of a sequence as the rows of a table-valued function, each with a value
  /// for each column.
  ///
  /// An array of another length throws ``ResultCode/mismatch``. In all else it is like the form for one
  /// column.
  @inlinable
  public func addTableFunction<each A: SQLValue, Rows: Sequence>(
    _ name: String, columns: [VirtualTableSchema.Column], parameters: [String] = [],
    options: VirtualTableOptions = [], _ rows: @escaping (repeat each A) throws -> Rows
  ) throws where Rows.Element == [DatabaseValue] {
    var isNeeded: [Bool] = []
    for type in repeat (each A).self { isNeeded.append(TableFunctionArguments.isNeeded(type)) }
    let width = columns.count
    try addTableFunction(
      name, columns, parameters, isNeeded, width: width, options,
      call: { arguments in
        var index = 0
        return TableFunctionRows(try rows(repeat arguments.next((each A).self, &index))) {
          row, index in
          guard row.count == width else {
            throw SQLiteError(
              .mismatch, "A row of \(name) has \(row.count) values instead of \(width)")
          }
          return row[index]
        }
      })
  }

  @usableFromInline
  func addTableFunction(
    _ name: String, _ columns: [VirtualTableSchema.Column], _ parameters: [String],
    _ isNeeded: [Bool], width: Int, _ options: VirtualTableOptions,
    call: @escaping TableFunctionRows.Call
  ) throws {
    guard width > 0 else { throw SQLiteError(.range, "\(name) has no columns") }
    guard columns.count == width else {
      throw SQLiteError(
        .range,
        "\(name) needs a column for each value of its rows (got \(columns.count), expected \(width))"
      )
    }
    guard parameters.count == isNeeded.count else {
      throw SQLiteError(
        .range,
        "\(name) needs a parameter for each argument of its closure (got \(parameters.count),"
          + " expected \(isNeeded.count))")
    }
    guard parameters.count <= 30 else {
      throw SQLiteError(
        .range, "\(name) can have no more than 30 parameters (got \(parameters.count))")
    }
    let names = columns.map(\.name) + parameters
    for (index, first) in names.enumerated() {
      for second in names[..<index] where try SQLiteLibrary.isSameName(first, as: second) {
        throw SQLiteError(
          .misuse, "\(name) has two columns or parameters named \"\(first)\"")
      }
    }
    try addModule(name, as: .eponymousOnly) { _ in
      TableFunction(name, columns, parameters, isNeeded, options, call: call)
    }
  }
}
