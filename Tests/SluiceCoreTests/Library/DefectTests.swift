import SluiceCore
import Testing

@Suite struct `A10 defects` {
  @Test(
    arguments: [
      (3_006_999, false), (3_007_000, true), (3_044_005, true), (3_044_006, false),
      (3_044_099, false), (3_045_000, true), (3_050_006, true), (3_050_007, false),
      (3_051_002, true), (3_051_003, false),
    ])
  func `a version that was mended does not have the WAL-reset bug`(version: Int, hasBug: Bool) {
    #expect(SQLiteDefect.walReset.affects(version: version) == hasBug)
  }

  @Test func `the linked version has the bug, or does not, by its number`() {
    #expect(
      SQLiteLibrary.knownDefects.contains(.walReset)
        == SQLiteDefect.walReset.affects(version: SQLiteLibrary.versionNumber))
  }
}
