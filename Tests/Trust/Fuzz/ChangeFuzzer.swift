import Sluice
import SluiceTesting

/// Applies recorded changes, intact and with wrong bytes.
///
/// Intact changes can be applied and undone. Changes with wrong bytes are applied completely or not at all.
struct ChangeFuzzer: Fuzzer {
  static let name = "changesets with wrong bytes"
  static let shortCount = 500
  /// Only the first table has a numeric key: sessions distinguish 1 from 1.0, but a table does not.
  private static let schema = """
    CREATE TABLE t0(a INTEGER PRIMARY KEY, b, c);
    CREATE TABLE t1(a TEXT NOT NULL, b REAL, c TEXT NOT NULL, PRIMARY KEY(c, a));
    CREATE TABLE t2(a TEXT PRIMARY KEY, b INTEGER, c BLOB CHECK (c <> 5)) WITHOUT ROWID;
    CREATE TRIGGER r AFTER INSERT ON t0 BEGIN INSERT OR IGNORE INTO t2 VALUES (new.b, 1, 2); END;
    INSERT INTO t0 VALUES (1, 'a', 1.5), (2, NULL, x'00'), (3, 3, 3);
    INSERT INTO t1 VALUES ('x', 1, 'y'), ('z', NULL, 2);
    INSERT INTO t2 VALUES (1, 2, 3), ('k', NULL, '');
    """
  private let isCanary: Bool

  init(isCanary: Bool) throws { self.isCanary = isCanary }

  func round(_ random: inout SeededGenerator) throws {
    guard SQLiteLibrary.has(.sessions) else {
      throw SQLiteError(.notFound, "There are no sessions")
    }
    let (source, target) = try (Connection(), Connection())
    for connection in [source, target] { try connection.execute(sql: Self.schema) }
    let before = try content(source)
    let session = try source.session()
    for _ in 0...random.below(8) { try change(source, &random) }
    let changeset = try session.changeset()
    let after = try content(source)
    // The triggers have already run where the changes were recorded.
    try target.setOption(.triggers, false)
    try target.apply(changeset)
    let copy = try content(target)
    try require(areSame(copy, after), "a changeset makes \(copy), and not \(after)")
    try target.apply(changeset.inverted())
    try require(areSame(content(target), before), "a changeset that was inverted does not undo")
    try target.setOption(.triggers, true)
    for _ in 0..<6 {
      // Most wrong bytes are rejected here.
      guard let damaged = try? Changeset(bytes: random.mutated(changeset.bytes)) else { continue }
      use(damaged, changeset)
      try apply(damaged, to: target, &random)
    }
    try patch(session.patchset(), target, &random)
    try require(target.integrityProblems().isEmpty, "the target is damaged")
  }

  private func content(_ connection: Connection) throws -> [[DatabaseValue]] {
    try (0..<3).flatMap { table in
      // Damaged text may not be UTF-8.
      try connection.query(
        .values,
        sql: """
          SELECT \(table), typeof(a), CAST(a AS BLOB), typeof(b), CAST(b AS BLOB), typeof(c), CAST(c AS BLOB)
          FROM t\(table) ORDER BY a, c
          """
      ).map(
        \.values)
    }
  }

  private func change(_ connection: Connection, _ random: inout SeededGenerator) throws {
    let table = "t\(random.below(3))"
    let values = (0..<3).map { _ in SQLParameter(random.value()) }
    // Some keys are invalid, and some values are rejected.
    _ = try? {
      switch random.below(3) {
      case 0:
        try connection.execute(
          sql: "INSERT OR REPLACE INTO \(table) VALUES (?, ?, ?)", parameters: SQLParameters(values)
        )
      case 1:
        try connection.execute(
          sql: "UPDATE OR IGNORE \(table) SET b = ?, c = ? WHERE rowid % 2 OR a IS ?",
          parameters: SQLParameters(values))
      default:
        try connection.execute(
          sql: "DELETE FROM \(table) WHERE b IS NULL OR a > ?", parameters: [values[0]])
      }
    }()
  }

  /// Calls everything that derives a value from the changes.
  ///
  /// Each call may reject them.
  private func use(_ changes: Changeset, _ other: Changeset) {
    _ = try? changes.changes()
    _ = changes.description
    _ = try? changes.inverted().inverted()
    _ = try? changes.appending(other).appending(changes)
    _ = try? other.appending(changes).inverted()
  }

  /// Applies the changes with a closure that decides at random, and checks the content afterwards.
  private func apply(
    _ changes: Changeset, to target: Connection, _ random: inout SeededGenerator
  ) throws {
    let before = try content(target)
    var choices = random
    func onConflict(_ conflict: Changeset.Conflict) throws -> Changeset.Conflict.Resolution {
      switch choices.below(6) {
      case 0: throw Wrong("a conflict")
      case 1: .abort
      case 2, 3: conflict.canReplace ? .replace : .omit
      default: .omit
      }
    }
    do {
      let rebase =
        try isCanary
        ? applyByHalf(changes, to: target, onConflict)
        : target.apply(changes, inverted: changes.bytes.count % 5 == 0, onConflict: onConflict)
      let rebaser = try Rebaser()
      // Damaged changes may match no other changes.
      _ = try? rebaser.add(rebase)
      _ = try? rebaser.rebase(changes)
    } catch {
      try require(areSame(content(target), before), "half of it was applied: \(error)")
    }
    random = choices
    try require(target.transactionState() == .none, "a transaction is open")
  }

  /// The canary's mistake: the changes before a failure remain.
  private func applyByHalf(
    _ changes: Changeset, to target: Connection,
    _ onConflict: (Changeset.Conflict) throws -> Changeset.Conflict.Resolution
  ) throws -> Changeset.Rebase {
    let result = try target.transaction { connection, _ in
      Result { try connection.apply(changes, options: .keepsPart, onConflict: onConflict) }
    }
    return try result.value.get()
  }

  private func patch(
    _ patchset: Patchset, _ target: Connection, _ random: inout SeededGenerator
  ) throws {
    guard let patchset = try? Patchset(bytes: random.mutated(patchset.bytes)) else { return }
    _ = try? patchset.changes()
    _ = try? patchset.appending(patchset)
    let before = try content(target)
    do { try target.apply(patchset) { $0.canReplace ? .replace : .omit } } catch {
      try require(areSame(content(target), before), "half of a patchset was applied: \(error)")
    }
  }
}
