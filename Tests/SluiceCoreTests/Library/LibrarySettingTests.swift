import SluiceCore
import TestSupport
import Testing

/// What is taken before SQLite starts is in a snippet, as these tests share their process with all others.
@Suite(.tags(.library)) struct `settings of the library` {
  private let connection: Connection
  init() throws { connection = try Connection() }

  @Test func `it is too late once SQLite has started`() {
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
  func `a number that cannot be is refused first`(_ setting: SQLiteLibrary.Setting) {
    let error = failure { try SQLiteLibrary.configure(.memoryStatistics(false), setting) }
    #expect(error?.code == .range)
    #expect(error?.message.contains("\(setting)") == true)
  }

  @Test func `no setting is none`() throws { try SQLiteLibrary.configure() }
}
