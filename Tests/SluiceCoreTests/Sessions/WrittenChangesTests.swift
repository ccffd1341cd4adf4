import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.sessions), .enabled(if: SQLiteLibrary.has(.sessions)))
struct `changes without a session` {
  let recording: Recording

  init() throws {
    recording = try Recording("INSERT INTO person VALUES (1, 'a', 10), (2, 'b', 20)")
  }

  private func person(
    _ operation: Changeset.Change.Operation, old: [DatabaseValue?] = [], new: [DatabaseValue?] = []
  ) throws -> Changeset.Change {
    try Changeset.Change(operation, in: "person", primaryKey: [0], old: old, new: new)
  }

  @Test func `changes are applied like those that a session has recorded`() throws {
    let changes = try [
      person(.insert, new: [3, "c", .some(.null)]),
      person(.update, old: [1, "a", 10], new: [nil, "A", nil]),
      person(.delete, old: [2, "b", 20]),
      Changeset.Change(.insert, in: "tag", primaryKey: [1, 0], new: [1, "x", .blob([0, 255])]),
    ]
    let changeset = try Changeset(changes: changes)
    try recording.connection.apply(changeset)
    #expect(try recording.rows() == [[1, "A", 10], [3, "c", .null]])
    #expect(try recording.rows("tag") == [[1, "x", .blob([0, 255])]])
    try recording.connection.apply(changeset.inverted())
    #expect(try recording.rows() == [[1, "a", 10], [2, "b", 20]])
  }

  @Test func `a row that differs from the old values of a change is a conflict`() throws {
    let changeset = try Changeset(changes: [
      person(.update, old: [1, "z", 0], new: [nil, "A", nil]),
      person(.delete, old: [2, "z", 20]),
    ])
    var rows: [[DatabaseValue]?] = []
    try recording.connection.apply(changeset) { conflict in
      rows.append(conflict.row)
      return .omit
    }
    #expect(Set(rows) == [[1, "a", 10], [2, "b", 20]])
  }

  private let mixed = """
    INSERT INTO person VALUES
      (3, '', x''), (4, 'a' || char(0) || 'b', 1e-5), (-1, 'é', -9223372036854775808),
      (9223372036854775807, NULL, 9e999), (5, printf('%.127c', 'x'), zeroblob(128)),
      (6, printf('%.16383c', 'x'), zeroblob(16384)), (7, printf('%.2097151c', 'x'), zeroblob(2097152));
    UPDATE person SET name = NULL WHERE id = 1;
    DELETE FROM person WHERE id = 2;
    INSERT INTO tag VALUES (1.5, 'x', NULL), (x'00', '', 2);
    """

  @Test func `the changes of a changeset become the same changeset`() throws {
    let changeset = try recording.changeset(mixed)
    let written = try Changeset(changes: changeset.changes())
    #expect(try Set(written.changes()) == Set(changeset.changes()))
    #expect(written.bytes.count == changeset.bytes.count)
    let other = try Recording("INSERT INTO person VALUES (1, 'a', 10), (2, 'b', 20)")
    try other.connection.apply(written)
    #expect(try other.rows() == recording.rows())
    #expect(try other.rows("tag") == recording.rows("tag"))
  }

  @Test func `the changes of a changeset become the patchset of the same session`() throws {
    let session = try recording.connection.session()
    try recording.connection.execute(sql: mixed)
    let patchset = try session.patchset()
    for changes in [try session.changeset().changes(), try patchset.changes()] {
      let written = try Patchset(changes: changes)
      #expect(try Set(written.changes()) == Set(patchset.changes()))
      #expect(written.bytes.count == patchset.bytes.count)
    }
    let error = failure { try Changeset(changes: patchset.changes()) }
    #expect(error?.code == .mismatch)
  }

  @Test func `no changes become an empty changeset`() throws {
    #expect(try Changeset(changes: []).isEmpty)
    #expect(try Patchset(changes: []).bytes.isEmpty)
  }

