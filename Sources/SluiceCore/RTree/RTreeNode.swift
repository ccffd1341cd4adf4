import CSluice

/// A box of an R*Tree, lent to a query that says whether what is inside of it is wanted.
///
/// At ``level`` 0 it is that of a row; higher up it is one around other boxes.
@safe public struct RTreeNode: ~Copyable {
  private let info: UnsafeMutablePointer<sqlite3_rtree_query_info>

  init(_ info: UnsafeMutablePointer<sqlite3_rtree_query_info>) { unsafe self.info = info }

  /// How many dimensions the box has.
  public var dimensions: Int { unsafe Int(info.pointee.nCoord) / 2 }

  /// Where the box begins in a dimension, which counts from zero.
  public func lower(_ dimension: Int) throws -> Double { try coordinate(dimension, 0) }

  /// Where the box ends in a dimension, which counts from zero.
  public func upper(_ dimension: Int) throws -> Double { try coordinate(dimension, 1) }

  private func coordinate(_ dimension: Int, _ offset: Int) throws -> Double {
    guard 0..<dimensions ~= dimension else {
      throw SQLiteError(.range, "The R*Tree has \(dimensions) dimensions")
    }
    return unsafe info.pointee.aCoord[dimension * 2 + offset]
  }

  /// How far above the rows the box is; 0 is that of a row.
  public var level: Int { unsafe Int(info.pointee.iLevel) }

  /// The largest ``level`` of the tree.
  public var height: Int { unsafe Int(info.pointee.mxLevel) }

  /// The row, or nil if the box is around other boxes.
  public var rowid: Int64? { level == 0 ? unsafe info.pointee.iRowid : nil }

  /// The ``RTreeMatch/score`` of the box around this one.
  public var parentScore: Double { unsafe info.pointee.rParentScore }

  /// How much of the box around this one is wanted.
  public var parentVisibility: RTreeMatch.Visibility {
    RTreeMatch.Visibility(unsafe info.pointee.eParentWithin)
  }
}

/// What a query says of a box of an R*Tree.
///
/// ```swift
/// distance <= radius ? .partlyInside.scored(distance) : .outside
/// ```
public struct RTreeMatch: Hashable, Sendable {
  /// How much of a box is wanted.
  public enum Visibility: Hashable, Sendable, CaseIterable {
    /// Nothing.
    case outside
    /// Perhaps something: the query is asked about what is in it.
    case partlyInside
    /// All.
    case inside

    init(_ code: Int32) {
      self =
        switch code {
        case NOT_WITHIN: .outside
        case FULLY_WITHIN: .inside
        default: .partlyInside
        }
    }

    var code: Int32 {
      switch self {
      case .outside: NOT_WITHIN
      case .partlyInside: PARTLY_WITHIN
      case .inside: FULLY_WITHIN
      }
    }
  }

  /// How much of the box is wanted.
  public let visibility: Visibility
  /// Boxes with smaller scores come first; without one, it is that of the box around this one.
  public let score: Double?

  private init(_ visibility: Visibility, _ score: Double?) {
    self.visibility = visibility
    self.score = score
  }

  /// Nothing in the box is wanted.
  public static var outside: RTreeMatch { RTreeMatch(.outside, nil) }
  /// Something in the box may be wanted; at level 0, the row is.
  public static var partlyInside: RTreeMatch { RTreeMatch(.partlyInside, nil) }
  /// All in the box is wanted.
  public static var inside: RTreeMatch { RTreeMatch(.inside, nil) }

  /// The same with a score: boxes with smaller ones come first.
  public func scored(_ score: Double) -> RTreeMatch { RTreeMatch(visibility, score) }
}
