/// How a ``VirtualTable`` would find the rows that a statement wants.
///
/// ```swift
/// func plan(_ query: borrowing VirtualTableQuery) -> VirtualTablePlan? {
///   var plan = VirtualTablePlan(estimatedCost: 1_000)
///   for constraint in query.constraints where constraint.isUsable {
///     guard constraint.column == 0, constraint.operation == .equal else { continue }
///     plan.use(constraint, isEnforced: true)
///     plan.number = 1
///     plan.estimatedCost = 1
///     break
///   }
///   return plan
/// }
/// ```
///
/// It is kept with the compiled statement, which may carry it out any number of times.
public struct VirtualTablePlan: Hashable, Sendable {
  /// Tells ``VirtualTableCursor/filter(_:)`` what kind of plan it is; it has 32 bits.
  public var number: Int
  /// Tells ``VirtualTableCursor/filter(_:)`` more; it has no NUL, and `EXPLAIN QUERY PLAN` shows it.
  public var text: String
  /// Whether the rows come in the order that the query wants.
  public var isOrdered = false
  /// Whether there is one row at most.
  ///
  /// A change that throws ``ResultCode/constraint`` must then have
  /// changed nothing.
  public var isUnique = false
  /// How long it takes, in reads of a row; it decides which plan wins.
  ///
  /// Without it, the plan is the
  /// dearest of all.
  public var estimatedCost: Double?
  /// How many rows there are.
  ///
  /// Without it, SQLite takes 25.
  public var estimatedRows: Int?

  struct Use: Hashable, Sendable {
    let constraint: VirtualTableConstraint
    let isEnforced: Bool
    let takesAll: Bool
  }
  private(set) var uses: [Use] = []

  /// A plan that reads all rows, if no constraint is added to it.
  public init(
    number: Int = 0, text: String = "", estimatedCost: Double? = nil, estimatedRows: Int? = nil
  ) {
    self.number = number
    self.text = text
    self.estimatedCost = estimatedCost
    self.estimatedRows = estimatedRows
  }

  /// Lets the value of a constraint be the next argument of ``VirtualTableCursor/filter(_:)``.
  ///
  /// With `isEnforced`, the cursor gives only rows that meet it, so that SQLite need not look again. With
  /// `takesAll`, the argument is the list of an `IN`, for ``VirtualTableFilter/list(at:)``; without,
  /// the rows are asked for once for each of its values.
  ///
  /// - Returns: The index of the argument.
  @discardableResult
  public mutating func use(
    _ constraint: VirtualTableConstraint, isEnforced: Bool = false, takesAll: Bool = false
  ) -> Int {
    uses.append(Use(constraint: constraint, isEnforced: isEnforced, takesAll: takesAll))
    return uses.count - 1
  }
}
