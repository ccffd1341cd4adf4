extension Connection {
  /// Adds a table-valued function whose rows are the elements of a sequence.
  ///
  /// ```swift
  /// try connection.addTableFunction(
  ///   "range", columns: ["value"], parameters: ["first", "last"]
  /// ) {
  ///   (first: Int, last: Int?) in first...max(first, last ?? Int.max)
  /// }
  /// let sum = try connection.first(
  ///   .column(.int), sql: "SELECT sum(value) FROM range(1, 10)")
  /// ```
  ///
  /// The parameters of the closure determine the types of the arguments. A statement throws
  /// ``ResultCode/mismatch`` if an argument has another type, or if an argument is missing or NULL although its
  /// type is not optional. Each argument can also be passed by the name of its parameter: `WHERE last = 10`.
  ///
  /// The sequence is read only as far as the statement requires, so it may be infinite. The `rowid` of the
  /// first row is 1. The views and triggers of a database file can call the function only if it is
  /// ``VirtualTableOptions/innocuous`` or ``VirtualTableOptions/usableInSchema``. In all other
  /// respects, the function behaves like a module that ``addModule(_:as:shadowNames:_:)`` adds.
  /// ``removeModule(_:)`` removes the function.
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

  /// Adds a table-valued function whose rows are the tuples of a sequence.
  ///
  /// ```swift
  /// try connection.addTableFunction(
  ///   "words", columns: ["place", "word"], parameters: ["text"]
  /// ) {
  ///   (text: String) in
  ///   text.split(separator: " ").enumerated().lazy.map { ($0.offset, String($0.element)) }
  /// }
  /// ```
  ///
  /// The function has one column for each tuple element. The tuples must not have labels. In all other
  /// respects, this method behaves like the method for one column.
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

  /// Adds a table-valued function whose rows are the arrays of a sequence.
  ///
  /// Each array must have one value for each column. An array of another length throws ``ResultCode/mismatch``.
  /// In all other respects, this method behaves like the method for one column.
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
    guard width > 0 else { throw SQLiteError(.range, "\(name) must have at least one column") }
    guard columns.count == width else {
      throw SQLiteError(
        .range,
        "\(name) needs one column for each value in a row (got \(columns.count), expected \(width))"
      )
    }
    guard parameters.count == isNeeded.count else {
      throw SQLiteError(
        .range,
        "\(name) needs one parameter name for each argument of its closure (got \(parameters.count),"
          + " expected \(isNeeded.count))")
    }
    guard parameters.count <= 30 else {
      throw SQLiteError(
        .range, "\(name) can have at most 30 parameters (got \(parameters.count))")
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

/// The virtual table behind a table-valued function, with a hidden column for each parameter.
final class TableFunction: VirtualTable {
  private let name: String
  private let columns: [VirtualTableSchema.Column]
  private let parameters: [String]
  /// Whether an argument is required, for each parameter.
  private let isNeeded: [Bool]
  let options: VirtualTableOptions
  private let call: TableFunctionRows.Call

  init(
    _ name: String, _ columns: [VirtualTableSchema.Column], _ parameters: [String],
    _ isNeeded: [Bool], _ options: VirtualTableOptions, call: @escaping TableFunctionRows.Call
  ) {
    self.name = name
    self.columns = columns
    self.parameters = parameters
    self.isNeeded = isNeeded
    self.options = options
    self.call = call
  }

  var schema: VirtualTableSchema {
    VirtualTableSchema(columns + parameters.map { .hidden($0) })
  }

  func plan(_ query: borrowing VirtualTableQuery) -> VirtualTablePlan? {
    // Bit i of the plan's number is 1 if the statement passes an argument for the parameter at index i.
    var plan = VirtualTablePlan(estimatedRows: 1_000)
    var cost = 1_000.0
    for index in parameters.indices {
      let given = query.constraints.filter {
        $0.column == columns.count + index && $0.operation == .equal
      }
      if let constraint = given.first(where: \.isUsable) {
        plan.use(constraint, isEnforced: true)
        plan.number |= 1 << index
      } else if !given.isEmpty {
        // This plan is impossible: the argument comes from a table that SQLite would read only after this one.
        return nil
      } else {
        // Where SQLite has a choice, such as with OR, a plan that supplies the argument must be cheaper.
        cost *= isNeeded[index] ? 1_000_000 : 100
      }
    }
    plan.estimatedCost = cost
    return plan
  }

  func cursor() -> Cursor { Cursor(self) }

  private func arguments(of filter: borrowing VirtualTableFilter) throws -> [DatabaseValue] {
    var next = 0
    return try parameters.indices.map { index in
      guard filter.number & 1 << index != 0 else { return .null }
      defer { next += 1 }
      return try filter.arguments[next]
    }
  }

  /// A cursor over the rows of one call.
  final class Cursor: VirtualTableCursor {
    private let function: TableFunction
    private let width: Int
    private var arguments: [DatabaseValue] = []
    private var rows: TableFunctionRows?
    private(set) var isAtEnd = true
    private(set) var rowid: Int64 = 0

    init(_ function: TableFunction) {
      self.function = function
      width = function.columns.count
    }

    func filter(_ filter: borrowing VirtualTableFilter) throws {
      isAtEnd = true
      arguments = try function.arguments(of: filter)
      rows = try function.call(
        TableFunctionArguments(function.name, function.parameters, arguments))
      rowid = 0
      next()
    }

    func next() {
      isAtEnd = rows?.next() != true
      rowid &+= 1
    }

    func column(_ index: Int) throws -> DatabaseValue {
      guard index < width else {
        let index = index - width
        return arguments.indices.contains(index) ? arguments[index] : .null
      }
      return try isAtEnd ? .null : rows?.value(index) ?? .null
    }
  }
}

/// The rows of one call.
///
/// The code that reads them is compiled in the Swift module that adds the function.
@usableFromInline
struct TableFunctionRows {
  /// A closure that returns the rows for the given arguments.
  @usableFromInline typealias Call = (borrowing TableFunctionArguments) throws -> Self
  /// Advances to the next row, and returns whether there is one.
  let next: () -> Bool
  /// Returns the value of a column of the current row.
  let value: (Int) throws -> DatabaseValue

  @usableFromInline
  init(next: @escaping () -> Bool, value: @escaping (Int) throws -> DatabaseValue) {
    self.next = next
    self.value = value
  }

  @inlinable
  init<Rows: Sequence>(
    _ rows: Rows, read: @escaping (borrowing Rows.Element, Int) throws -> DatabaseValue
  ) {
    let walk = Walk(rows.makeIterator())
    self.init(
      next: {
        unsafe walk.current = walk.rows.next()
        return unsafe walk.current != nil
      },
      value: { index in
        guard let current = unsafe walk.current else { return .null }
        return try read(current, index)
      })
  }

  /// The state that the closures `next` and `value` share.
  @usableFromInline
  final class Walk<Rows: IteratorProtocol> {
    // `exclusivity(unchecked)` is safe: a statement cannot be stepped during a step, so these closures are not
    // re-entered.
    @exclusivity(unchecked) @usableFromInline var rows: Rows
    @exclusivity(unchecked) @usableFromInline var current: Rows.Element?

    @inlinable
    init(_ rows: Rows) { unsafe self.rows = rows }
  }
}

/// The arguments of one call of a table-valued function.
@usableFromInline
struct TableFunctionArguments {
  private let name: String
  private let parameters: [String]
  private let values: [DatabaseValue]

  init(_ name: String, _ parameters: [String], _ values: [DatabaseValue]) {
    self.name = name
    self.parameters = parameters
    self.values = values
  }

  /// Returns whether an argument of this type is required.
  @usableFromInline
  static func isNeeded<T: SQLValue>(_ type: T.Type) -> Bool { T(databaseValue: .null) == nil }

  /// Returns the next argument as this type; a missing argument is NULL.
  @usableFromInline
  func next<T: SQLValue>(_ type: T.Type, _ index: inout Int) throws -> T {
    defer { index += 1 }
    guard let value = T(databaseValue: values[index]) else {
      let found = values[index].storageClass
      throw SQLiteError(
        .mismatch,
        found == .null
          ? "\(name) requires the argument \(parameters[index])"
          : "The argument \(parameters[index]) of \(name) is \(found.rawValue) and cannot be read as \(T.self)"
      )
    }
    return value
  }
}
