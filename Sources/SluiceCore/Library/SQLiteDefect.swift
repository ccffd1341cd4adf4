/// A fault of SQLite itself that can damage or lose data, or be exploited.
public struct SQLiteDefect: Hashable, Sendable {
  /// A short name, by which more can be found.
  public let name: String
  /// The consequence, in a sentence.
  public let summary: String
  /// The versions that have the fault, in the form of ``SQLiteLibrary/versionNumber``.
  public let versions: ClosedRange<Int>
  /// The first version without the fault of each older series that was mended as well: 3044006 stands for
  /// 3.44.6 and what follows it up to 3.45.
  public let mended: [Int]

  init(name: String, summary: String, versions: ClosedRange<Int>, mended: [Int] = []) {
    self.name = name
    self.summary = summary
    self.versions = versions
    self.mended = mended
  }

  /// Whether a version has the fault, in the form of ``SQLiteLibrary/versionNumber``.
  public func affects(version number: Int) -> Bool {
    versions.contains(number)
      && !mended.contains { number >= $0 && number / 1000 == $0 / 1000 }
  }
}

extension SQLiteDefect {
  /// With a WAL, two connections that write or checkpoint at the same moment can, very rarely, damage the
  /// database.
  ///
  /// ```swift
  /// if SQLiteLibrary.knownDefects.contains(.walReset) {
  ///   print("Let one connection alone write and checkpoint, or update SQLite.")
  /// }
  /// ```
  public static let walReset = SQLiteDefect(
    name: "WAL-reset bug",
    summary:
      "With a WAL, two connections that write or checkpoint at the same moment can, very rarely, damage the database.",
    versions: 3_007_000...3_051_002, mended: [3_044_006, 3_050_007])
}

extension SQLiteLibrary {
  /// The faults that the linked version of SQLite is known to have.
  ///
  /// It goes by the number of the version alone: a distribution may have mended a fault without
  /// changing it.
  public static var knownDefects: [SQLiteDefect] { defects(ofVersion: versionNumber) }

  private static func defects(ofVersion number: Int) -> [SQLiteDefect] {
    all.filter { $0.affects(version: number) }
  }

  private static let all = [
    .walReset,
    SQLiteDefect(
      name: "CVE-2022-35737",
      summary:
        "Text of more than a thousand million bytes can corrupt memory where SQLite formats it for a message or SQL.",
      versions: 1_000_012...3_039_001),
    SQLiteDefect(
      name: "CVE-2025-6965",
      summary:
        "A query with more aggregate terms than there are columns available can corrupt memory: do not run SQL of others.",
      versions: 3_000_000...3_050_001),
    SQLiteDefect(
      name: "CVE-2025-29087",
      summary:
        "The function concat_ws() with a very long separator can corrupt memory: do not run SQL of others.",
      versions: 3_044_000...3_049_000),
    // The versions for which a test has shown the defect. 3.50.4 lacks it; versions in between were not tried.
    SQLiteDefect(
      name: "Defaults of added columns",
      summary:
        "In a column that was added after a row was written, sessions and pre-update hooks take the old value for NULL, whatever the default.",
      versions: 3_040_001...3_046_001),
  ]
}
