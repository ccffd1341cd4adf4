import CSluice

/// The row for which a full-text function is called, and the query, lent for the time of the call.
///
/// Columns and phrases are counted from zero. One that there is not throws ``ResultCode/range``. In a
/// statement without `MATCH` there are no phrases, and ``rowid`` and ``tokenCount(ofColumn:)`` throw
/// ``ResultCode/misuse``.
///
/// The corresponding C type is `Fts5ExtensionApi`.
@safe public struct FTS5Context: ~Copyable {
  let api: UnsafePointer<Fts5ExtensionApi>
  let cursor: OpaquePointer
  let state: ConnectionState
  /// Whether the row was found for a phrase, by a function that was called for another row.
  let isNested: Bool
  /// The arguments of the function behind the table.
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

  // Without it, Swift 6.3 crashes when it optimizes.
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

  /// How many columns the table has, also those that are not indexed.
  public var columnCount: Int { Int(unsafe api.pointee.xColumnCount(cursor)) }

  /// How many rows the table has.
  public var rowCount: Int64 {
    get throws {
      var count: Int64 = 0
      try check(unsafe api.pointee.xRowCount(cursor, &count))
      return count
    }
  }

  /// How many tokens a column has in all rows, or all columns have.
  ///
  /// The corresponding C function is `Fts5ExtensionApi.xColumnTotalSize`.
  public func totalTokenCount(ofColumn column: Int? = nil) throws -> Int64 {
    var count: Int64 = 0
    try check(unsafe api.pointee.xColumnTotalSize(cursor, number(ofColumn: column), &count))
    return count
  }

  /// How many tokens a column of the row has, or all columns have.
  ///
  /// The corresponding C function is `Fts5ExtensionApi.xColumnSize`.
  public func tokenCount(ofColumn column: Int? = nil) throws -> Int {
    try requireQuery()
    var count: Int32 = 0
    try check(unsafe api.pointee.xColumnSize(cursor, number(ofColumn: column), &count))
    return Int(count)
  }

  /// The text of a column of the row, which is empty if the table keeps no text.
  ///
  /// Text that is not UTF-8 throws ``ResultCode/mismatch``.
  ///
  /// The corresponding C function is `Fts5ExtensionApi.xColumnText`.
  public func text(ofColumn column: Int) throws -> String {
    let bytes = try unsafe bytes(ofColumn: column)
    do { return try unsafe string(bytes.baseAddress, bytes.count) } catch {
      throw error.error("Column \(column)")
    }
  }

  /// Lends the UTF-8 of a column of the row, unchecked.
  public func withUTF8<T, E: Error>(
    ofColumn column: Int, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try unsafe body(bytes(ofColumn: column).span)
  }

  /// Calls `body` with each token that the tokenizer of the table finds in a text.
  ///
  /// All are found before the first call, so `body` can use the connection, and tokenize.
  ///
  /// The corresponding C function is `Fts5ExtensionApi.xTokenize`.
  public func tokenize(_ text: String, _ body: (FTS5Token) throws -> Void) throws {
    // A tokenizer of FTS5's has one place for the token that it is at, which using it again would free.
    var tokens: [FTS5Token] = []
    var text = text
    try text.withUTF8 { bytes in
      guard let count = Int32(exactly: bytes.count) else {
        throw SQLiteError(.tooBig, "The text has too many bytes (\(bytes.count))")
      }
      let start = unsafe UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
      try check(
        unsafe TokenRelay.run({ tokens.append($0) }) { relay, callback in
          unsafe api.pointee.xTokenize(cursor, start, count, relay, callback)
        })
    }
    for token in tokens { try body(token) }
  }

  /// Returns the object that `make` creates once for all calls of the function by one query of a full-text table.
  ///
  /// Asking for another type makes it anew.
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
    // Where memory is too short to keep it, FTS5 lets go of the box.
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

  /// Refuses what FTS5 looks up in the query, also where there is none.
  private func requireQuery() throws {
    guard phraseCount > 0 else {
      throw SQLiteError(
        .misuse, "The row is available only in a statement with MATCH")
    }
  }

  /// The number of a column for C, where nil are all.
  private func number(ofColumn column: Int?) throws -> Int32 {
    guard let column else { return -1 }
    guard 0..<columnCount ~= column else {
      throw SQLiteError(.range, "There is no column \(column); the table has \(columnCount)")
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
      throw SQLiteError(.range, "There is no phrase \(phrase); the query has \(phraseCount)")
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
