import CSluice

extension Configuration {
  /// The flags for `sqlite3_open_v2` that select the threading mode.
  var openFlags: Int32 {
    switch threadingMode {
    case .serialized: SQLITE_OPEN_FULLMUTEX
    case .multiThread: SQLITE_OPEN_NOMUTEX
    case nil: 0
    }
  }

  /// A copy of this configuration for a connection that a queue owns and protects.
  ///
  /// A nil threading mode becomes `multiThread`.
  var ownedByQueue: Configuration {
    var configuration = self
    if threadingMode == nil { configuration.threadingMode = .multiThread }
    return configuration
  }
}

extension Connection {
  func apply(_ limits: [ConnectionLimit: Int]) throws {
    for (limit, value) in limits {
      unsafe sqlite3_limit(try handle(), limit.rawValue, max(0, Int32(clamping: value)))
    }
  }

  /// Applies all settings except the limits.
  func apply(_ configuration: Configuration) throws {
    if configuration.isConfined { try confine(allowing: configuration.storedModules) }
    try guardTokenizers()
    try set(.foreignKeys, configuration.foreignKeys)
    try set(.trustedSchema, configuration.trustedSchema)
    try set(.doubleQuotedStringsInStatements, configuration.doubleQuotedStrings)
    try set(.doubleQuotedStringsInSchema, configuration.doubleQuotedStrings)
    try set(.fts3Tokenizer, configuration.fts3Tokenizer)
    if configuration.fts3Tokenizer == false { try refuseFTS3Tokenizer() }
    // A queue replaces this timeout with a wait that cancellation can end: see `resumeWaiting`.
    if let timeout = configuration.busyTimeout {
      try check(unsafe sqlite3_busy_timeout(handle(), timeout.milliseconds))
    }
    if configuration.pageSize != nil, configuration.encryptionKey != nil {
      throw SQLiteError(
        .misuse, "Set the page size of an encrypted database in the CipherSettings of its key")
    }
    // The page size must be set before a pragma or a change to WAL writes the first page.
    if let size = configuration.pageSize { try choosePageSize(size) }
    // Pragmas run before the first read of the file, because SQLCipher's own pragmas have no effect after it.
    try run(configuration.pragmas)
    if let size = configuration.pageSize { try checkPageSize(size) }
    if let mode = configuration.journalMode { try setJournalMode(mode) }
    if let mode = configuration.synchronous { try setPragma(.synchronous, to: mode) }
    if !configuration.checkpointsAutomatically {
      try setWALAutocheckpoint(0)
      try setOption(.noCheckpointOnClose, true)
      // The first commit after a restart of the WAL truncates the file. Otherwise, a replicator that was not running could
      // take frames of the earlier WAL, which remain behind the new ones, for proof that it has missed nothing.
      try setPragma(.journalSizeLimit, to: 0)
    }
    if configuration.encryptionKey != nil { try checkKey() }
  }

  private func set(_ option: ConnectionOption, _ isOn: Bool?) throws {
    if let isOn { try setOption(option, isOn) }
  }

  /// Replaces `fts3_tokenizer` with a function that throws.
  ///
  /// Even if the option ``ConnectionOption/fts3Tokenizer`` is off, SQL can still pass `fts3_tokenizer` an address
  /// that is bound to a parameter.
  private func refuseFTS3Tokenizer() throws {
    for arity: Int32 in 1...2 {
      try check(
        unsafe sqlite3_create_function_v2(
          handle(), "fts3_tokenizer", arity, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil,
          { context, _, _ in
            unsafe FunctionContext(context).setError(
              SQLiteError(.authorization, "The configuration forbids fts3_tokenizer"))
          }, nil, nil, nil))
    }
  }

  func setJournalMode(_ mode: Configuration.JournalMode) throws {
    let statement = try prepare(sql: "PRAGMA main.journal_mode = \(mode.rawValue)")
    guard let row = try statement.step(), try row.text(at: 0) == mode.rawValue else {
      throw SQLiteError(
        .misuse, "SQLite cannot set the journal mode of the database to \(mode.rawValue)")
    }
    try statement.reset()
  }

  /// Runs `PRAGMA optimize`, without waiting for other connections' locks.
  ///
  /// Errors are ignored, because the statistics affect only the speed of queries.
  func optimizeWithoutWaiting() {
    guard let handle = unsafe rawHandle, isInAutocommit else { return }
    unsafe sqlite3_busy_timeout(handle, 0)
    state.cleaningUp {
      let limit = (try? prepare(sql: "PRAGMA analysis_limit").first(.column(.int))) ?? 0
      func run(_ sql: String) { unsafe sqlite3_exec(handle, sql, nil, nil, nil) }
      if limit == 0 { run("PRAGMA analysis_limit = 400") }
      run("PRAGMA optimize")
      if limit == 0 { run("PRAGMA analysis_limit = 0") }
    }
    unsafe resumeWaiting(handle)
  }
}

extension Duration {
  /// The duration in milliseconds as a C integer, clamped to the range from 0 to about 24 days.
  var milliseconds: Int32 {
    let (seconds, attoseconds) = components
    guard seconds < Int64(Int32.max) / 1000 else { return .max }
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }
}

