/// The table behind a table-valued function: its columns, and a hidden one for each parameter.
@usableFromInline
final class TableFunction<Rows: Sequence>: VirtualTable {
  /// Makes the rows for the arguments that are given.
  @usableFromInline typealias Call = (borrowing TableFunctionArguments) throws -> Rows
  /// Reads a value of a row.
  @usableFromInline typealias Read = (borrowing Rows.Element, Int) throws -> DatabaseValue

  @usableFromInline let call: Call
  @usableFromInline let read: Read
  @usableFromInline let width: Int
  private let name: String
  private let columns: [VirtualTableSchema.Column]
  private let parameters: [String]
  @usableFromInline let options: VirtualTableOptions

  @usableFromInline
  init(
    _ name: String, _ columns: [VirtualTableSchema.Column], _ parameters: [String],
    _ options: VirtualTableOptions, call: @escaping Call, read: @escaping Read
  ) {
    self.name = name
    self.columns = columns
    self.parameters = parameters
    self.options = options
    self.call = call
    self.read = read
    width = columns.count
  }

  @usableFromInline
  var schema: VirtualTableSchema {
    VirtualTableSchema(columns + parameters.map { .hidden($0) })
  }

  @usableFromInline
  func plan(_ query: borrowing VirtualTableQuery) -> VirtualTablePlan? {
    // The number says by its bits which parameters are given.
    var plan = VirtualTablePlan(estimatedCost: 1_000, estimatedRows: 1_000)
    for index in parameters.indices {
      let given = query.constraints.filter {
        $0.column == width + index && $0.operation == .equal
      }
      if let constraint = given.first(where: \.isUsable) {
        plan.use(constraint, isEnforced: true)
        plan.number |= 1 << index
      } else if !given.isEmpty {
        // The argument comes from a table that this plan would read only later.
        return nil
      }
    }
    return plan
  }

  @usableFromInline
  func cursor() -> Cursor { Cursor(self) }

  @usableFromInline
  func arguments(of filter: borrowing VirtualTableFilter) throws -> [DatabaseValue] {
    var next = 0
    return try parameters.indices.map { index in
      guard filter.number & 1 << index != 0 else { return .null }
      defer { next += 1 }
      return try filter.arguments[next]
    }
  }

  @usableFromInline
  func given(_ values: [DatabaseValue]) -> TableFunctionArguments {
    TableFunctionArguments(name, parameters, values)
  }

  /// Walks the rows of one call, one at a time.
  @usableFromInline
  final class Cursor: VirtualTableCursor {
    @usableFromInline let function: TableFunction
    @usableFromInline var arguments: [DatabaseValue] = []
    @usableFromInline var rows: Rows.Iterator?
    @usableFromInline var current: Rows.Element?
    @usableFromInline var count: Int64 = 0

    @usableFromInline
    init(_ function: TableFunction) { self.function = function }

    @inlinable
    func filter(_ filter: borrowing VirtualTableFilter) throws {
      arguments = try function.arguments(of: filter)
      rows = try function.call(function.given(arguments)).makeIterator()
      count = 0
      next()
    }

    @inlinable
    func next() {
      current = rows?.next()
      count &+= 1
    }

    @inlinable
    var isAtEnd: Bool { current == nil }

    @inlinable
    func column(_ index: Int) throws -> DatabaseValue {
      guard index < function.width else { return argument(index - function.width) }
      guard let current else { return .null }
      return try function.read(current, index)
    }

    @usableFromInline
    func argument(_ index: Int) -> DatabaseValue {
      arguments.indices.contains(index) ? arguments[index] : .null
    }

    @inlinable
    var rowid: Int64 { count }
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
