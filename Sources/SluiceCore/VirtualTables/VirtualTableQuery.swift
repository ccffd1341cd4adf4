import CSluice

/// A query for which a ``VirtualTable`` creates a plan, valid only during the call of ``VirtualTable/plan(_:)``.
///
/// The corresponding C type is `sqlite3_index_info`.
@safe public struct VirtualTableQuery: ~Copyable {
  /// The conditions that the rows must satisfy.
  public let constraints: [VirtualTableConstraint]
  /// The requested order of the rows; empty if any order is acceptable.
  public let order: [OrderTerm]
  private let info: UnsafeMutablePointer<sqlite3_index_info>

  init(_ info: UnsafeMutablePointer<sqlite3_index_info>) {
    unsafe self.info = info
    constraints = unsafe (0..<max(0, Int(info.pointee.nConstraint))).map { index in
      unsafe VirtualTableConstraint(index, info.pointee.aConstraint[index])
    }
    order = unsafe (0..<max(0, Int(info.pointee.nOrderBy))).map { index in
      let term = unsafe info.pointee.aOrderBy[index]
      return OrderTerm(
        column: term.iColumn < 0 ? nil : Int(term.iColumn), isDescending: term.desc != 0)
    }
  }

  // Without an explicit deinit, the class references in this type would crash the optimizer.
  deinit {}
}

extension VirtualTableQuery {
  /// A column by which the query orders the rows.
  public struct OrderTerm: Hashable, Sendable {
    /// The index of the column; nil for the rowid.
    public let column: Int?
    /// Whether the order is descending, with large values first.
    public let isDescending: Bool
  }

  /// An order of rows that ``VirtualTablePlan/isOrdered`` promises.
  public enum Ordering: Hashable, Sendable, CaseIterable {
    /// Rows are sorted by ``VirtualTableQuery/order``.
    case sorted
    /// For `GROUP BY`: rows with the same values in the columns of ``VirtualTableQuery/order`` are adjacent.
    case grouped
    /// For `DISTINCT`: rows are grouped. Of the rows that are equal in all columns that the query uses, one suffices.
    case distinct
    /// Rows are sorted. Of the rows that are equal in all columns that the query uses, one suffices.
    case sortedDistinct
  }

  /// The order of rows that a plan for this query can promise.
  ///
  /// The corresponding C function is `sqlite3_vtab_distinct`.
  public var ordering: Ordering {
    switch unsafe sluice_vtab_distinct(info) {
    case 1: .grouped
    case 2: .distinct
    case 3: .sortedDistinct
    default: .sorted
    }
  }

  /// Returns whether the statement may read a column.
  ///
  /// The 64th column and all later columns share one result.
  public func uses(column: Int) -> Bool {
    guard column >= 0 else { return false }
    return unsafe info.pointee.colUsed & (1 << UInt64(min(column, 63))) != 0
  }

  /// Returns the value of a constraint, or nil if the value, such as that of a parameter, is not known yet.
  ///
  /// The corresponding C function is `sqlite3_vtab_rhs_value`.
  public func value(of constraint: VirtualTableConstraint) throws -> DatabaseValue? {
    let index = try index(of: constraint)
    var value: OpaquePointer?
    let code = unsafe sluice_vtab_rhs_value(info, index, &value)
    // A plain `nil` would be a literal of `DatabaseValue`, which means NULL.
    guard code != SQLITE_NOTFOUND else { return DatabaseValue?.none }
    guard code == SQLITE_OK, let value = unsafe value else {
      throw SQLiteError(ResultCode(rawValue: code), "The value of a constraint cannot be read")
    }
    do { return try unsafe Argument(value).stored() } catch {
      throw error.error("The value of a constraint")
    }
  }

  /// Returns the name of the collation with which a constraint compares text.
  ///
  /// The corresponding C function is `sqlite3_vtab_collation`.
  public func collation(of constraint: VirtualTableConstraint) throws -> String {
    let name = unsafe sqlite3_vtab_collation(info, try index(of: constraint))
    return unsafe name.map { unsafe String(cString: $0) } ?? "BINARY"
  }

