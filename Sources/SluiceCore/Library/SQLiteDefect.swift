/// A defect in SQLite itself that can damage or lose data, or be exploited.
public struct SQLiteDefect: Hashable, Sendable {
  /// A short name, suitable as a search term.
  public let name: String
  /// The consequence, in one sentence.
  public let summary: String
  /// The versions that have the defect, in the form of ``SQLiteLibrary/versionNumber``.
  public let versions: ClosedRange<Int>
  /// For each older series in which the defect was also fixed, the first version without the defect.
  ///
  /// For example, 3044006 stands for 3.44.6 and all later versions before 3.45.
  public let fixedIn: [Int]

  init(name: String, summary: String, versions: ClosedRange<Int>, fixedIn: [Int] = []) {
    self.name = name
    self.summary = summary
    self.versions = versions
    self.fixedIn = fixedIn
  }

  /// Returns whether a version has the defect.
  ///
  /// The version is given in the form of ``SQLiteLibrary/versionNumber``.
  public func affects(version number: Int) -> Bool {
    versions.contains(number)
      && !fixedIn.contains { number >= $0 && number / 1000 == $0 / 1000 }
  }
}

extension SQLiteDefect {
  /// A defect that can, very rarely, damage a database with a WAL.
  ///
  /// The damage is possible when two connections write or checkpoint at the same moment.
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
    versions: 3_007_000...3_051_002, fixedIn: [3_044_006, 3_050_007])
}

extension SQLiteDefect {
  /// A defect of FTS5's trigram tokenizer, from which Sluice protects its connections.
  static let trigram = SQLiteDefect(
    name: "Options of the trigram tokenizer",
    summary:
      "An option without a value, as in tokenize = 'trigram case_sensitive', ends the process, also if a database file declares it; a connection of Sluice throws instead.",
    versions: 3_034_000...3_046_001)
}

extension SQLiteDefect {
  /// A defect of sessions, which throw for the tables whose old values would be lost.
  static let addedColumns = SQLiteDefect(
    name: "Defaults of added columns",
    summary:
      "For a column that was added after a row was written, sessions record NULL as the old value, regardless of the default; a session of Sluice records the default if the column is NOT NULL, and refuses the table otherwise.",
    versions: 3_013_000...3_046_001)

  /// A defect of applying changesets, which Sluice avoids; a test has shown it in 3.53.4.
  static let changesetCodes = SQLiteDefect(
    name: "Changesets and extended result codes",
    summary:
      "On a connection with extended result codes, applying a changeset can fail for a violated constraint that later changes in the changeset resolve; a connection of Sluice turns them off meanwhile.",
    versions: 3_053_002...3_053_004)

  /// A defect of applying changesets, which Sluice avoids; a test has shown it in 3.53.4.
  static let updateLoops = SQLiteDefect(
    name: "Changesets and exchanged unique values",
    summary:
      "Applying a changeset in which rows exchange unique values deletes and inserts the rows, and so deletes those that refer to them with ON DELETE CASCADE; a connection of Sluice prevents this.",
    versions: 3_053_002...3_053_004)
}

extension SQLiteLibrary {
  /// The defects that the linked version of SQLite is known to have.
  ///
  /// The result depends only on the version number. A distribution may have fixed a defect without changing the
  /// number.
  public static var knownDefects: [SQLiteDefect] { defects(ofVersion: versionNumber) }

  /// Returns the defects of a version, in the form of ``versionNumber``.
  package static func defects(ofVersion number: Int) -> [SQLiteDefect] {
    all.filter { $0.affects(version: number) }
  }

