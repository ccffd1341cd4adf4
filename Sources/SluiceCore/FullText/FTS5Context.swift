import CSluice

/// The current row and the query of a full-text function, valid only during a call of the function.
///
/// Columns and phrases are counted from zero. An index out of range throws ``ResultCode/range``. In a statement
/// without `MATCH`, there are no phrases, and ``rowid`` and ``tokenCount(ofColumn:)`` throw
/// ``ResultCode/misuse``.
///
/// The corresponding C type is `Fts5ExtensionApi`.
@safe public struct FTS5Context: ~Copyable {
  let api: UnsafePointer<Fts5ExtensionApi>
  let cursor: OpaquePointer
  let state: ConnectionState
  /// Whether ``forEachRow(ofPhrase:_:)`` created this context, during the function's call for another row.
  let isNested: Bool
  /// The arguments of the function, without the table.
  public let arguments: SQLFunctionArguments

  init(
    _ api: UnsafePointer<Fts5ExtensionApi>, _ cursor: OpaquePointer, _ state: ConnectionState,
    _ arguments: consuming SQLFunctionArguments, isNested: Bool = false
  ) {
    unsafe self.api = api
    unsafe self.cursor = cursor
    self.state = state
    self.arguments = arguments
    self.isNested = isNested
  }

  // Without an explicit deinit, the optimizer of Swift 6.3 crashes.
  deinit {}
}

extension FTS5Context {
  /// The rowid of the row.
  public var rowid: Int64 {
    get throws {
      try requireQuery()
      return unsafe api.pointee.xRowid(cursor)
    }
  }

  /// The number of columns of the table, including columns that are not indexed.
  public var columnCount: Int { Int(unsafe api.pointee.xColumnCount(cursor)) }

  /// The number of rows of the table.
  public var rowCount: Int64 {
    get throws {
      var count: Int64 = 0
      try check(unsafe api.pointee.xRowCount(cursor, &count))
      return count
    }
  }

  /// Returns the number of tokens in a column, over all rows; in all columns if `column` is nil.
  ///
  /// The corresponding C function is `Fts5ExtensionApi.xColumnTotalSize`.
  public func totalTokenCount(ofColumn column: Int? = nil) throws -> Int64 {
    var count: Int64 = 0
    try check(unsafe api.pointee.xColumnTotalSize(cursor, number(ofColumn: column), &count))
    return count
  }

  /// Returns the number of tokens in a column of the row; in all columns if `column` is nil.
  ///
  /// The corresponding C function is `Fts5ExtensionApi.xColumnSize`.
  public func tokenCount(ofColumn column: Int? = nil) throws -> Int {
    try requireQuery()
    var count: Int32 = 0
    try check(unsafe api.pointee.xColumnSize(cursor, number(ofColumn: column), &count))
    return Int(count)
  }

  /// Returns the text of a column of the row; empty if the table does not store text.
  ///
  /// Throws ``ResultCode/mismatch`` if the text is not UTF-8.
  ///
  /// The corresponding C function is `Fts5ExtensionApi.xColumnText`.
  public func text(ofColumn column: Int) throws -> String {
    let bytes = try unsafe bytes(ofColumn: column)
    do { return try unsafe string(bytes.baseAddress, bytes.count) } catch {
      throw error.error("Column \(column)")
    }
  }

  /// Calls `body` with the borrowed bytes of a column of the row, without checking that they are UTF-8.
  public func withUTF8<T, E: Error>(
    ofColumn column: Int, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try unsafe body(bytes(ofColumn: column).span)
  }

  /// Calls `body` with each token that the table's tokenizer finds in a text.
  ///
  /// All tokens are found before the first call, so `body` can use the connection and call this method.
  ///
  /// The corresponding C function is `Fts5ExtensionApi.xTokenize`.
  public func tokenize(_ text: String, _ body: (FTS5Token) throws -> Void) throws {
    // An FTS5 tokenizer has one buffer for its current token, and a nested call would free the buffer.
    var tokens: [FTS5Token] = []
    guard let count = Int32(exactly: text.utf8.count) else {
      throw SQLiteError(.tooBig, "The text has too many bytes (\(text.utf8.count))")
    }
    // The tokenizer `trigram` of SQLite 3.45 to 3.47 reads up to a NUL.
    try unsafe text.withCString { start in
      try check(
        unsafe TokenRelay.run({ tokens.append($0) }) { relay, callback in
          unsafe api.pointee.xTokenize(cursor, start, count, relay, callback)
        })
    }
    for token in tokens { try body(token) }
  }

