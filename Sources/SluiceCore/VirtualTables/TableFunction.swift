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

  /// What the closures share.
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
          ? "\(name) needs its argument \(parameters[index])"
          : "The argument \(parameters[index]) of \(name) is \(found.rawValue), and cannot be \(T.self)"
      )
    }
    return value
  }
}
