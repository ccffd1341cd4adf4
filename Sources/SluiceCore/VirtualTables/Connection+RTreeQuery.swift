import CSluice

private struct Maker {
  let make: Connection.RTreeQuery
}

private struct Matcher {
  let match: (borrowing RTreeNode) throws -> RTreeMatch
}

extension Connection {
  /// Makes of the arguments of a query what says which boxes of an R*Tree are wanted.
  public typealias RTreeQuery =
    (_ arguments: borrowing SQLFunctionArguments) throws -> (borrowing RTreeNode) throws ->
    RTreeMatch

  /// Lets SQL ask an R*Tree for what Swift says, as in `WHERE id MATCH circle(0, 0, 5)`.
  ///
  /// ```swift
  /// try connection.addRTreeQuery("circle") { arguments in
  ///   let center = try [arguments.get(Double.self, at: 0), arguments.get(Double.self, at: 1)]
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
  /// `query` is called once for each search, and what it returns for each box that is looked at, on the
  /// thread that runs the statement. What they throw ends the statement. The connection keeps `query`
  /// until it is replaced or removed, or the connection closes.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite has no R*Trees, or only such of integers.
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
    // SQLite lets go of the box even if it refuses the function.
    try check(
      unsafe sluice_rtree_query_callback(
        handle, name, { info in unsafe Connection.answer(info) },
        Box(Maker(make: query), state).retained(), releaseBox))
  }

  /// Takes a query for R*Trees back, and releases it.
  ///
  /// It throws ``ResultCode/busy`` while a statement is running.
  public func removeRTreeQuery(_ name: String) throws {
    let arity = try Self.arity(-1, of: name)
    let handle = try unsafe handle()
    try refuseChangesOfFunctions()
    defer { state.releaseDeferred() }
    // The query is there once for each encoding of text.
    try check(
      unsafe sqlite3_create_function_v2(
        handle, name, arity, SQLITE_ANY, nil, nil, nil, nil, nil))
  }

  /// Answers what SQLite asks about a box.
  private static func answer(_ info: UnsafeMutablePointer<sqlite3_rtree_query_info>?) -> Int32 {
    guard let info = unsafe info else { return SQLITE_ERROR }
    let maker = unsafe Box<Maker>.at(info.pointee.pContext)
    do {
      let match = try maker.state.call {
        if unsafe info.pointee.pUser == nil {
          // SQLite keeps it for this search.
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
      // SQLite has no message here.
      maker.state.keepFailure(error)
      return codeOfFailure((error as? SQLiteError)?.code ?? .error)
    }
  }
}

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

/// The answer of a query about a box of an R*Tree.
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