  /// Returns whether a constraint is an `IN` whose values a plan can request all at once.
  ///
  /// The corresponding C function is `sqlite3_vtab_in`.
  public func takesAll(_ constraint: VirtualTableConstraint) throws -> Bool {
    unsafe sluice_vtab_in(info, try index(of: constraint), -1) != 0
  }

  /// Returns the index of a constraint, which must belong to this query.
  private func index(of constraint: VirtualTableConstraint) throws -> Int32 {
    guard constraints.indices.contains(constraint.index),
      constraints[constraint.index] == constraint
    else { throw SQLiteError(.misuse, "The constraint belongs to another query") }
    return Int32(constraint.index)
  }
}

extension VirtualTableQuery {
  /// Reports a plan to SQLite.
  func answer(_ plan: VirtualTablePlan) throws {
    guard let number = Int32(exactly: plan.number) else {
      throw SQLiteError(.range, "The number of a plan must fit in 32 bits")
    }
    try refuseNUL(in: plan.text, "The text of a plan")
    for (position, use) in plan.uses.enumerated() {
      let index = Int(try index(of: use.constraint))
      guard use.constraint.isUsable else {
        throw SQLiteError(.misuse, "A plan uses a constraint that is not usable")
      }
      guard unsafe info.pointee.aConstraintUsage[index].argvIndex == 0 else {
        throw SQLiteError(.misuse, "A plan uses a constraint twice")
      }
      unsafe info.pointee.aConstraintUsage[index].argvIndex = Int32(position + 1)
      unsafe info.pointee.aConstraintUsage[index].omit = use.isEnforced ? 1 : 0
      if use.takesAll, unsafe sluice_vtab_in(info, Int32(index), 1) == 0 {
        throw SQLiteError(.misuse, "The plan requests the list of a constraint that is not an IN")
      }
    }
    unsafe info.pointee.idxNum = number
    if !plan.text.isEmpty {
      guard let text = unsafe sluice_message(plan.text) else {
        throw SQLiteError(.noMemory, "Out of memory for the text of a plan")
      }
      unsafe info.pointee.idxStr = text
      unsafe info.pointee.needToFreeIdxStr = 1
    }
    unsafe info.pointee.orderByConsumed = plan.isOrdered ? 1 : 0
    if let cost = plan.estimatedCost, !cost.isNaN {
      unsafe info.pointee.estimatedCost = max(0, cost)
    }
    if let rows = plan.estimatedRows { unsafe info.pointee.estimatedRows = Int64(max(0, rows)) }
    if plan.isUnique { unsafe info.pointee.idxFlags |= SQLITE_INDEX_SCAN_UNIQUE }
  }
}

/// A condition that a statement places on the rows of a ``VirtualTable``: `column operation value`.
public struct VirtualTableConstraint: Hashable, Sendable {
  /// The index of the constraint in the query.
  let index: Int
  /// The index of the compared column; nil for the rowid, and for `LIMIT` and `OFFSET`, which compare no column.
  public let column: Int?
  /// The operation that compares the column with the value.
  public let operation: Operation
  /// Whether the value is known when the plan is executed.
  ///
  /// A plan cannot use a constraint whose value comes from a table that would be read later.
  public let isUsable: Bool

  /// An operation that compares a column with a value.
  public enum Operation: Hashable, Sendable {
    /// `=`, which SQLite also uses for each value of `IN (…)`.
    case equal
    /// `>`
    case greater
    /// `<=`
    case lessOrEqual
    /// `<`
    case less
    /// `>=`
    case greaterOrEqual
    /// `<>`
    case notEqual
    /// `MATCH`, which only the table can evaluate: a plan must use and enforce it.
    case match
    /// `LIKE`
    case like
    /// `GLOB`
    case glob
    /// `REGEXP`, which requires an SQL function `regexp`.
    case regexp
    /// `IS`
    case `is`
    /// `IS NOT`
    case isNot
    /// `IS NULL`, which has no value.
    case isNull
    /// `IS NOT NULL`, which has no value.
    case isNotNull
    /// The maximum number of rows.
    ///
    /// A plan that uses this constraint must also use and enforce all other constraints and the order, because
    /// the limit applies to the rows of the result.
    case limit
    /// The number of rows to skip.
    ///
    /// The rules for ``limit`` apply. If the constraint is enforced, SQLite itself skips no rows.
    case offset
    /// A function that the table overloads, with the number of its ``VirtualTableFunction``.
    case function(Int)
    /// An operator that a later SQLite version may introduce.
    case other(Int)

