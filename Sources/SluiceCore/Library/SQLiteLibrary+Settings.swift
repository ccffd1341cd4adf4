import CSluice

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
    guard isPossible else { throw SQLiteError(.range, "SQLite cannot be told \(self)") }
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
