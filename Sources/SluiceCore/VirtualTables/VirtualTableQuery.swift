import CSluice

/// What a statement wants of a ``VirtualTable``, lent while it makes a plan.
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

  /// What the order of the rows has to be like so that ``VirtualTablePlan/isOrdered`` holds.
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

  /// What the order has to be like.
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
    else { throw SQLiteError(.misuse, "The constraint is of another query") }
    return Int32(constraint.index)
  }
}

extension VirtualTableQuery {
  /// Answers SQLite with a plan.
  func answer(_ plan: VirtualTablePlan) throws {
    guard let number = Int32(exactly: plan.number) else {
      throw SQLiteError(.range, "The number of a plan has 32 bits")
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
        throw SQLiteError(.misuse, "A plan takes all values of a constraint that has no such list")
      }
    }
    unsafe info.pointee.idxNum = number
    if !plan.text.isEmpty {
      guard let text = unsafe sluice_message(plan.text) else {
        throw SQLiteError(.noMemory, "No memory for the text of a plan")
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