  @Test func `several changes to one row are combined in their order`() throws {
    let changes = try [
      person(.insert, new: [3, "c", 0]), person(.update, old: [3, "c", 0], new: [nil, "d", nil]),
      person(.delete, old: [1, "a", 10]), person(.insert, new: [1, "z", 10]),
      person(.update, old: [2, "b", 20], new: [nil, "c", nil]), person(.delete, old: [2, "c", 20]),
    ]
    let combined = try Changeset(changes: changes).changes()
    let expected = try [
      person(.insert, new: [3, "d", 0]),
      person(.update, old: [1, "a", nil], new: [nil, "z", nil]),
      person(.delete, old: [2, "b", 20]),
    ]
    #expect(Set(combined) == Set(expected))
    #expect(combined.count == 3)
  }

  @Test func `old values of columns that an update leaves unchanged are ignored`() throws {
    let update = try person(.update, old: [1, "a", 10], new: [1, nil, 11])
    #expect(update.new == [nil, nil, 11])
    #expect(update.old == [1, nil, 10])
    let recorded = try recording.changeset("UPDATE person SET age = 11 WHERE id = 1")
    #expect(try recorded.changes() == [update])
    #expect(try Changeset(changes: [update]) == recorded)
  }

  @Test func `an indirect change stays indirect`() throws {
    let change = try Changeset.Change(
      .delete, in: "person", primaryKey: [0], old: [1, "a", 10], isIndirect: true)
    #expect(try Changeset(changes: [change]).changes() == [change])
    #expect(change.isIndirect)
  }

  @Test func `a NaN is recorded as NULL`() throws {
    let insert = try person(.insert, new: [3, .real(.nan), 1])
    #expect(try Changeset(changes: [insert]).changes().map(\.new) == [[3, .some(.null), 1]])
    let key = try person(.insert, new: [.real(.nan), "a", 1])
    #expect(failure { try Changeset(changes: [key]) }?.code == .corrupt)
  }

  @Test func `a change with too few or too many values throws misuse`() {
    for body in [
      { _ = try person(.insert, new: [1, nil, 2]) },
      { _ = try person(.insert, old: [1, "a", 2]) },
      { _ = try person(.delete, new: [1, "a", 2]) },
      { _ = try person(.insert) },
      { _ = try person(.insert, old: [1, "a", 2], new: [1, "a", 2]) },
      { _ = try person(.insert, new: [.some(.null), "a", 2]) },
      { _ = try person(.delete, old: [1, "a", 2], new: [1, "a", 2]) },
      { _ = try person(.delete, old: [nil, "a", 2]) },
      { _ = try person(.update, old: [1, "a"], new: [nil, "b", 2]) },
      { _ = try person(.update, old: [1, "a", 2], new: []) },
      { _ = try person(.update, old: [1, "a", 2], new: [nil, nil, nil]) },
      { _ = try person(.update, old: [nil, "a", 2], new: [nil, "b", nil]) },
      { _ = try person(.update, old: [1, "a", 2], new: [.some(.null), "b", nil]) },
      { _ = try person(.update, old: [1, "a", 2], new: [2, "b", nil]) },
      { _ = try person(.update, old: [1, "a", 2], new: [1, nil, nil]) },
      { _ = try Changeset.Change(.insert, in: "", primaryKey: [0], new: [1]) },
      { _ = try Changeset.Change(.insert, in: "a\0b", primaryKey: [0], new: [1]) },
    ] as [() throws -> Void] {
      #expect(failure(body)?.code == .misuse)
    }
  }