extension Configuration {
  /// The pragmas that a connection runs when it opens, in order.
  ///
  /// ```swift
  /// var configuration = Configuration()
  /// configuration.pragmas = ["cache_size": -8_000, "temp_store": "memory"]
  /// configuration.pragmas["mmap_size"] = 0
  /// ```
  ///
  /// The connection runs the pragmas after it sets ``encryptionKey`` and before it first reads the file, as
  /// SQLCipher requires for its own pragmas. ``CipherSettings`` covers the usual SQLCipher pragmas. A value is an
  /// integer or text.
  ///
  /// Opening throws if SQLite rejects a pragma, and the message begins with the name of the pragma. An unknown name
  /// throws ``ResultCode/notFound``, except if the linked library has ``SQLiteCapability/encryption``: such a
  /// library supports more pragmas than it lists. A read-only connection also runs the pragmas, and throws if one
  /// of them writes to the file. SQLite ignores some invalid values. To detect this, call
  /// ``Connection/setPragma(_:to:)``, which reads the setting back and compares it with the value.
  ///
  /// The corresponding SQL is `PRAGMA`.
  public struct Pragmas: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    struct Element: Hashable, Sendable {
      let name: String
      var value: DatabaseValue
    }

    private(set) var elements: [Element] = []

    /// Creates a list of pragmas; if a name occurs more than once, its last value is used.
    public init(dictionaryLiteral elements: (String, DatabaseValue)...) {
      for (name, value) in elements { self[name] = value }
    }

    /// The value of the pragma with this name, or nil if the list does not contain it.
    ///
    /// Names are case-insensitive. A new name is appended to the list. Assigning nil removes the pragma.
    public subscript(name: String) -> DatabaseValue? {
      get { elements.first { $0.name.withoutCase == name.withoutCase }?.value }
      set {
        let index = elements.firstIndex { $0.name.withoutCase == name.withoutCase }
        switch (index, newValue) {
        case (let index?, let value?): elements[index].value = value
        case (let index?, nil): elements.remove(at: index)
        case (nil, let value?): elements.append(Element(name: name, value: value))
        case (nil, nil): break
        }
      }
    }

    /// The pragmas in this list that SQLCipher may need to open a file.
    var ofCipher: Pragmas {
      var pragmas = self
      pragmas.elements.removeAll {
        let name = $0.name.withoutCase
        return !name.hasPrefix("cipher_") && name != "kdf_iter"
      }
      return pragmas
    }
  }
}

extension Connection {
  /// Runs the pragmas of a configuration.
  func run(_ pragmas: Configuration.Pragmas) throws {
    guard !pragmas.elements.isEmpty else { return }
    // The set is empty if the linked SQLite lacks `PRAGMA pragma_list`.
    let known = Set(try prepare(sql: "PRAGMA pragma_list").query(.column(.string)))
    for element in pragmas.elements {
      do {
        let sql = try "\(checked(element.name)) = \(literal(element.value))"
        let hasAnswer = try pragmaAnswer(sql) != nil
        guard
          hasAnswer || known.isEmpty || known.contains(element.name.withoutCase)
            || SQLiteLibrary.has(.encryption)
        else {
          throw SQLiteError(.notFound, "SQLite \(SQLiteLibrary.version) has no such pragma")
        }
      } catch let error as SQLiteError {
        throw error.saying("PRAGMA \(element.name): \(error.message)", sql: error.sql)
      }
    }
  }

  private func checked(_ name: String) throws -> String {
    let isName = name.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    guard isName, !name.isEmpty else {
      throw SQLiteError(
        .misuse, "The name of a pragma can contain only letters, digits and underscores")
    }
    return name
  }

  private func literal(_ value: DatabaseValue) throws -> String {
    switch value {
    case .integer(let number): return String(number)
    case .text(let text): return text.quoted("'")
    case .real, .blob, .null:
      throw SQLiteError(
        .mismatch, "The value of a pragma must be an integer or text, not \(value.storageClass)")
    }
  }

  /// Sets the page size of a database that has no pages yet.
  private func choosePageSize(_ size: Int) throws {
    guard (512...65_536).contains(size), size.nonzeroBitCount == 1 else {
      throw SQLiteError(
        .range, "The page size must be a power of two from 512 to 65,536 (got \(size))")
    }
    try runPragma("main.page_size = \(size)")
  }

  /// Throws if an empty database has not accepted the page size; a database with pages keeps its own.
  private func checkPageSize(_ size: Int) throws {
    // Counting the pages makes SQLite read the file, and with it the page size of a database that has pages.
    let isNew = try pragmaAnswer("main.page_count") == .integer(0)
    let now: Int = try pragma(.pageSize)
    guard now != size else { return }
    guard !isNew else {
      throw SQLiteError(
        .misuse, "The database keeps its page size of \(now); SQLite does not change it to \(size)")
    }
    // Restore the actual page size; otherwise, the next VACUUM would change it to `size`.
    try runPragma("main.page_size = \(now)")
  }
}
