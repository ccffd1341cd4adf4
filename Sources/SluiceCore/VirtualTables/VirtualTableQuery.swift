import CSluice

/// The request of a statement to a ``VirtualTable``, valid while the table makes a plan.
///
/// The corresponding C type is `sqlite3_index_info`.
@safe public struct VirtualTableQuery: ~Copyable {
  /// What the rows have to be like.
  public let constraints: [VirtualTableConstraint]
  /// The order in which the rows are wanted; empty if any will do.
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

  // With classes inside, it would crash the optimizer without this.
  deinit {}
}

extension VirtualTableQuery {
  /// A column by which the rows are to be ordered.
  public struct OrderTerm: Hashable, Sendable {
    /// The column, or nil for the rowid.
    public let column: Int?
    /// Whether large values come first.
    public let isDescending: Bool
  }

  /// The order of rows that ``VirtualTablePlan/isOrdered`` promises.
  public enum Ordering: Hashable, Sendable, CaseIterable {
    /// Sorted by ``VirtualTableQuery/order``.
    case sorted
    /// Rows with the same values in these columns are adjacent, for `GROUP BY`.
    case grouped
    /// So, and one row will do for each combination of values, for `DISTINCT`.
    case distinct
    /// Sorted, and one row will do for each combination of values.
    case sortedDistinct
  }

  /// The order of rows that a plan can promise.
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

  /// Whether the statement may read a column; those after the 63rd are known together.
  public func uses(column: Int) -> Bool {
    guard column >= 0 else { return false }
    return unsafe info.pointee.colUsed & (1 << UInt64(min(column, 63))) != 0
  }

  /// The value of a constraint, or nil if it is known only later, as it is for parameters.
  ///
  /// The corresponding C function is `sqlite3_vtab_rhs_value`.
  public func value(of constraint: VirtualTableConstraint) throws -> DatabaseValue? {
    let index = try index(of: constraint)
    var value: OpaquePointer?
    let code = unsafe sluice_vtab_rhs_value(info, index, &value)
    // A plain nil would be the literal of a `DatabaseValue`, NULL.
    guard code != SQLITE_NOTFOUND else { return DatabaseValue?.none }
    guard code == SQLITE_OK, let value = unsafe value else {
      throw SQLiteError(ResultCode(rawValue: code), "The value of a constraint cannot be read")
    }
    do { return try unsafe Argument(value).stored() } catch {
      throw error.error("The value of a constraint")
    }
  }

  /// The name of the collation by which a constraint compares text.
  ///
  /// The corresponding C function is `sqlite3_vtab_collation`.
  public func collation(of constraint: VirtualTableConstraint) throws -> String {
    let name = unsafe sqlite3_vtab_collation(info, try index(of: constraint))
    return unsafe name.map { unsafe String(cString: $0) } ?? "BINARY"
  }

  /// Whether a constraint is `IN`, and a plan can take all of its values at once.
  ///
  /// The corresponding C function is `sqlite3_vtab_in`.
  public func takesAll(_ constraint: VirtualTableConstraint) throws -> Bool {
    unsafe sluice_vtab_in(info, try index(of: constraint), -1) != 0
  }

  /// The place of a constraint, which has to be one of this query.
  private func index(of constraint: VirtualTableConstraint) throws -> Int32 {
    guard constraints.indices.contains(constraint.index),
      constraints[constraint.index] == constraint
    else { throw SQLiteError(.misuse, "The constraint belongs to another query") }
    return Int32(constraint.index)
  }
}

extension VirtualTableQuery {
  /// Answers SQLite with a plan.
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
        throw SQLiteError(.misuse, "The plan asks for the list of a constraint that is not an IN")
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

/// One condition that a statement puts on the rows of a ``VirtualTable``: `column operation value`.
public struct VirtualTableConstraint: Hashable, Sendable {
  /// Its place among the constraints of the query.
  let index: Int
  /// The column that is compared; nil for the rowid, and for `LIMIT` and `OFFSET`, which have none.
  public let column: Int?
  /// How it is compared.
  public let operation: Operation
  /// Whether the value is known when the plan is carried out.
  ///
  /// One that is not usable cannot be used by
  /// this plan, as it comes from a table that would be read later.
  public let isUsable: Bool

  /// How a column is compared with a value.
  public enum Operation: Hashable, Sendable {
    /// `=`, and each value of `IN (…)`.
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
    /// `MATCH`, which only the table can do: a plan has to use it and enforce it.
    case match
    /// `LIKE`
    case like
    /// `GLOB`
    case glob
    /// `REGEXP`, for which SQL has to know a function `regexp`.
    case regexp
    /// `IS`
    case `is`
    /// `IS NOT`
    case isNot
    /// `IS NULL`, without a value.
    case isNull
    /// `IS NOT NULL`, without a value.
    case isNotNull
    /// At most so many rows are wanted.
    ///
    /// A plan that uses it has to use all constraints and enforce them itself, and the order, as it is
    /// about the rows of the result.
    case limit
    /// So many rows are to be left out; in all else it is like ``limit``. If it is enforced, SQLite
    /// leaves out none.
    case offset
    /// A function of the table's own, with the number that ``VirtualTableFunction`` has for it.
    case function(Int)
    /// An operator that a later SQLite may have.
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
      // Since 3.38; the header may be older.
      73: .limit, 74: .offset,
    ]

    /// Whether it is about a column, or the rowid.
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
