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

/// The table behind a table-valued function: its columns, and a hidden one for each parameter.
final class TableFunction: VirtualTable {
  private let name: String
  private let columns: [VirtualTableSchema.Column]
  private let parameters: [String]
  /// Which of the parameters have to be given.
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
    // The number says by its bits which parameters are given.
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
        // The argument comes from a table that this plan would read only later.
        return nil
      } else {
        // Where there is a choice, such as with OR, a plan is better that gives it.
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

  /// Walks the rows of one call, one at a time.
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

/// The rows of one call, walked by code that is compiled where the function is written.
@usableFromInline
struct TableFunctionRows {
  /// Makes the rows for the arguments that are given.
  @usableFromInline typealias Call = (borrowing TableFunctionArguments) throws -> Self
  /// Goes to the next row, and says whether there is one.
  let next: () -> Bool
  /// Reads a value of the row.
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

  /// The state that the closures share.
  @usableFromInline
  final class Walk<Rows: IteratorProtocol> {
    // A statement cannot be moved while it moves, so that nobody comes in while a row is made.
    @exclusivity(unchecked) @usableFromInline var rows: Rows
    @exclusivity(unchecked) @usableFromInline var current: Rows.Element?

    @inlinable
    init(_ rows: Rows) { unsafe self.rows = rows }
  }
}

/// The arguments of a table-valued function, as a call of it gives them.
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

  /// Whether an argument of a type cannot be left out.
  @usableFromInline
  static func isNeeded<T: SQLValue>(_ type: T.Type) -> Bool { T(databaseValue: .null) == nil }

  /// The next argument as a type, which takes one that is not given as NULL.
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
