import CSluice

/// A place at which a phrase of the query stands in a row.
public struct FTS5Instance: Hashable, Sendable {
  /// The phrase, counted from zero in the order of the query.
  public let phrase: Int
  /// The column, counted from zero.
  public let column: Int
  /// How many tokens of the column come before; -1 if the table does not know, as its `detail` is not `full`.
  public let position: Int
}

/// The phrases of the query, and where they are.
///
/// Tables whose `detail` is not `full` have to tokenize their text again for it, and those that keep no
/// text know nothing.
extension FTS5Context {
  /// How many phrases the query has.
  public var phraseCount: Int { Int(unsafe api.pointee.xPhraseCount(cursor)) }

  /// How many tokens a phrase has.
  ///
  /// The corresponding C function is `Fts5ExtensionApi.xPhraseSize`.
  public func tokenCount(ofPhrase phrase: Int) throws -> Int {
    try Int(unsafe api.pointee.xPhraseSize(cursor, number(ofPhrase: phrase)))
  }

  /// All places in the row at which a phrase stands, in the order of the columns and of the text.
  ///
  /// The corresponding C functions are `Fts5ExtensionApi.xInstCount` and `xInst`.
  public func instances() throws -> [FTS5Instance] {
    var count: Int32 = 0
    try check(unsafe api.pointee.xInstCount(cursor, &count))
    return try (0..<max(0, count)).map { index in
      var (phrase, column, position) = (Int32(0), Int32(0), Int32(0))
      try check(unsafe api.pointee.xInst(cursor, index, &phrase, &column, &position))
      return FTS5Instance(phrase: Int(phrase), column: Int(column), position: Int(position))
    }
  }

  /// The places in the row at which one phrase stands.
  ///
  /// The corresponding C functions are `Fts5ExtensionApi.xPhraseFirst` and `xPhraseNext`.
  public func instances(ofPhrase phrase: Int) throws -> [FTS5Instance] {
    var iterator = unsafe Fts5PhraseIter()
    var (column, position) = (Int32(-1), Int32(0))
    var instances: [FTS5Instance] = []
    try check(
      unsafe api.pointee.xPhraseFirst(
        cursor, number(ofPhrase: phrase), &iterator, &column, &position))
    while column >= 0 {
      instances.append(
        FTS5Instance(phrase: phrase, column: Int(column), position: Int(position)))
      unsafe api.pointee.xPhraseNext(cursor, &iterator, &column, &position)
    }
    return instances
  }

  /// The columns of the row in which a phrase stands.
  ///
  /// The corresponding C functions are `Fts5ExtensionApi.xPhraseFirstColumn` and `xPhraseNextColumn`.
  public func columns(ofPhrase phrase: Int) throws -> [Int] {
    var iterator = unsafe Fts5PhraseIter()
    var column: Int32 = -1
    var columns: [Int] = []
    try check(
      unsafe api.pointee.xPhraseFirstColumn(
        cursor, number(ofPhrase: phrase), &iterator, &column))
    while column >= 0 {
      columns.append(Int(column))
      unsafe api.pointee.xPhraseNextColumn(cursor, &iterator, &column)
    }
    return columns
  }

  /// Calls `body` for each row of the table in which a phrase of the query stands.
  ///
  /// What `body` gets is lent, and its only phrase is that one.
  ///
  /// The corresponding C function is `Fts5ExtensionApi.xQueryPhrase`.
  public func forEachRow(
    ofPhrase phrase: Int, _ body: (borrowing FTS5Context) throws -> Void
  ) throws {
    let number = try number(ofPhrase: phrase)
    try withoutActuallyEscaping(body) { body in
      var visit = PhraseVisit(body: body, state: state)
      let code = unsafe withUnsafeMutablePointer(to: &visit) { visit in
        unsafe api.pointee.xQueryPhrase(cursor, number, visit, PhraseVisit.callback)
      }
      if let error = visit.error { throw error }
      try check(code)
    }
  }

  /// The number of a phrase for C, which does not look whether there is such a phrase.
  private func number(ofPhrase phrase: Int) throws -> Int32 {
    guard 0..<phraseCount ~= phrase else {
      throw SQLiteError(.range, "There is no phrase \(phrase): the query has \(phraseCount)")
    }
    return Int32(phrase)
  }
}

/// A closure that gets the rows of a phrase, and what it threw.
private struct PhraseVisit {
  let body: (borrowing FTS5Context) throws -> Void
  let state: ConnectionState
  var error: (any Error)?

  static let callback:
    @convention(c) (
      UnsafePointer<Fts5ExtensionApi>?, OpaquePointer?, UnsafeMutableRawPointer?
    ) -> Int32 = { api, cursor, visit in
      let visit = unsafe visit!.assumingMemoryBound(to: PhraseVisit.self)
      do {
        try unsafe visit.pointee.body(
          FTS5Context(
            api!, cursor!, visit.pointee.state, SQLFunctionArguments(0, nil), isNested: true))
        return SQLITE_OK
      } catch {
        unsafe visit.pointee.error = error
        return SQLITE_ERROR
      }
    }
}
