import SluiceCore
import SluiceTesting
import TestSupport
import Testing

/// Properties that hold for random changes in several kinds of tables.
@Suite(.tags(.sessions), .enabled(if: SQLiteLibrary.has(.sessions)))
struct `properties of changesets` {
  private let tables = [
    "CREATE TABLE t0(a INTEGER PRIMARY KEY, b, c)",
    "CREATE TABLE t1(a TEXT, b REAL, c, PRIMARY KEY(c, a))",
    "CREATE TABLE t2(a PRIMARY KEY, b INTEGER, c BLOB) WITHOUT ROWID",
  ]

  private func value(_ random: inout SeededGenerator) -> DatabaseValue {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .integer(Int64.random(in: -3...3, using: &random))
    case 1: .integer(Int64.random(in: .min ... .max, using: &random))
    case 2: .real(Double.random(in: -1e9...1e9, using: &random))
    case 3: .text(["", "a", "ü", "a\0b", "it's"].randomElement(using: &random) ?? "")
    case 4: .blob(Array(repeating: 7, count: Int.random(in: 0..<40, using: &random)))
    default: .null
    }
  }

  private func change(_ connection: Connection, _ random: inout SeededGenerator) throws {
    for _ in 0..<Int.random(in: 1..<15, using: &random) {
      let table = "t\(Int.random(in: 0..<3, using: &random))"
      let key = Int.random(in: 0..<12, using: &random)
      let (first, second) = (value(&random), value(&random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        try connection.execute(
          sql: "INSERT OR REPLACE INTO \(table)(a, b, c) VALUES (?, ?, ?)",
          parameters: .int(key), .value(first),
          table == "t1" ? .int(key % 3) : .value(second))
      case 2:
        try connection.execute(
          sql: "UPDATE OR REPLACE \(table) SET b = ?, a = a + \(key % 2) WHERE a % 5 = ?",
          parameters: .value(first), .int(key % 5))
      default:
        try connection.execute(
          sql: "DELETE FROM \(table) WHERE a = ?", parameters: .int(key))
      }
    }
  }

  private func content(_ connection: Connection) throws -> [[DatabaseValue]] {
    try (0..<3).flatMap { table in
      try connection.query(.values, sql: "SELECT *, \(table) FROM t\(table) ORDER BY a, c").map(
        \.values)
    }
  }

  /// Applies changes that must not conflict.
  private func apply(_ changeset: Changeset, to connection: Connection) throws {
    try connection.apply(changeset) { conflict in
      Issue.record("\(conflict)")
      return .abort
    }
  }

  @Test(arguments: 0..<60)
  func `random changesets can be applied, appended, grouped and inverted`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) &* 77 &+ 1)
    let (source, copy, other) = try (Connection(), Connection(), Connection())
    for connection in [source, copy, other] {
      for table in tables { try connection.execute(sql: table) }
    }
    var states = [try content(source)]
    var changesets: [Changeset] = []
    for _ in 0..<4 {
      let session = try source.session()
      try change(source, &random)
      let changeset = try session.changeset()
      changesets.append(try Changeset(bytes: changeset.bytes))
      states.append(try content(source))
      try apply(changeset, to: copy)
      #expect(try content(copy) == states.last)
      let written = try Changeset(changes: changeset.changes())
      #expect(try Set(written.changes()) == Set(changeset.changes()))
      let patchset = try session.patchset()
      let patches = try Patchset(changes: changeset.changes()).changes()
      #expect(try Set(patches) == Set(patchset.changes()))
      if seed % 2 == 0 { try copy.apply(patchset) { _ in .omit } }
      #expect(try content(copy) == states.last)
    }
    let both = try changesets[0].appending(changesets[1])
    try apply(both, to: other)
    #expect(try content(other) == states[2])
    let group = try Changeset.Group()
    for changeset in changesets[2...] { try group.add(changeset) }
    try apply(group.output(), to: other)
    #expect(try content(other) == states[4])
    for (changeset, state) in zip(changesets, states).reversed() {
      try apply(changeset.inverted(), to: copy)
      #expect(try content(copy) == state)
      #expect(try changeset.inverted().inverted() == changeset)
    }
    try apply(group.output().inverted(), to: other)
    try other.apply(both, inverted: true)
    #expect(try content(other) == states[0])
  }

  /// Omitting a change omits all of its columns, and rebasing does not compensate for that.
  ///
  /// Therefore, an update changes only one column, and a deleted row is never inserted again.
  @Test(arguments: 0..<30)
  func `two databases have the same rows after one of them applies rebased changes`(_ seed: Int)
    throws
  {
    var random = SeededGenerator(seed: UInt64(seed) &* 1009 &+ 5)
    let (here, there) = try (Connection(), Connection())
    for connection in [here, there] {
      try connection.execute(sql: tables[0])
      for key in 0..<6 {
        try connection.execute(
          sql: "INSERT INTO t0 VALUES (?, 'b', 'c')", parameters: .int(key))
      }
    }
    func record(_ connection: Connection) throws -> Changeset {
      let session = try connection.session()
      for _ in 0..<5 {
        let key = Int.random(in: 0..<9, using: &random)
        let (old, new) = (key % 6, 6 + key % 3)
        let value = SQLParameter.int(Int.random(in: 0..<100, using: &random))
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          try connection.execute(
            sql: "INSERT OR IGNORE INTO t0 VALUES (?, ?, 1)", parameters: .int(new), value)
        case 1:
          try connection.execute(
            sql: "UPDATE t0 SET b = ? WHERE a = ?", parameters: value, .int(key))
        default: try connection.execute(sql: "DELETE FROM t0 WHERE a = ?", parameters: .int(old))
        }
      }
      return try session.changeset()
    }
    let (local, remote) = try (record(here), record(there))
    let rebase = try here.apply(remote) { conflict in
      conflict.canReplace && Bool.random(using: &random) ? .replace : .omit
    }
    let rebaser = try Rebaser()
    try rebaser.add(rebase)
    try there.apply(rebaser.rebase(local)) { conflict in
      Issue.record("\(conflict)")
      return .abort
    }
    let select = "SELECT * FROM t0 ORDER BY a"
    #expect(
      try here.query(.values, sql: select).map(\.values)
        == there.query(.values, sql: select).map(\.values))
  }
}
