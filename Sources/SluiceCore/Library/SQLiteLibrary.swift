import CSluice

/// The SQLite that the program is linked with: what it is, and what it does for all connections.
///
/// ```swift
/// print(SQLiteLibrary.version)  // 3.40.1
/// ```
public enum SQLiteLibrary {
  /// The version in words, such as `3.40.1`.
  ///
  /// The corresponding C function is `sqlite3_libversion`.
  public static var version: String { unsafe String(cString: sqlite3_libversion()) }

  /// The version as a number that can be compared, such as 3040001 for 3.40.1.
  ///
  /// The corresponding C function is `sqlite3_libversion_number`.
  public static var versionNumber: Int { Int(sqlite3_libversion_number()) }

  /// The date and the hash of the source that the library was built from.
  ///
  /// The corresponding C function is `sqlite3_sourceid`.
  public static var sourceID: String { unsafe String(cString: sqlite3_sourceid()) }

  /// The options that the library was built with, such as `ENABLE_FTS5`; none if it was built to
  /// keep them to itself.
  ///
  /// The corresponding C function is `sqlite3_compileoption_get`.
  public static var compileOptions: [String] {
    var options: [String] = []
    while let option = unsafe sluice_compileoption_get(Int32(options.count)) {
      options.append(unsafe String(cString: option))
    }
    return options
  }

  /// Which threads may use a connection, if nothing else is said when it opens; nil for a library
  /// that was built for a single thread, with which no connection opens.
  ///
  /// The corresponding C function is `sqlite3_threadsafe`.
  public static var threadingMode: Configuration.ThreadingMode? {
    switch sqlite3_threadsafe() {
    case 0: nil
    case 2: .multiThread
    default: .serialized
    }
  }
}

extension SQLiteLibrary {
  /// The words that have a meaning in SQL, in capitals.
  ///
  /// The corresponding C function is `sqlite3_keyword_name`.
  public static var keywords: [String] {
    (0..<sqlite3_keyword_count()).compactMap { index in
      var name: UnsafePointer<CChar>?
      var count: Int32 = 0
      guard unsafe sqlite3_keyword_name(index, &name, &count) == SQLITE_OK,
        let name = unsafe name
      else { return nil }
      let text = unsafe UnsafeRawBufferPointer(start: name, count: Int(count))
      return unsafe String(decoding: text, as: UTF8.self)
    }
  }

  /// Whether a word has a meaning in SQL, in capitals or not.
  ///
  /// Some of these words can be names all the same; in double quotes, all can.
  ///
  /// The corresponding C function is `sqlite3_keyword_check`.
  public static func isKeyword(_ word: String) -> Bool {
    guard let count = Int32(exactly: word.utf8.count) else { return false }
    return unsafe word.withCString { unsafe sqlite3_keyword_check($0, count) != 0 }
  }

  /// Bytes from SQLite's source of random numbers, which is good enough for keys of rows, and not
  /// for secrets.
  ///
  /// A negative `count` throws ``ResultCode/range``, and one above a thousand million, which SQLite
  /// could not store, ``ResultCode/tooBig``.
  ///
  /// The corresponding C function is `sqlite3_randomness`.
  public static func randomBytes(count: Int) throws -> [UInt8] {
    guard count >= 0 else {
      throw SQLiteError(.range, "The byte count must not be negative (got \(count))")
    }
    guard count <= 1_000_000_000 else {
      throw SQLiteError(.tooBig, "The byte count \(count) exceeds SQLite's limit")
    }
    try start()
    guard count > 0 else { return [] }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
      unsafe sqlite3_randomness(Int32(count), bytes.baseAddress)
      initializedCount = count
    }
  }
}

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
        .misuse, "SQLite is already initialized; configure it before the first connection opens")
    }
    guard code == SQLITE_OK else {
      throw SQLiteError(
        ResultCode(rawValue: code), "The linked SQLite does not support this setting")
    }
  }

  private static let startLock = Locked(())
}