  @Test(arguments: [[], [3], [-1], [0, 0], [0, 3], [.min], [.max]])
  func `a key that names no column or one twice throws range`(_ key: [Int]) {
    #expect(
      failure { try Changeset.Change(.insert, in: "t", primaryKey: key, new: [1, 2, 3]) }?.code
        == .range)
  }

  @Test func `a changeset of an update without the old value throws mismatch`() throws {
    let update = try person(.update, old: [1, nil, nil], new: [nil, "b", nil])
    #expect(failure { try Changeset(changes: [update]) }?.code == .mismatch)
    #expect(try Patchset(changes: [update]).changes() == [update])
  }

  @Test func `changes that describe one table differently throw schema`() throws {
    let first = try person(.insert, new: [3, "c", 0])
    let tag = try Changeset.Change(.insert, in: "tag", primaryKey: [1, 0], new: [1, "x", 2])
    for (table, key) in [("person", [0]), ("PERSON", [0]), ("person", [1, 0])] {
      let other = try Changeset.Change(.insert, in: table, primaryKey: key, new: [4, "d"])
      for changes in [[first, other], [first, tag, other]] {
        #expect(failure { try Changeset(changes: changes) }?.code == .schema)
        #expect(failure { try Patchset(changes: changes) }?.code == .schema)
      }
    }
    let swapped = try Changeset.Change(.insert, in: "tag", primaryKey: [0, 1], new: [1, "x", 2])
    #expect(failure { try Changeset(changes: [tag, swapped]) }?.code == .schema)
    // SQLite ignores the case of names.
    let upper = try Changeset.Change(.insert, in: "PERSON", primaryKey: [0], new: [4, "d", 0])
    let both = try Changeset(changes: [first, tag, upper, tag])
    try recording.connection.apply(both)
    #expect(try recording.rows().count == 4)
  }

  @Test func `a table with more columns than SQLite has throws range`() throws {
    let wide = try Changeset.Change(
      .insert, in: "t", primaryKey: [0], new: Array(repeating: 1, count: 65_537))
    #expect(failure { try Changeset(changes: [wide]) }?.code == .range)
  }

  @Test func `a filter selects individual changes`() throws {
    let changeset = try recording.changeset(mixed)
    let inserts = try changeset.filter { $0.operation == .insert && $0.table == "person" }
    #expect(try Set(inserts.changes().map(\.operation)) == [.insert])
    #expect(try inserts.changes().count == 7)
    #expect(try changeset.filter { _ in false }.isEmpty)
    #expect(try Set(changeset.filter { _ in true }.changes()) == Set(changeset.changes()))
    struct Refusal: Error {}
    #expect(throws: Refusal.self) { try changeset.filter { _ in throw Refusal() } }
  }

  @Test func `tables whose names differ in their Unicode form only stay apart`() throws {
    let names = ["caf\u{e9}", "cafe\u{301}"]
    let schema =
      "CREATE TABLE \(names[0])(id INTEGER PRIMARY KEY, v); "
      + "CREATE TABLE \(names[1])(id INTEGER PRIMARY KEY, v, w);"
    let (source, copy) = try (Connection(), Connection())
    for connection in [source, copy] { try connection.execute(sql: schema) }
    let session = try source.session()
    try source.execute(
      sql: """
        INSERT INTO \(names[0]) VALUES (1, 'first');
        INSERT INTO \(names[1]) VALUES (1, 'second', 1), (2, 'third', 2)
        """)
    let changeset = try session.changeset()
    for written in try [changeset.filter { _ in true }, source.upgraded(changeset)] {
      try copy.apply(written)
      for name in names {
        let sql = "SELECT * FROM \(name) ORDER BY id"
        #expect(try copy.query(.values, sql: sql) == source.query(.values, sql: sql))
      }
      try copy.apply(written.inverted())
    }
    let script = try source.sql(for: changeset)
    try copy.execute(sql: script)
    #expect(try copy.first(.column(.string), sql: "SELECT v FROM \(names[0])") == "first")
  }

  @Test func `a filter throws mismatch for text that is not UTF-8`() throws {
    let changeset = try recording.changeset(
      "INSERT INTO person VALUES (3, CAST(x'ff' AS TEXT), NULL)")
    #expect(failure { try changeset.filter { _ in true } }?.code == .mismatch)
  }
}
