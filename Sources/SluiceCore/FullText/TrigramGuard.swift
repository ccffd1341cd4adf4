import CSluice

/// A wrapper around SQLite's trigram tokenizer that refuses an option without a value.
///
/// Before SQLite 3.47, such an option ends the process, even if a virtual table in a file declares it. FTS5 finds
/// tokenizers by their names, so the wrapper replaces the tokenizer wherever it is used.
@safe private struct TrigramGuard {
  private let context: UnsafeMutableRawPointer?
  private let create: Create
  private typealias Create =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafePointer<CChar>?>?, Int32,
      UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32

  /// Replaces the tokenizer, and returns SQLite's result code.
  static func install(_ api: UnsafeMutablePointer<fts5_api>) -> Int32 {
    let name = "trigram"
    var context: UnsafeMutableRawPointer?
    var functions = fts5_tokenizer()
    guard unsafe api.pointee.xFindTokenizer(api, name, &context, &functions) == SQLITE_OK,
      let create = unsafe functions.xCreate
    else { return SQLITE_OK }
    let original = UnsafeMutablePointer<TrigramGuard>.allocate(capacity: 1)
    unsafe original.initialize(to: unsafe TrigramGuard(context: context, create: create))
    unsafe functions.xCreate = { original, arguments, count, instance in
      guard count.isMultiple(of: 2), let original = unsafe original else { return SQLITE_ERROR }
      let trigram = unsafe original.assumingMemoryBound(to: TrigramGuard.self).pointee
      return unsafe trigram.create(trigram.context, arguments, count, instance)
    }
    let code = unsafe api.pointee.xCreateTokenizer(api, name, original, &functions, Self.deallocate)
    if code != SQLITE_OK { unsafe deallocate(original) }
    return code
  }

  private static let deallocate: @convention(c) (UnsafeMutableRawPointer?) -> Void = { original in
    unsafe original?.deallocate()
  }
}

extension Connection {
  /// Makes sure that no declaration of a full-text table can end the process.
  func guardTokenizers() throws {
    guard !hasLostFTS5, SQLiteDefect.trigram.affects(version: SQLiteLibrary.versionNumber)
    else { return }
    let handle = try unsafe handle()
    var found: UnsafeMutablePointer<fts5_api>?
    let code = unsafe sluice_fts5(handle, &found)
    // A library without FTS5 lacks the function that returns the API. `SQLiteLibrary.has` cannot be asked, because it opens
    // a connection itself.
    guard code != SQLITE_ERROR else { return }
    try check(code)
    if let api = unsafe found { try check(unsafe TrigramGuard.install(api)) }
  }
}