    init(_ code: Int32) {
      self =
        Self.known[code]
        ?? (code >= SQLITE_INDEX_CONSTRAINT_FUNCTION ? .function(Int(code)) : .other(Int(code)))
    }

    private static let known: [Int32: Operation] = [
      SQLITE_INDEX_CONSTRAINT_EQ: .equal, SQLITE_INDEX_CONSTRAINT_GT: .greater,
      SQLITE_INDEX_CONSTRAINT_LE: .lessOrEqual, SQLITE_INDEX_CONSTRAINT_LT: .less,
      SQLITE_INDEX_CONSTRAINT_GE: .greaterOrEqual, SQLITE_INDEX_CONSTRAINT_NE: .notEqual,
      SQLITE_INDEX_CONSTRAINT_MATCH: .match, SQLITE_INDEX_CONSTRAINT_LIKE: .like,
      SQLITE_INDEX_CONSTRAINT_GLOB: .glob, SQLITE_INDEX_CONSTRAINT_REGEXP: .regexp,
      SQLITE_INDEX_CONSTRAINT_IS: .is, SQLITE_INDEX_CONSTRAINT_ISNOT: .isNot,
      SQLITE_INDEX_CONSTRAINT_ISNULL: .isNull, SQLITE_INDEX_CONSTRAINT_ISNOTNULL: .isNotNull,
      // SQLite 3.38 and later have these constraints; the header may be older.
      73: .limit, 74: .offset,
    ]

    /// Whether the operation applies to a column or the rowid.
    var hasColumn: Bool { self != .limit && self != .offset }
  }

  init(_ index: Int, _ constraint: sqlite3_index_constraint) {
    self.index = index
    operation = Operation(Int32(constraint.op))
    column =
      constraint.iColumn >= 0 && operation.hasColumn ? Int(constraint.iColumn) : nil
    isUsable = constraint.usable != 0
  }
}

/// A plan that a ``VirtualTable`` follows to find the rows that a statement needs.
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
/// The plan is stored with the prepared statement, which may execute it any number of times.
public struct VirtualTablePlan: Hashable, Sendable {
  /// A 32-bit number that identifies the kind of plan to ``VirtualTableCursor/filter(_:)``.
  public var number: Int
  /// Further details for ``VirtualTableCursor/filter(_:)``; `EXPLAIN QUERY PLAN` shows them.
  ///
  /// The text must not contain NUL.
  public var text: String
  /// Whether the cursor returns the rows in the order that the query requests.
  public var isOrdered = false
  /// Whether the plan finds at most one row.
  ///
  /// If so, a change that throws ``ResultCode/constraint`` must leave the table unchanged.
  public var isUnique = false
  /// The estimated cost in row reads, which SQLite uses to choose a plan.
  ///
  /// SQLite treats a plan without an estimate as the most expensive one.
  public var estimatedCost: Double?
  /// The estimated number of rows.
  ///
  /// Without an estimate, SQLite assumes 25 rows.
  public var estimatedRows: Int?

  struct Use: Hashable, Sendable {
    let constraint: VirtualTableConstraint
    let isEnforced: Bool
    let takesAll: Bool
  }
  private(set) var uses: [Use] = []

  /// Creates a plan, which reads all rows if it uses no constraint.
  public init(
    number: Int = 0, text: String = "", estimatedCost: Double? = nil, estimatedRows: Int? = nil
  ) {
    self.number = number
    self.text = text
    self.estimatedCost = estimatedCost
    self.estimatedRows = estimatedRows
  }

  /// Passes the value of a constraint to ``VirtualTableCursor/filter(_:)`` as the next argument.
  ///
  /// If `isEnforced` is true, the cursor must return only rows that satisfy the constraint, because SQLite may
  /// not check it again. If `takesAll` is true, the argument is the whole list of an `IN`,
  /// which ``VirtualTableFilter/list(at:)`` returns. If `takesAll` is false, SQLite requests the rows once for
  /// each value in the list.
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
