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
      throw SQLiteError(.notFound, "The linked SQLite has only R*Trees of integers")
    }
    try refuseChangesOfFunctions()
    defer { state.drain() }
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
    defer { state.drain() }
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
