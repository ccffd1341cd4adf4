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

  @Test(
    arguments: [
      (
        "Changesets and exchanged unique values",
        [3_053_001: false, 3_053_002: true, 3_053_004: true]
      ),
      (
        "WAL frames without checksums",
        [3_010_002: false, 3_037_000: true, 3_050_001: true, 3_050_002: false]
      ),
      ("Ignored hot journal", [3_053_002: false, 3_053_003: true, 3_053_004: false]),
      ("Changes of a failed statement", [3_037_000: true, 3_039_002: true, 3_039_003: false]),
      ("Subqueries of DELETE and UPDATE", [3_040_001: true, 3_041_001: true, 3_041_002: false]),
      (
        "Indexes after an upsert",
        [3_044_002: true, 3_044_003: false, 3_045_001: true, 3_045_002: false]
      ),
      ("Savepoints of a journal in memory", [3_037_001: true, 3_037_002: false]),
      ("EXISTS as a join", [3_050_004: false, 3_051_000: true, 3_053_000: true, 3_053_001: false]),
      ("Deadlock of locks", [3_050_004: false, 3_051_001: true, 3_051_002: false]),
      (
        "NOT NULL optimization",
        [3_039_004: false, 3_040_000: true, 3_049_001: true, 3_049_002: false]
      ),
      (
        "CVE-2025-6965",
        [3_039_005: true, 3_039_006: false, 3_044_005: false, 3_050_001: true, 3_050_002: false]
      ),
      ("CVE-2025-29087", [3_044_003: true, 3_044_004: false, 3_049_000: true, 3_049_001: false]),
      ("CVE-2024-0232", [3_042_000: false, 3_043_001: true, 3_043_002: false]),
      ("CVE-2025-7458", [3_038_005: false, 3_040_001: true, 3_041_002: false]),
      ("CVE-2025-7709", [3_042_000: false, 3_050_002: true, 3_050_003: false]),
      ("CVE-2026-11822", [3_046_001: true, 3_053_001: true, 3_053_002: false]),
      (
        "OLD in triggers of an upsert",
        [3_023_001: false, 3_040_001: true, 3_044_004: false, 3_045_002: true, 3_045_003: false]
      ),
      ("CVE-2026-119371", [3_008_002: false, 3_053_004: true, 3_054_000: false]),
      ("Integrity check of a deep tree", [3_037_000: true, 3_053_004: true, 3_054_000: false]),
      ("CVE-2026-119372", [3_037_000: true, 3_054_000: false]),
      ("CVE-2026-119373", [3_037_000: true, 3_053_004: true, 3_054_000: false]),
      ("CVE-2026-119374", [3_041_002: false, 3_042_000: true, 3_054_000: false]),
      ("CVE-2026-119375", [3_037_000: true, 3_053_004: true, 3_054_000: false]),
      ("CVE-2026-119378", [3_037_000: true, 3_053_004: true, 3_054_000: false]),
      ("Damaged records of indexes", [3_037_000: true, 3_053_003: true, 3_053_004: false]),
      (
        "Depth of JSON paths",
        [3_037_000: false, 3_040_001: true, 3_046_001: true, 3_053_004: false]
      ),
      ("Depth of JSONB", [3_040_001: false, 3_046_001: true, 3_053_004: false]),
      ("Chains of generated columns", [3_030_001: false, 3_037_000: true, 3_053_004: true]),
    ] as [(String, [Int: Bool])])
  func `a defect affects only versions without its fix`(name: String, versions: [Int: Bool]) {
    for (version, isAffected) in versions {
      let names = SQLiteLibrary.defects(ofVersion: version).map(\.name)
      #expect(names.contains(name) == isAffected, "\(version)")
    }
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
