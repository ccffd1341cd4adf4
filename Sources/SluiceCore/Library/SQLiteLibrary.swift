import CSluice

/// The SQLite library that the program is linked with, and its settings for all connections.
///
/// ```swift
/// print(SQLiteLibrary.version)  // 3.40.1
/// ```
public enum SQLiteLibrary {
  /// The version as text, such as `3.40.1`.
  ///
  /// The corresponding C function is `sqlite3_libversion`.
  public static var version: String { unsafe String(cString: sqlite3_libversion()) }

  /// The version as a number that can be compared, such as 3040001 for 3.40.1.
  ///
  /// The corresponding C function is `sqlite3_libversion_number`.
  public static var versionNumber: Int { Int(sqlite3_libversion_number()) }

  /// The date and the hash of the source code that the library was built from.
  ///
  /// The corresponding C function is `sqlite3_sourceid`.
  public static var sourceID: String { unsafe String(cString: sqlite3_sourceid()) }

  /// The options that the library was built with, such as `ENABLE_FTS5`.
  ///
  /// The array is empty if the library was built not to report its options.
  ///
  /// The corresponding C function is `sqlite3_compileoption_get`.
  public static var compileOptions: [String] {
    var options: [String] = []
    while let option = unsafe sluice_compileoption_get(Int32(options.count)) {
      options.append(unsafe String(cString: option))
    }
    return options
  }
}

extension SQLiteLibrary {
  /// The SQL keywords, in uppercase.
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

  /// Returns whether a word is an SQL keyword, regardless of case.
  ///
  /// Some keywords can be used as names even without quotes. In double quotes, all keywords can be names.
  ///
  /// The corresponding C function is `sqlite3_keyword_check`.
  public static func isKeyword(_ word: String) -> Bool {
    guard let count = Int32(exactly: word.utf8.count) else { return false }
    return unsafe word.withCString { unsafe sqlite3_keyword_check($0, count) != 0 }
  }

  /// Returns bytes from SQLite's random number generator.
  ///
  /// The bytes are suitable for row keys, but not for secrets.
  ///
  /// A negative `count` throws ``ResultCode/range``. A `count` above 1,000,000,000, which SQLite could not store,
  /// throws ``ResultCode/tooBig``.
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
  /// Initializes SQLite, once and before any other use.
  ///
  /// SQLite would initialize itself when the first connection opens, and its random number generator when the first
  /// number is needed. If two connections opened at once, the thread sanitizer would report races. For the
  /// initialization, the report is false: the sanitizer does not recognize how SQLite synchronizes the threads. For
  /// the generator, the race is real but harmless.
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

  /// Performs a call that SQLite accepts only before it starts, and from one thread at a time.
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
  /// Configures SQLite for all connections together, for as long as the process runs.
  ///
  /// ```swift
  /// // Configure SQLite before the first connection. This program never reads memory statistics.
  /// try SQLiteLibrary.configure(
  ///   .memoryStatistics(false), .lookaside(slotSize: 512, slotCount: 256))
  /// ```
  ///
  /// SQLite accepts settings only before it starts, that is, before the first connection opens. Afterwards, this
  /// method throws ``ResultCode/misuse``. If a number is invalid, the method throws ``ResultCode/range`` and
  /// changes nothing. If there are two settings of the same kind, the last one is used.
  ///
  /// The corresponding C function is `sqlite3_config`.
  public static func configure(_ settings: Setting...) throws {
    for setting in settings { try setting.check() }
    for setting in settings { try configure(setting.apply) }
  }

  /// A setting for all connections together.
  ///
  /// The corresponding C values are `SQLITE_CONFIG_*`.
  public enum Setting: Hashable, Sendable {
    /// Whether SQLite counts the memory that it uses, which requires a lock that all threads share.
    ///
    /// If false, ``SQLiteLibrary/memoryUsed`` and ``SQLiteLibrary/status(_:reset:)`` report nothing about memory,
    /// and ``SQLiteLibrary/hardHeapLimit`` and ``SQLiteLibrary/softHeapLimit`` have no effect.
    case memoryStatistics(Bool)
    /// The memory that each connection reserves for small allocations.
    ///
    /// There are at most 1,000,000 slots of up to 65,528 bytes, which SQLite may divide into smaller slots. If
    /// either number is 0, no memory is reserved. Some builds of SQLite ignore this setting, and reserve no memory.
    case lookaside(slotSize: Int, slotCount: Int)
    /// The default number of bytes of a file to map into memory, and the upper limit of this number.
    ///
    /// ``DatabasePragma/mmapSize`` cannot exceed the limit. If SQLite was built with a lower limit, that limit
    /// applies.
    case memoryMap(size: Int, limit: Int)
    /// The default size limit of a deserialized database in bytes.
    ///
    /// The limit applies if the `sizeLimit` that is passed to
    /// ``Connection/deserialize(_:database:readOnly:isResizable:sizeLimit:)`` is nil.
    case deserializedSizeLimit(Int)
    /// The size in bytes from which a statement journal is stored in a file; nil for never.
    ///
    /// The journal contains the changes that a statement may have to undo.
    case statementJournalSpill(Int?)
    /// Whether SQLite avoids large memory allocations where it can, which makes it slower.
    case smallAllocations(Bool)
  }
}

extension SQLiteLibrary.Setting {
  /// Throws if SQLite does not support a number, or would interpret it as a different number.
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

  /// Passes the setting to SQLite.
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