  private static let all = [
    .walReset, .trigram, .addedColumns, .changesetCodes, .updateLoops,
    SQLiteDefect(
      name: "WAL frames without checksums",
      summary:
        "With a WAL, a crash after a large transaction that rolled a savepoint back can lose committed transactions.",
      versions: 3_011_000...3_050_001),
    SQLiteDefect(
      name: "Ignored hot journal",
      summary:
        "After a crash that damaged the end of a rollback journal, the journal can be ignored, which damages the database.",
      versions: 3_053_003...3_053_003),
    SQLiteDefect(
      name: "Changes of a failed statement",
      summary:
        "Inside a transaction, a statement that fails because an SQL function throws can keep the rows that it has changed.",
      versions: 3_000_000...3_039_002),
    SQLiteDefect(
      name: "Subqueries of DELETE and UPDATE",
      summary:
        "A DELETE or UPDATE whose WHERE has a subquery on the same table behind AND or OR can change the wrong rows.",
      versions: 3_009_000...3_041_001),
    SQLiteDefect(
      name: "Indexes after an upsert",
      summary:
        "An upsert with two ON CONFLICT clauses for the same index can leave an index that differs from its table.",
      versions: 3_035_000...3_045_001, fixedIn: [3_044_003]),
    SQLiteDefect(
      name: "Savepoints of a journal in memory",
      summary:
        "If temporary files are in memory, rolling a savepoint back before a commit can damage the database.",
      versions: 3_035_000...3_037_001),
    SQLiteDefect(
      name: "EXISTS as a join",
      summary: "A query with EXISTS can return the wrong rows.",
      versions: 3_051_000...3_053_000),
    SQLiteDefect(
      name: "Deadlock of locks",
      summary:
        "Threads that open and lock the same database with a WAL can wait for each other forever.",
      versions: 3_051_000...3_051_001),
    SQLiteDefect(
      name: "NOT NULL optimization",
      summary: "A query with IS NULL or IS NOT NULL can corrupt memory: do not run untrusted SQL.",
      versions: 3_040_000...3_049_001),
    SQLiteDefect(
      name: "CVE-2022-35737",
      summary:
        "Text of more than a billion bytes can corrupt memory when SQLite formats it for a message or SQL.",
      versions: 1_000_012...3_039_001),
    SQLiteDefect(
      name: "CVE-2025-6965",
      summary:
        "A query with more aggregate terms than available columns can corrupt memory: do not run untrusted SQL.",
      versions: 3_000_000...3_050_001, fixedIn: [3_039_006, 3_042_001, 3_044_005]),
    SQLiteDefect(
      name: "CVE-2025-29087",
      summary:
        "The function concat_ws() with a very long separator can corrupt memory: do not run untrusted SQL.",
      versions: 3_044_000...3_049_000, fixedIn: [3_044_004]),
    SQLiteDefect(
      name: "CVE-2024-0232",
      summary: "JSON functions can use memory that was released: do not run untrusted SQL.",
      versions: 3_043_000...3_043_001),
    SQLiteDefect(
      name: "CVE-2025-7458",
      summary:
        "A query with DISTINCT and a long ORDER BY can corrupt memory: do not run untrusted SQL.",
      versions: 3_039_000...3_041_001),
    SQLiteDefect(
      name: "CVE-2025-7709",
      summary:
        "A full-text index in a damaged file can corrupt memory: do not allow FTS5 in untrusted files.",
      versions: 3_043_000...3_050_002),
    SQLiteDefect(
      name: "CVE-2026-11822",
      summary:
        "A full-text index in a damaged file can corrupt memory: do not allow FTS5 in untrusted files.",
      versions: 3_009_000...3_053_001),
    SQLiteDefect(
      name: "OLD in triggers of an upsert",
      summary:
        "In an UPDATE trigger that an upsert fires, OLD can have wrong values if the row is too large for a page.",
      versions: 3_024_000...3_045_002, fixedIn: [3_044_004]),
    SQLiteDefect(
      name: "CVE-2026-119371",
      summary:
        "A view with thousands of common table expressions ends the process; Configuration.untrusted refuses the file.",
      versions: 3_008_003...3_053_999),
    SQLiteDefect(
      name: "Integrity check of a deep tree",
      summary:
        "In a damaged file, a chain of thousands of pages makes the integrity check end the process, except on a connection with Configuration.untrusted.",
      versions: 3_000_000...3_053_999),
    SQLiteDefect(
      name: "CVE-2026-119372",
      summary:
        "In a full-text index of FTS3 or FTS4, snippet() with OR and NEAR can use memory that was released.",
      versions: 3_000_000...3_053_999),
    SQLiteDefect(
      name: "CVE-2026-119373",
      summary:
        "In a full-text index of FTS5 with detail=none and negative rowids, a search for a prefix can corrupt memory.",
      versions: 3_009_000...3_053_999),
    SQLiteDefect(
      name: "CVE-2026-119374",
      summary:
        "Deleting from a full-text index of FTS5 with secure-delete in a damaged file can corrupt memory.",
      versions: 3_042_000...3_053_999),
    SQLiteDefect(
      name: "CVE-2026-119375",
      summary:
        "If the pages of a WAL are smaller than those of its file, parts of pages get content from elsewhere in memory: do not open a stranger's WAL.",
      versions: 3_007_000...3_053_999),
    SQLiteDefect(
      name: "CVE-2026-119378",
      summary:
        "An R*Tree in a damaged file can corrupt memory: do not allow R*Trees in untrusted files.",
      versions: 3_006_000...3_053_999),
    SQLiteDefect(
      name: "Damaged records of indexes",
      summary:
        "A full-text index or an R*Tree in a damaged file can corrupt memory: allow no modules in untrusted files.",
      versions: 3_000_000...3_053_003),
    SQLiteDefect(
      name: "Depth of JSON paths",
      summary:
        "A path of thousands of steps makes json_set(), json_insert() and json_replace() end the process: do not run untrusted SQL.",
      versions: 3_038_000...3_053_003),
    SQLiteDefect(
      name: "Depth of JSONB",
      summary:
        "A blob with JSONB of thousands of levels makes json() and json_extract() end the process.",
      versions: 3_045_000...3_053_003),
    SQLiteDefect(
      name: "Chains of generated columns",
      summary:
        "A table with dozens of generated columns that use each other ends the process; Configuration.untrusted refuses the file.",
      versions: 3_031_000...3_053_999),
  ]
}