extension SQLiteLibrary {
  /// Chooses what holds for all connections together, for as long as the process runs.
  ///
  /// ```swift
  /// // Before the first connection: nobody asks how much memory SQLite has.
  /// try SQLiteLibrary.configure(
  ///   .memoryStatistics(false), .lookaside(slotSize: 512, slotCount: 256))
  /// ```
  ///
  /// SQLite takes this only before it starts, which it does with the first connection; afterwards it throws
  /// ``ResultCode/misuse``. A number that cannot be throws ``ResultCode/range``, and nothing is changed then. Of two
  /// settings of a kind, the last one counts.
  ///
  /// The corresponding C function is `sqlite3_config`.
  public static func configure(_ settings: Setting...) throws {
    for setting in settings { try setting.check() }
    for setting in settings { try configure(setting.apply) }
  }

  /// Something that is chosen for all connections together.
  ///
  /// The corresponding C values are `SQLITE_CONFIG_*`.
  public enum Setting: Hashable, Sendable {
    /// Whether SQLite counts the memory that it uses, for which all threads share a lock.
    ///
    /// Without it ``SQLiteLibrary/memoryUsed`` and ``SQLiteLibrary/status(_:reset:)`` know nothing of memory, and
    /// ``SQLiteLibrary/hardHeapLimit`` and ``SQLiteLibrary/softHeapLimit`` limit nothing.
    case memoryStatistics(Bool)
    /// The memory that each connection sets aside for small things: slots of up to 65,528 bytes, and at most a
    /// million of them, which SQLite may cut into smaller ones. None of either is no such memory, and some builds have
    /// none, whatever they are told.
    case lookaside(slotSize: Int, slotCount: Int)
    /// How many bytes of a file are read by mapping them into memory, and the most that
    /// ``DatabasePragma/mmapSize`` can ask for.
    ///
    /// SQLite may be built with a lower limit, which holds then.
    case memoryMap(size: Int, limit: Int)
    /// How large a database can get that ``Connection/deserialize(_:database:readOnly:isResizable:sizeLimit:)`` makes, if
    /// it is not told anything else.
    case deserializedSizeLimit(Int)
    /// From how many bytes on a file keeps what a statement may have to undo; nil for never.
    case statementJournalSpill(Int?)
    /// Whether SQLite does without large pieces of memory where it can, though it is slower then.
    case smallAllocations(Bool)
  }
}

extension SQLiteLibrary.Setting {
  /// Throws if a number is one that SQLite cannot have, or would take for another.
  fileprivate func check() throws {
    let isPossible =
      switch self {
      case .memoryStatistics, .smallAllocations, .statementJournalSpill(nil): true
      case .lookaside(let size, let count): 0...65_528 ~= size && 0...1_000_000 ~= count
      case .memoryMap(let size, let limit): size >= 0 && limit >= 0
      case .deserializedSizeLimit(let size): size >= 0
      case .statementJournalSpill(let size?): 0...Int(Int32.max) ~= size
      }
    guard isPossible else { throw SQLiteError(.range, "SQLite rejects the setting \(self)") }
  }

  /// Tells SQLite.
  fileprivate func apply() -> Int32 {
    switch self {
    case .memoryStatistics(let isOn): sluice_config_int(SQLITE_CONFIG_MEMSTATUS, isOn ? 1 : 0)
    case .lookaside(let size, let count):
      sluice_config_ints(SQLITE_CONFIG_LOOKASIDE, Int32(size), Int32(count))
    case .memoryMap(let size, let limit):
      sluice_config_int64s(SQLITE_CONFIG_MMAP_SIZE, Int64(size), Int64(limit))
    case .deserializedSizeLimit(let size):
      sluice_config_int64(SQLITE_CONFIG_MEMDB_MAXSIZE, Int64(size))
    case .statementJournalSpill(let size):
      sluice_config_int(SQLITE_CONFIG_STMTJRNL_SPILL, size.map { Int32($0) } ?? -1)
    case .smallAllocations(let isOn): sluice_config_int(SQLITE_CONFIG_SMALL_MALLOC, isOn ? 1 : 0)
    }
  }
}
