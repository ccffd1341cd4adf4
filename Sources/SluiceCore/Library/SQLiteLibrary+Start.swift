import CSluice

extension SQLiteLibrary {
  /// Sees to it that SQLite is initialized: once, and before anything else is asked of it.
  ///
  /// SQLite would do it by itself when the first connection opens, and its generator of random numbers
  /// would begin when the first number is needed. But if two open at once, the thread sanitizer takes
  /// the way in which SQLite keeps them apart for a race, and that of the generator is one, if harmless.
  static func start() throws {
    guard initialization == SQLITE_OK else {
      throw SQLiteError(ResultCode(rawValue: initialization), "SQLite cannot be initialized")
    }
  }

  private static let initialization = startLock.withLock { _ in
    let code = sqlite3_initialize()
    var byte: UInt8 = 0
    if code == SQLITE_OK { unsafe sqlite3_randomness(1, &byte) }
    return code
  }

  /// Makes a call that SQLite takes only before it starts, and from one thread at a time.
  static func configure(_ call: () -> Int32) throws {
    let code = startLock.withLock { _ in call() }
    guard code != SQLITE_MISUSE else {
      throw SQLiteError(
        .misuse, "SQLite has started: it has to be told this before the first connection")
    }
    guard code == SQLITE_OK else {
      throw SQLiteError(ResultCode(rawValue: code), "The linked SQLite cannot be told this")
    }
  }

  private static let startLock = Locked(())
}
