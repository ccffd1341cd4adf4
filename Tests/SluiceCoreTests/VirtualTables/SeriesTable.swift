import SluiceCore

/// A Swift port of SQLite's `generate_series`: `SELECT value FROM series(start, stop, step)`.
final class SeriesTable: VirtualTable {
  let schema: VirtualTableSchema = [
    "value", .hidden("start"), .hidden("stop"), .hidden("step"),
  ]
  let options = VirtualTableOptions.innocuous

  /// The columns of the table.
  ///
  /// The bits of a plan's number indicate which arguments are given.
  enum Column: Int, CaseIterable {
    case value, start, stop, step
    var bit: Int { 1 << rawValue }
  }
  static let ascending = 16
  static let descending = 32

  func plan(_ query: borrowing VirtualTableQuery) -> VirtualTablePlan? {
    var plan = VirtualTablePlan(estimatedCost: 1_000_000, estimatedRows: 1_000)
    for parameter in [Column.start, .stop, .step] {
      let given = query.constraints.filter {
        $0.column == parameter.rawValue && $0.operation == .equal
      }
      if let constraint = given.first(where: \.isUsable) {
        plan.use(constraint, isEnforced: true)
        plan.number |= parameter.bit
      } else if !given.isEmpty {
        return nil
      }
    }
    if plan.number & Column.start.bit != 0, plan.number & Column.stop.bit != 0 {
      plan.estimatedCost = 1_000
    }
    // The bounds are the next arguments, and the text lists their operators.
    for constraint in query.constraints where constraint.isUsable && constraint.column == 0 {
      guard let sign = Self.signs[constraint.operation] else { continue }
      plan.use(constraint)
      plan.text += sign
      plan.estimatedRows = 10
    }
    if query.order.count == 1, query.order[0].column == 0 {
      plan.number |= query.order[0].isDescending ? Self.descending : Self.ascending
      plan.isOrdered = true
    }
    return plan
  }

  private static let signs: [VirtualTableConstraint.Operation: String] = [
    .equal: "=", .is: "=", .greater: ">", .greaterOrEqual: "]", .less: "<", .lessOrEqual: "[",
  ]

  func cursor() -> Cursor { Cursor() }

  final class Cursor: VirtualTableCursor {
    private var numbers = Progression()
    private var arguments: [DatabaseValue] = []
    private var value: Int64 = 0
    private var rest: UInt64 = 0
    private var difference: Int64 = 1
    private(set) var isAtEnd = true

    func filter(_ filter: borrowing VirtualTableFilter) throws {
      var next = 0
      var hasNull = false
      arguments = [.null, .null, .null]
      func argument(_ column: Column, _ given: borrowing VirtualTableFilter) throws -> Int64? {
        guard given.number & column.bit != 0 else { return nil }
        defer { next += 1 }
        arguments[column.rawValue - 1] = try given.arguments[next]
        hasNull = try hasNull || given.arguments.storageClass(at: next) == .null
        return try given.arguments.integer(at: next)
      }
      guard let start = try argument(.start, filter) else {
        throw SQLiteError(.error, "series requires the argument start")
      }
      let stop = try argument(.stop, filter) ?? 0xffff_ffff
      let step = try argument(.step, filter) ?? 1
      numbers = hasNull ? Progression() : Progression(start, stop, step == 0 ? 1 : step)
      for sign in filter.text {
        // SQLite checks each row again, so a bound that is not an integer can be ignored.
        if case .integer(let bound) = try filter.arguments[next] { numbers.narrow(sign, bound) }
        next += 1
      }
      let isAscending = filter.number & SeriesTable.ascending != 0
      let isDescending = filter.number & SeriesTable.descending != 0
      // Without a requested order, a negative step counts down.
      begin(isDescending: isDescending || (step < 0 && !isAscending))
    }

    private func begin(isDescending: Bool) {
      isAtEnd = numbers.count == nil
      guard let last = numbers.count else { return }
      rest = last
      value = isDescending ? numbers[last] : numbers[0]
      let step = Int64(bitPattern: numbers.step)
      difference = isDescending ? 0 &- step : step
    }

    func next() {
      guard rest > 0 else {
        isAtEnd = true
        return
      }
      rest -= 1
      value &+= difference
    }

    func column(_ index: Int) -> DatabaseValue {
      index == 0 ? .integer(value) : arguments[index - 1]
    }

    var rowid: Int64 { value }
  }
}

/// An ascending progression of numbers, which starts at `first` and never overflows.
struct Progression {
  private(set) var first: Int64 = 0
  private(set) var step: UInt64 = 1
  /// The index of the last number, or nil if there is none.
  private(set) var count: UInt64?

  init() {}

  init(_ start: Int64, _ stop: Int64, _ step: Int64) {
    self.step = step.magnitude
    guard step > 0 ? start <= stop : start >= stop else { return }
    let distance = UInt64(bitPattern: stop) &- UInt64(bitPattern: start)
    let last = (step > 0 ? distance : 0 &- distance) / self.step
    count = last
    first = step > 0 ? start : Int64(bitPattern: UInt64(bitPattern: start) &- last &* self.step)
  }

  subscript(index: UInt64) -> Int64 {
    Int64(bitPattern: UInt64(bitPattern: first) &+ index &* step)
  }

  /// Removes the numbers that a bound excludes.
  mutating func narrow(_ sign: Character, _ bound: Int64) {
    switch sign {
    case "=":
      raise(to: bound)
      lower(to: bound)
    case ">": if bound == .max { count = nil } else { raise(to: bound + 1) }
    case "<": if bound == .min { count = nil } else { lower(to: bound - 1) }
    case "]": raise(to: bound)
    default: lower(to: bound)
    }
  }

  private mutating func raise(to bound: Int64) {
    guard let last = count, bound > first else { return }
    let distance = UInt64(bitPattern: bound) &- UInt64(bitPattern: first)
    let skipped = distance / step + (distance % step == 0 ? 0 : 1)
    guard skipped <= last else {
      count = nil
      return
    }
    first = self[skipped]
    count = last - skipped
  }

  private mutating func lower(to bound: Int64) {
    guard let last = count else { return }
    guard bound >= first else {
      count = nil
      return
    }
    count = min(last, (UInt64(bitPattern: bound) &- UInt64(bitPattern: first)) / step)
  }
}
