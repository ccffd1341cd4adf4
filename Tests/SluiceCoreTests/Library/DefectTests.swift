import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.library)) struct `known defects` {
  @Test(
    arguments: [
      (3_006_999, false), (3_007_000, true), (3_044_005, true), (3_044_006, false),
      (3_044_099, false), (3_045_000, true), (3_050_006, true), (3_050_007, false),
      (3_051_002, true), (3_051_003, false),
    ])
  func `the WAL-reset bug affects only versions without its fix`(version: Int, hasBug: Bool) {
    #expect(SQLiteDefect.walReset.affects(version: version) == hasBug)
  }

  @Test func `knownDefects contains the WAL-reset bug only for an affected version`() {
    #expect(
      SQLiteLibrary.knownDefects.contains(.walReset)
        == SQLiteDefect.walReset.affects(version: SQLiteLibrary.versionNumber))
  }

  @Test func `knownDefects contains the trigram tokenizer only for an affected version`() {
    #expect(
      SQLiteLibrary.knownDefects.contains { $0.name == "Options of the trigram tokenizer" }
        == (3_034_000...3_046_001).contains(SQLiteLibrary.versionNumber))
  }

  @Test func `knownDefects contains the defaults of added columns only for an affected version`() {
    #expect(
      SQLiteLibrary.knownDefects.contains { $0.name == "Defaults of added columns" }
        == (3_013_000...3_046_001).contains(SQLiteLibrary.versionNumber))
  }

  @Test func `knownDefects contains the codes of changesets only for an affected version`() {
    #expect(
      SQLiteLibrary.knownDefects.contains { $0.name == "Changesets and extended result codes" }
        == (3_053_002...3_053_004).contains(SQLiteLibrary.versionNumber))
  }
}
