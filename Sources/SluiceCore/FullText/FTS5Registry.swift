import CSluice

/// The tokenizers and functions that were added to FTS5 on a connection.
///
/// FTS5 keeps every tokenizer and function until the connection closes, even after a replacement. Each name
/// therefore has a permanent slot, whose content is released when it is replaced.
@safe final class FTS5Registry {
  /// The depth of nested tokenizer constructions in progress.
  var constructions = 0
  let api: UnsafeMutablePointer<fts5_api>
  private var tokenizers: [String: FTS5Slot<TokenizerMaker>] = [:]
  private var functions: [String: FTS5Slot<FullTextFunction>] = [:]

  init(_ api: UnsafeMutablePointer<fts5_api>) { unsafe self.api = api }
}

/// A permanent FTS5 entry for one name.
final class FTS5Slot<Content> {
  let name: String
  private(set) var content: Content?

  init(_ name: String) { self.name = name }

  /// Replaces the content first, and then releases the old content, whose deinit may run any code.
  func replace(by content: Content?) {
    let old = self.content
    self.content = content
    withExtendedLifetime(old) {}
  }
}

extension FTS5Registry {
  /// Returns the slot of a tokenizer; if there is none, creates it if `isNew` is true, or else returns nil.
  func tokenizer(_ name: String, isNew: Bool, _ state: ConnectionState) throws
    -> FTS5Slot<TokenizerMaker>?
  {
    let key = try Self.key(name)
    if let slot = tokenizers[key] { return slot }
    guard isNew else { return nil }
    var context: UnsafeMutableRawPointer?
    var functions = fts5_tokenizer()
    guard unsafe api.pointee.xFindTokenizer(api, name, &context, &functions) != SQLITE_OK else {
      throw SQLiteError(.misuse, "A tokenizer named \(name) already exists")
    }
    let slot = FTS5Slot<TokenizerMaker>(name)
    let box = unsafe Box(slot, state).retained()
    functions = TokenizerModule.functions
    try unsafe accepted(api.pointee.xCreateTokenizer(api, name, box, &functions, releaseBox), box)
    tokenizers[key] = slot
    return slot
  }

  /// Returns the slot of an auxiliary function; if there is none, creates it if `isNew` is true, or else returns nil.
  func function(_ name: String, isNew: Bool, _ state: ConnectionState) throws
    -> FTS5Slot<FullTextFunction>?
  {
    let key = try Self.key(name)
    if let slot = functions[key] { return slot }
    guard isNew else { return nil }
    guard !["bm25", "highlight", "snippet"].contains(key) else {
      throw SQLiteError(.misuse, "A full-text function named \(name) already exists")
    }
    let slot = FTS5Slot<FullTextFunction>(name)
    let box = unsafe Box(slot, state).retained()
    try unsafe accepted(
      api.pointee.xCreateFunction(api, name, box, FullTextFunctionModule.call, releaseBox), box)
    functions[key] = slot
    return slot
  }

  /// Releases the box and throws if FTS5 has rejected it.
  private func accepted(_ code: Int32, _ box: UnsafeMutableRawPointer) throws {
    guard code != SQLITE_OK else { return }
    unsafe releaseBox(box)
    throw SQLiteError(ResultCode(rawValue: code), unsafe String(cString: sqlite3_errstr(code)))
  }

  /// Returns the name as FTS5 compares it, with ASCII letters in lower case.
  private static func key(_ name: String) throws -> String {
    try refuseNUL(in: name, "The name")
    guard 1...255 ~= name.utf8.count else {
      throw SQLiteError(.misuse, "A name for full-text search must have 1 to 255 bytes of UTF-8")
    }
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return String(
      decoding: name.utf8.map { capitals.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

extension Connection {
  /// Returns the connection's registry, which is stored in FTS5 as the context of an unusable tokenizer.
  func fullTextRegistry() throws -> FTS5Registry {
    let handle = try unsafe handle()
    try state.require(.use)
    try SQLiteLibrary.require(.fts5)
    // After FTS5 frees its API, the SQL function fts5() still returns the old address.
    guard !hasLostFTS5 else {
      throw SQLiteError(.notFound, "The module fts5 was removed from the connection")
    }
    var found: UnsafeMutablePointer<fts5_api>?
    let code = state.calling { unsafe sluice_fts5(handle, &found) }
    guard code == SQLITE_OK else { throw failure(code) }
    state.dropFailure()
    guard let api = unsafe found else {
      throw SQLiteError(
        .notFound, "Another function named fts5 hides FTS5 on this connection")
    }
    var context: UnsafeMutableRawPointer?
    var functions = fts5_tokenizer()
    let name = "sluice registry"
    if unsafe api.pointee.xFindTokenizer(api, name, &context, &functions) == SQLITE_OK {
      return unsafe Box<FTS5Registry>.at(context).value
    }
    let registry = unsafe FTS5Registry(api)
    let box = unsafe Box(registry, state).retained()
    functions = TokenizerModule.none
    let result = unsafe api.pointee.xCreateTokenizer(api, name, box, &functions, releaseBox)
    guard result == SQLITE_OK else {
      unsafe releaseBox(box)
      throw SQLiteError(ResultCode(rawValue: result), "FTS5 has rejected a tokenizer")
    }
    return registry
  }
}
