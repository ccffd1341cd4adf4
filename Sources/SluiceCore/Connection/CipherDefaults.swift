import CSluice
import Synchronization

/// The settings that SQLCipher gives to each database at the moment that the database gets its key.
///
/// `ATTACH` sets the key and reads the file in one step, so the defaults, which belong to the process, are the only way to
/// give other settings to an attached file. Each call that sets a key holds the lock, which keeps it from seeing the
/// defaults of another thread.
enum CipherDefaults {
  private static let lock = Locked(())
  /// The thread that holds the lock, or 0.
  private static let holder = Atomic<UInt>(0)
  /// Written by the holder alone.
  private static let areReplaced = Atomic(false)

  /// Calls `body`, which sets a key, while the defaults are those of the process.
  static func withOwn(_ body: () throws -> Void) throws {
    let thread = UInt(sluice_current_thread())
    // A busy handler or a file system that ATTACH calls may open a connection.
    if holder.load(ordering: .relaxed) == thread {
      guard !areReplaced.load(ordering: .relaxed) else {
        throw SQLiteError(.misuse, "No key can be set while this thread attaches another database")
      }
      return try body()
    }
    try lock.withLock { _ in
      holder.store(thread, ordering: .relaxed)
      defer { holder.store(0, ordering: .relaxed) }
      try body()
    }
  }

  /// Calls `body`, which attaches a database, while the defaults are `settings`.
  static func with(
    _ settings: CipherSettings, on connection: Connection, _ body: () throws -> Void
  ) throws {
    guard !settings.isDefault else { return try withOwn(body) }
    try connection.check(settings)
    try withOwn {
      let old = try connection.prepare(sql: "PRAGMA cipher_default_settings")
        .query(.column(.string))
      areReplaced.store(true, ordering: .relaxed)
      defer { areReplaced.store(false, ordering: .relaxed) }
      let new = [
        ("compatibility", settings.compatibility), ("page_size", settings.pageSize),
        ("kdf_iter", settings.kdfIterations),
        ("plaintext_header_size", settings.plaintextHeaderSize),
      ]
      do {
        for case (let name, let value?) in new {
          try connection.runPragma("cipher_default_\(name) = \(value)")
        }
        try body()
      } catch {
        // The first error counts.
        try? restore(old, on: connection)
        throw error
      }
      try restore(old, on: connection)
    }
  }

  private static func restore(_ settings: [String], on connection: Connection) throws {
    try connection.cleaningUp {
      for sql in settings { try connection.prepare(sql: sql).execute() }
    }
  }
}
