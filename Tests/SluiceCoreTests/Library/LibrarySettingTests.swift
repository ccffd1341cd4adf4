import SluiceCore
import TestSupport
import Testing

/// A snippet covers settings that apply before SQLite starts, because these tests share a process with all others.
@Suite(.tags(.library)) struct `library settings` {
  private let connection: Connection
  init() throws { connection = try Connection() }

  @Test func `configuring the library after SQLite has started throws misuse`() {
    let error = failure { try SQLiteLibrary.configure(.memoryStatistics(false)) }
    #expect(error?.code == .misuse)
    #expect(SQLiteLibrary.memoryUsed > 0)
  }

  @Test(
    arguments: [
      .lookaside(slotSize: -1, slotCount: 1), .lookaside(slotSize: 65_536, slotCount: 1),
      .lookaside(slotSize: 64, slotCount: .max), .memoryMap(size: -1, limit: 1),
      .memoryMap(size: 1, limit: .min), .deserializedSizeLimit(-1), .statementJournalSpill(-1),
      .statementJournalSpill(.max),
    ] as [SQLiteLibrary.Setting])
  func `a library setting that is out of range throws range even after SQLite has started`(
    _ setting: SQLiteLibrary.Setting
  ) {
    let error = failure { try SQLiteLibrary.configure(.memoryStatistics(false), setting) }
    #expect(error?.code == .range)
    #expect(error?.message.contains("\(setting)") == true)
  }

  @Test func `configuring the library without a setting succeeds`() throws {
    try SQLiteLibrary.configure()
  }
}
