import CSluice

extension Configuration {
  /// The part of the configuration that is given to SQLite when it opens a database.
  var openFlags: Int32 {
    switch threadingMode {
    case .serialized: SQLITE_OPEN_FULLMUTEX
    case .multiThread: SQLITE_OPEN_NOMUTEX
    case nil: 0
    }
  }

  /// This configuration for a connection that a queue owns, and so guards by itself.
  var ownedByQueue: Configuration {
    var configuration = self
    if threadingMode == nil { configuration.threadingMode = .multiThread }
    return configuration
  }
}

extension Connection {
  func apply(_ configuration: Configuration) throws {
    for (limit, value) in configuration.limits {
      unsafe sqlite3_limit(try handle(), limit.rawValue, max(0, Int32(clamping: value)))
    }
    if configuration.isConfined { try confine() }
    try set(.foreignKeys, configuration.foreignKeys)
    try set(.trustedSchema, configuration.trustedSchema)
    try set(.doubleQuotedStringsInStatements, configuration.doubleQuotedStrings)
    try set(.doubleQuotedStringsInSchema, configuration.doubleQuotedStrings)
    try set(.fts3Tokenizer, configuration.fts3Tokenizer)
    if configuration.fts3Tokenizer == false { try refuseFTS3Tokenizer() }
    if let timeout = configuration.busyTimeout {
      try check(unsafe sqlite3_busy_timeout(handle(), timeout.milliseconds))
    }
    if configuration.pageSize != nil, configuration.encryptionKey != nil {
      throw SQLiteError(
        .misuse, "The page size of an encrypted database is one of the CipherSettings of its key")
    }
    // A pragma, or a WAL, may make the first page.
    if let size = configuration.pageSize { try choosePageSize(size) }
    // Before anything reads the file: those of an encrypted database come too late then.
    try run(configuration.pragmas)
    if let size = configuration.pageSize { try checkPageSize(size) }
    if let mode = configuration.journalMode { try setJournalMode(mode) }
    if let mode = configuration.synchronous { try setPragma(.synchronous, to: mode) }
  }

  private func set(_ option: ConnectionOption, _ isOn: Bool?) throws {
    if let isOn { try setOption(option, isOn) }
  }

  /// Closes the way that the switch leaves open: an address that is bound to a parameter.
  private func refuseFTS3Tokenizer() throws {
    for arity: Int32 in 1...2 {
      try check(
        unsafe sqlite3_create_function_v2(
          handle(), "fts3_tokenizer", arity, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil,
          { context, _, _ in
            unsafe fail(
              context, SQLiteError(.authorization, "The configuration forbids fts3_tokenizer"))
          }, nil, nil, nil))
    }
  }

  func setJournalMode(_ mode: Configuration.JournalMode) throws {
    let statement = try prepare(sql: "PRAGMA main.journal_mode = \(mode.rawValue)")
    guard let row = try statement.step(), try row.text(at: 0) == mode.rawValue else {
      throw SQLiteError(.misuse, "The database cannot have the journal mode \(mode.rawValue)")
    }
    try statement.reset()
  }

  /// Lets SQLite bring its statistics up to date, if that takes no waiting for another connection.
  ///
  /// It is a service on the way out, so what goes wrong there is nobody's loss.
  func optimizeWhileClosing() {
    guard let handle = unsafe rawHandle, isInAutocommit else { return }
    unsafe sqlite3_busy_timeout(handle, 0)
    _ = state.cleaningUp {
      unsafe sqlite3_exec(handle, "PRAGMA analysis_limit = 400; PRAGMA optimize", nil, nil, nil)
    }
    unsafe resumeWaiting(handle)
  }

  /// Goes back to the way of waiting for locks that was chosen last.
  func resumeWaiting(_ handle: OpaquePointer) {
    if let hooks, hooks.busy != nil { return unsafe hooks.installBusyHandler(handle) }
    guard let timeout = configuration.busyTimeout else { return }
    if timeout > .zero, state.alarm != nil {
      return unsafe state.waitForLocks(of: handle, timeout)
    }
    unsafe sqlite3_busy_timeout(handle, timeout.milliseconds)
  }
}

extension Duration {
  /// The duration in the milliseconds of C, which go up to 24 days.
  var milliseconds: Int32 {
    let (seconds, attoseconds) = components
    guard seconds < Int64(Int32.max) / 1000 else { return .max }
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return Int32(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }
}