  /// Returns the object that `make` creates once for all calls of the function in a query.
  ///
  /// The object belongs to one query of one full-text table. If an object of another type is requested, `make` is
  /// called again, and the new object replaces the old one.
  ///
  /// The corresponding C functions are `Fts5ExtensionApi.xSetAuxdata` and `xGetAuxdata`.
  public func auxiliaryData<Value>(_ make: () throws -> Value) throws -> Value {
    guard !isNested else {
      throw SQLiteError(.misuse, "Auxiliary data cannot be set for a row that a phrase query found")
    }
    if let box = unsafe api.pointee.xGetAuxdata(cursor, 0),
      let kept = unsafe Box<Any>.at(box).value as? Value
    {
      return kept
    }
    let value = try make()
    // If FTS5 runs out of memory, it releases the box.
    _ = unsafe api.pointee.xSetAuxdata(
      cursor, Box<Any>(value, state).retained(), releaseBox)
    return value
  }
}

extension FTS5Context {
  func check(_ code: Int32) throws {
    guard code != SQLITE_OK else { return }
    throw state.failure(unsafe SQLiteError(code, of: nil))
  }

  /// Throws for a statement without `MATCH`, because FTS5 would read query data without checking that a query
  /// exists.
  private func requireQuery() throws {
    guard phraseCount > 0 else {
      throw SQLiteError(
        .misuse, "The row is available only in a statement with MATCH")
    }
  }

  /// Returns the column number for C, in which -1 stands for all columns.
  private func number(ofColumn column: Int?) throws -> Int32 {
    guard let column else { return -1 }
    guard 0..<columnCount ~= column else {
      throw SQLiteError(
        .range, "There is no column at index \(column); the table has \(columnCount) columns")
    }
    return Int32(column)
  }

  private func bytes(ofColumn column: Int) throws -> UnsafeBufferPointer<UInt8> {
    var text: UnsafePointer<CChar>?
    var count: Int32 = 0
    try check(unsafe api.pointee.xColumnText(cursor, number(ofColumn: column), &text, &count))
    let start = unsafe UnsafeRawPointer(text)?.assumingMemoryBound(to: UInt8.self)
    return unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(max(0, count)))
  }
}

/// An occurrence of a query phrase in a row.
public struct FTS5Instance: Hashable, Sendable {
  /// The index of the phrase in the query, counted from zero.
  public let phrase: Int
  /// The index of the column, counted from zero.
  public let column: Int
  /// The number of tokens before the phrase in the column; -1 if the table's `detail` is not `full`.
  public let position: Int
}

/// The phrases of the query, and their occurrences.
///
/// If the `detail` of a table is not `full`, FTS5 tokenizes the text again to find the phrases. If such a table
/// does not store text, FTS5 finds no phrases.
extension FTS5Context {
  /// The number of phrases in the query.
  public var phraseCount: Int { Int(unsafe api.pointee.xPhraseCount(cursor)) }

  /// Returns the number of tokens in a phrase.
  ///
  /// The corresponding C function is `Fts5ExtensionApi.xPhraseSize`.
  public func tokenCount(ofPhrase phrase: Int) throws -> Int {
    try Int(unsafe api.pointee.xPhraseSize(cursor, number(ofPhrase: phrase)))
  }

  /// Returns all occurrences of phrases in the row, ordered by column and position.
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

  /// Returns the occurrences of one phrase in the row.
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

  /// Returns the columns of the row in which a phrase occurs.
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

  /// Calls `body` for each row of the table in which the given phrase occurs.
  ///
  /// `body` receives a context that is valid only during the call, and that has this phrase as its only phrase.
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

  /// Returns the phrase number for C; throws if the phrase does not exist, which FTS5 does not check.
  private func number(ofPhrase phrase: Int) throws -> Int32 {
    guard 0..<phraseCount ~= phrase else {
      throw SQLiteError(
        .range, "There is no phrase at index \(phrase); the query has \(phraseCount) phrases")
    }
    return Int32(phrase)
  }
}

/// A closure that visits the rows in which a phrase occurs, and the error that the closure threw.
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
