import CSluice

private struct Maker {
  let make: Connection.RTreeQuery
}

private struct Matcher {
  let match: (borrowing RTreeNode) throws -> RTreeMatch
}

extension Connection {
  /// A closure that receives the arguments of an R*Tree query, and returns a closure that tests boxes.
  public typealias RTreeQuery =
    (_ arguments: borrowing SQLFunctionArguments) throws -> (borrowing RTreeNode) throws ->
    RTreeMatch

  /// Adds a custom query for R*Trees, as in `WHERE id MATCH circle(0, 0, 5)`.
  ///
  /// ```swift
  /// try connection.addRTreeQuery("circle") { arguments in
  ///   let center = try [
  ///     arguments.get(Double.self, at: 0), arguments.get(Double.self, at: 1),
  ///   ]
  ///   let radius = try arguments.get(Double.self, at: 2)
  ///   return { node in
  ///     var square = 0.0
  ///     for dimension in 0..<2 {
  ///       let (low, high) = try (node.lower(dimension), node.upper(dimension))
  ///       let nearest = max(low, min(center[dimension], high))
  ///       square += (nearest - center[dimension]) * (nearest - center[dimension])
  ///     }
  ///     return square <= radius * radius ? .partlyInside.scored(square) : .outside
  ///   }
  /// }
  /// ```
  ///
  /// `query` is called once for each search. The closure that it returns is called for each box that the search
  /// visits. Both closures run on the thread that runs the statement. If either throws, the statement throws
  /// the same error. The connection retains `query` until the query is replaced or removed, or the connection
  /// closes.
  ///
  /// Throws ``ResultCode/notFound`` if the linked SQLite does not support R*Trees, or supports only integer
  /// R*Trees.
  ///
  /// The corresponding C function is `sqlite3_rtree_query_callback`.
  public func addRTreeQuery(_ name: String, _ query: @escaping RTreeQuery) throws {
    try SQLiteLibrary.require(.rtree)
    _ = try Self.arity(-1, of: name)
    let handle = try unsafe handle()
    guard !SQLiteLibrary.compileOptions.contains("RTREE_INT_ONLY") else {
      throw SQLiteError(.notFound, "The linked SQLite supports only integer R*Trees")
    }
    try refuseChangesOfFunctions()
    defer { state.releaseDeferred() }
    // SQLite releases the box even if it rejects the function.
    try check(
      unsafe sluice_rtree_query_callback(
        handle, name, { info in unsafe Connection.answer(info) },
        Box(Maker(make: query), state).retained(), releaseBox))
  }

  /// Removes the R*Tree query with this name, and releases it.
  ///
  /// Throws ``ResultCode/busy`` while a statement is running.
  public func removeRTreeQuery(_ name: String) throws {
    let arity = try Self.arity(-1, of: name)
    let handle = try unsafe handle()
    try refuseChangesOfFunctions()
    defer { state.releaseDeferred() }
    // SQLite has registered the query once for each text encoding.
    try check(
      unsafe sqlite3_create_function_v2(
        handle, name, arity, SQLITE_ANY, nil, nil, nil, nil, nil))
  }

  /// Tests a box for SQLite, and returns the result code.
  private static func answer(_ info: UnsafeMutablePointer<sqlite3_rtree_query_info>?) -> Int32 {
    guard let info = unsafe info else { return SQLITE_ERROR }
    let maker = unsafe Box<Maker>.at(info.pointee.pContext)
    do {
      let match = try maker.state.call {
        if unsafe info.pointee.pUser == nil {
          // In the first call of a search, create the matcher, which SQLite keeps until the search ends.
          let arguments = unsafe SQLFunctionArguments(
            info.pointee.nParam, info.pointee.apSqlParam)
          let matcher = Matcher(match: try maker.value.make(arguments))
          unsafe info.pointee.pUser = Box(matcher, maker.state).retained()
          unsafe info.pointee.xDelUser = releaseBox
        }
        return try unsafe Box<Matcher>.at(info.pointee.pUser).value.match(RTreeNode(info))
      }
      unsafe info.pointee.eWithin = match.visibility.code
      if let score = match.score { unsafe info.pointee.rScore = score }
      return SQLITE_OK
    } catch {
      // The callback can return only a code, so the error is stored for the statement to throw.
      maker.state.keepFailure(error)
      return codeOfFailure((error as? SQLiteError)?.code ?? .error)
    }
  }
}

/// A bounding box in an R*Tree, valid only while a query tests the box.
///
/// At ``level`` 0, the box is that of a row. At higher levels, the box contains other boxes.
@safe public struct RTreeNode: ~Copyable {
  private let info: UnsafeMutablePointer<sqlite3_rtree_query_info>

  init(_ info: UnsafeMutablePointer<sqlite3_rtree_query_info>) { unsafe self.info = info }

  /// The number of dimensions of the box.
  public var dimensions: Int { unsafe Int(info.pointee.nCoord) / 2 }

  /// Returns the lower bound of the box in a dimension; the first dimension is 0.
  public func lower(_ dimension: Int) throws -> Double { try coordinate(dimension, 0) }

  /// Returns the upper bound of the box in a dimension; the first dimension is 0.
  public func upper(_ dimension: Int) throws -> Double { try coordinate(dimension, 1) }

  private func coordinate(_ dimension: Int, _ offset: Int) throws -> Double {
    guard 0..<dimensions ~= dimension else {
      throw SQLiteError(
        .range, "The dimension is out of range; the R*Tree has \(dimensions) dimensions")
    }
    return unsafe info.pointee.aCoord[dimension * 2 + offset]
  }

  /// The level of the box in the tree; 0 for the box of a row.
  public var level: Int { unsafe Int(info.pointee.iLevel) }

  /// The highest ``level`` of the tree.
  public var height: Int { unsafe Int(info.pointee.mxLevel) }

  /// The rowid of the row; nil if the box contains other boxes.
  public var rowid: Int64? { level == 0 ? unsafe info.pointee.iRowid : nil }

  /// The ``RTreeMatch/score`` of the box that contains this one.
  public var parentScore: Double { unsafe info.pointee.rParentScore }

  /// The extent to which the query matches the box that contains this one.
  public var parentVisibility: RTreeMatch.Visibility {
    RTreeMatch.Visibility(unsafe info.pointee.eParentWithin)
  }
}

/// The result of testing a box in an R*Tree.
///
/// ```swift
/// distance <= radius ? .partlyInside.scored(distance) : .outside
/// ```
public struct RTreeMatch: Hashable, Sendable {
  /// The extent to which a query matches a box.
  public enum Visibility: Hashable, Sendable, CaseIterable {
    /// No part of the box matches.
    case outside
    /// Part of the box may match, so the query also tests the boxes inside it.
    case partlyInside
    /// All of the box matches.
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

  /// The extent to which the query matches the box.
  public let visibility: Visibility
  /// The score of the box; if nil, the box has the score of the box that contains it.
  ///
  /// Boxes with lower scores come first.
  public let score: Double?

  private init(_ visibility: Visibility, _ score: Double?) {
    self.visibility = visibility
    self.score = score
  }

  /// No part of the box matches.
  public static var outside: RTreeMatch { RTreeMatch(.outside, nil) }
  /// Part of the box may match; at level 0, the row matches.
  public static var partlyInside: RTreeMatch { RTreeMatch(.partlyInside, nil) }
  /// All of the box matches.
  public static var inside: RTreeMatch { RTreeMatch(.inside, nil) }

  /// Returns the same result with a score; boxes with lower scores come first.
  public func scored(_ score: Double) -> RTreeMatch { RTreeMatch(visibility, score) }
}
