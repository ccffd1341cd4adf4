import SluiceTesting

/// A program of transactions, and every state in which a power cut can leave its database.
struct PowerCuts {
  let options: Options
  private var states: Int { options.isShort ? 1500 : 20_000 }

  init(_ options: Options) { self.options = options }

  /// A journal mode, with its durability.
  private struct Mode {
    let journal: Configuration.JournalMode
    let synchronous: String
    /// Whether every commit survives each cut.
    var isDurable = true
    var name: String { "\(journal) \(synchronous)".uppercased() }
  }

  func figures() throws -> [Figure] {
    Watchdog.start()
    let modes = [
      Mode(journal: .wal, synchronous: "FULL"),
      Mode(journal: .wal, synchronous: "NORMAL", isDurable: false),
      Mode(journal: .delete, synchronous: "FULL"),
    ]
    return try modes.map { mode in
      var figure = Figure("power cuts, \(mode.name)", "states")
      try cut(mode, states, &figure)
      var canary = Figure("", "")
      try cut(Mode(journal: mode.journal, synchronous: "OFF"), 500, &canary)
      figure.foundCanary = canary.failureCount > 0
      return figure
    }
  }

  private func cut(_ mode: Mode, _ states: Int, _ figure: inout Figure) throws {
    let scratch = try Scratch()
    let path = scratch.path + "/main.db"
    // The calls are those of the real file system.
    let recorder = try PowerCutRecorder(over: SQLiteLibrary.standardFileSystem)
    try record(recorder, path, mode)
    var found = 0
    var seed = options.seed
    while figure.count < states {
      figure.count += try recorder.forEachState(seed: seed) { state in
        Watchdog.hear("\(mode.name), \(state)")
        found += try check(state, mode, &figure) > 0 ? 1 : 0
      }
      seed += 1
    }
    try require(found > states / 10, "only \(found) states had a commit")
  }

  /// Checks a state, and returns the number of transfers in it.
  private func check(
    _ state: PowerCutState, _ mode: Mode, _ figure: inout Figure
  ) throws -> Int {
    // The path may differ from the requested path if the requested path contains a symbolic link.
    guard let path = state.files.keys.first(where: { $0.hasSuffix("main.db") }) else { return 0 }
    do {
      let count = try transfers(in: state.connection(path))
      if mode.isDurable && count < state.marks {
        figure.fail("\(mode.name), \(state): only \(count) commits are there")
      }
      return count
    } catch SQLiteError.error where state.marks == 0 || !mode.isDurable {
      // The table does not exist yet.
    } catch { figure.fail("\(mode.name), \(state): \(error)") }
    return 0
  }

  /// Creates a table of 40 accounts, and commits 24 transfers, with a checkpoint and a rollback in between.
  private func record(_ recorder: PowerCutRecorder, _ path: String, _ mode: Mode) throws {
    var configuration = Configuration()
    configuration.journalMode = mode.journal
    let connection = try recorder.connection(path, configuration: configuration)
    try connection.execute(sql: "PRAGMA synchronous = \(mode.synchronous)")
    try connection.transaction { connection, _ in
      try connection.execute(
        sql: """
          CREATE TABLE account(id INTEGER PRIMARY KEY, amount INTEGER, text TEXT);
          CREATE TABLE transfer(id INTEGER PRIMARY KEY, text TEXT);
          CREATE INDEX account_by_amount ON account(amount)
          """)
      for id in 1...40 { try connection.execute("INSERT INTO account VALUES (\(id), 100, '')") }
    }
    var random = SeededGenerator(seed: options.seed)
    for number in 1...24 {
      try connection.transaction { connection, command in
        let text = String(repeating: "t", count: Int.random(in: 0...2500, using: &random))
        for sign in [-1, 1] {
          let id = Int.random(in: 1...40, using: &random)
          try connection.execute(
            "UPDATE account SET amount = amount + \(sign), text = \(text) WHERE id = \(id)")
        }
        try connection.execute("INSERT INTO transfer(text) VALUES (\(text))")
      }
      recorder.mark()
      if number == 12, mode.journal == .wal { _ = try connection.checkpoint(.restart) }
      if number == 16 {
        try connection.transaction { connection, command in
          try connection.execute(sql: "DELETE FROM account")
          command = .rollback
        }
      }
    }
    try connection.close()
  }

  /// Returns the number of transfers.
  ///
  /// Throws unless these are the first transfers, in order, and the rest of the content is correct.
  private func transfers(in connection: Connection) throws -> Int {
    let problems = try connection.integrityProblems()
    try require(problems.isEmpty, "\(problems)")
    let row = try connection.first(
      .columns(.int, .int, .int),
      sql: """
        SELECT (SELECT sum(amount) FROM account), (SELECT count(*) FROM transfer),
          (SELECT coalesce(max(id), 0) FROM transfer)
        """)
    guard let (sum, count, last) = row else { throw Wrong("there is no sum") }
    try require(
      sum == 4000 && count == last, "the sum is \(sum), with \(count) of \(last) transfers")
    return count
  }
}
