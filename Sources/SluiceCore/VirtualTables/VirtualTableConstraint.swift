import CSluice

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
    /// What SQLite may have in future.
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
