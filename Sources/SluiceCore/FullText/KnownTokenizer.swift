import CSluice

/// A tokenizer that FTS5 has by its name, made for one table.
@safe struct KnownTokenizer {
  private let functions: fts5_tokenizer
  private let instance: OpaquePointer?
  private let state: ConnectionState

  /// Makes the tokenizer with a name, which comes first, and its arguments.
  init(_ words: [String], _ registry: FTS5Registry, _ state: ConnectionState) throws {
    guard let name = words.first else {
      throw SQLiteError(.misuse, "A filter of tokens has to name the tokenizer that comes first")
    }
    for word in words { try refuseNUL(in: word, "The name or an argument of a tokenizer") }
    // One that names itself would go on for ever.
    guard registry.constructions < 20 else {
      throw SQLiteError(.misuse, "Tokenizers are nested too deeply: one may filter itself")
    }
    registry.constructions += 1
    defer { registry.constructions -= 1 }
    var context: UnsafeMutableRawPointer?
    var functions = fts5_tokenizer()
    let api = unsafe registry.api
    guard unsafe api.pointee.xFindTokenizer(api, name, &context, &functions) == SQLITE_OK else {
      throw SQLiteError(.error, "no such tokenizer: \(name)")
    }
    var instance: OpaquePointer?
    let create = unsafe functions.xCreate
    let code = unsafe Self.withCStrings(words.dropFirst()) { arguments in
      unsafe create?(context, arguments.baseAddress, Int32(arguments.count), &instance)
    }
    guard code == SQLITE_OK else {
      throw state.failure(
        SQLiteError(
          ResultCode(rawValue: code ?? SQLITE_ERROR), "error in tokenizer constructor: \(name)"))
    }
    self.functions = functions
    unsafe self.instance = instance
    self.state = state
  }

  /// Calls `body` with each token of a text.
  func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, _ flags: Int32, _ body: (FTS5Token) throws -> Void
  ) throws {
    let start = unsafe UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
    let code = try unsafe TokenRelay.run(body) { relay, callback in
      unsafe functions.xTokenize?(instance, relay, flags, start, Int32(text.count), callback)
        ?? SQLITE_ERROR
    }
    guard code == SQLITE_OK else {
      throw state.failure(SQLiteError(ResultCode(rawValue: code), "A tokenizer has failed"))
    }
  }

  func end() { unsafe functions.xDelete?(instance) }

  /// Lends texts as C has them.
  private static func withCStrings<T>(
    _ texts: ArraySlice<String>,
    _ body: (UnsafeMutableBufferPointer<UnsafePointer<CChar>?>) -> T
  ) -> T {
    let lists = texts.map(\.utf8CString)
    return unsafe Array(lists.joined()).withUnsafeBufferPointer { bytes in
      var next = bytes.baseAddress
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      for list in lists {
        unsafe pointers.append(next)
        unsafe next = next.map { unsafe $0 + list.count }
      }
      return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0) }
    }
  }
}
