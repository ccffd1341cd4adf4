import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.sessions), .enabled(if: SQLiteLibrary.has(.sessions))) struct `changesets` {
  let recording: Recording

  init() throws {
    recording = try Recording("INSERT INTO person VALUES (1, 'a', 10), (2, 'b', 20)")
  }

  private let mixed = """
    INSERT INTO person VALUES (3, 'c', NULL);
    UPDATE person SET name = 'A' WHERE id = 1;
    DELETE FROM person WHERE id = 2
    """

  private func change(
    _ operation: Changeset.Change.Operation, of changes: [Changeset.Change]
  ) throws -> Changeset.Change {
    try #require(changes.first { $0.operation == operation })
  }

  @Test func `a change contains old and new values, and nil for unchanged columns`() throws {
    let changes = try recording.changeset(mixed).changes()
    #expect(changes.count == 3)
    #expect(changes.allSatisfy { $0.table == "person" && $0.primaryKey == [0] })
    #expect(changes.allSatisfy { $0.columnCount == 3 && !$0.isIndirect })
    let insert = try change(.insert, of: changes)
    #expect(insert.old == [.none, .none, .none])
    #expect(insert.new == [3, "c", .some(.null)])
    let update = try change(.update, of: changes)
    #expect(update.old == [1, "a", .none])
    #expect(update.new == [.none, "A", .none])
    let delete = try change(.delete, of: changes)
    #expect(delete.old == [2, "b", 20])
    #expect(delete.new == [.none, .none, .none])
  }

  @Test func `a patchset contains only keys and new values`() throws {
    let changes = try recording.patchset(mixed).changes()
    #expect(try change(.insert, of: changes).new == [3, "c", .some(.null)])
    let update = try change(.update, of: changes)
    #expect(update.old == [1, .none, .none])
    #expect(update.new == [.none, "A", .none])
    #expect(try change(.delete, of: changes).old == [2, .none, .none])
  }

  @Test func `a primary key of several columns is reported in the order of the key`() throws {
    let changes = try recording.changeset("INSERT INTO tag VALUES (1, 'x', x'00ff')").changes()
    #expect(changes.map(\.primaryKey) == [[1, 0]])
    #expect(changes.map(\.new) == [[1, "x", .blob([0, 255])]])
  }

  @Test func `an inverted changeset undoes the original`() throws {
    let before = try recording.rows()
    let changeset = try recording.changeset(mixed)
    let after = try recording.rows()
    let inverted = try changeset.inverted()
    try recording.connection.apply(inverted)
    #expect(try recording.rows() == before)
    try recording.connection.apply(inverted, inverted: true)
    #expect(try recording.rows() == after)
    var told: [Changeset.Change] = []
    try changeset.forEachInvertedChange { told.append($0) }
    #expect(try told == inverted.changes())
    #expect(try change(.delete, of: told).old == [3, "c", .some(.null)])
  }

  @Test func `appending a changeset or patchset merges changes of the same row`() throws {
    let first = try recording.changeset("UPDATE person SET name = 'x' WHERE id = 1")
    let second = try recording.changeset(
      "UPDATE person SET name = 'y', age = 0; INSERT INTO tag VALUES (1, 'x', 2)")
    let both = try first.appending(second)
    let update = try #require(try both.changes().first { $0.old[0] == 1 })
    #expect(update.old == [1, "a", 10])
    #expect(update.new == [.none, "y", 0])
    #expect(try both.changes().count == 3)
    let patch = try recording.patchset("DELETE FROM person WHERE id = 1")
    let next = try recording.patchset("INSERT INTO person VALUES (1, 'z', 0)")
    #expect(try patch.appending(next).changes().map(\.operation) == [.update])
  }

  @Test func `a changeset group combines the changesets that are added to it`() throws {
    let group = try Changeset.Group()
    #expect(try group.output().isEmpty)
    let first = try recording.changeset("INSERT INTO person(id) VALUES (4)")
    let second = try recording.changeset("DELETE FROM person WHERE id = 4")
    try group.add(first)
    #expect(try group.output().changes() == first.changes())
    try group.add(Changeset.Stream(chunks(second.bytes, of: 3)))
    #expect(try group.output().changes().isEmpty)
    let patches = try Patchset.Group()
    try patches.add(recording.patchset("UPDATE person SET age = 1"))
    #expect(try patches.output().changes().count == 2)
    // The bytes of this patchset end with a key, and SQLite reads past the key.
    try patches.add(recording.patchset("DELETE FROM person WHERE id = 1"))
    #expect(try patches.output().changes().map(\.operation).contains(.delete))
  }

  @Test
  func `adding different table columns to a group throws, and so does every later call of it`()
    throws
  {
    let other = try Connection()
    try other.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name)")
    let session = try other.session()
    try other.execute(sql: "INSERT INTO person VALUES (1, 'x')")
    let changeset = try recording.changeset("DELETE FROM person")
    let group = try Changeset.Group()
    try group.add(changeset)
    let strange = try session.changeset()
    #expect(failure { try group.add(strange) }?.code == .schema)
    #expect(failure { try group.output() }?.code == .schema)
    #expect(failure { try changeset.appending(strange) }?.code == .schema)
  }

  @Test func `a changeset group cannot be used by the closures that it calls`() throws {
    let group = try Changeset.Group()
    try group.add(recording.changeset(mixed))
    var refused: [ResultCode?] = []
    try group.output { chunk in
      refused.append(failure { try group.output() }?.code)
      refused.append(failure { try group.add(Changeset(bytes: chunk)) }?.code)
    }
    let stream = Changeset.Stream {
      refused.append(failure { try group.output() }?.code)
      return nil
    }
    try group.add(stream)
    #expect(refused == [.misuse, .misuse, .misuse])
    #expect(try group.output().changes().count == 3)
  }

  @Test func `a changeset can be created from its bytes, but not from the bytes of a patchset`()
    throws
  {
    let changeset = try recording.changeset(mixed)
    #expect(try Changeset(bytes: changeset.bytes) == changeset)
    #expect(try Set([changeset, Changeset(bytes: changeset.bytes)]).count == 1)
    #expect(failure { try Patchset(bytes: changeset.bytes) }?.code == .mismatch)
    let patchset = try recording.patchset("DELETE FROM person")
    #expect(failure { try Changeset(bytes: patchset.bytes) }?.code == .mismatch)
    #expect(try Changeset(bytes: []).isEmpty)
    #expect(!changeset.isEmpty)
  }

  @Test func `a closure that throws ends the iteration over the changes`() throws {
    var count = 0
    let error = failure {
      try recording.changeset(mixed).forEachChange { _ in
        count += 1
        throw SQLiteError(.abort, "enough")
      }
    }
    #expect(error?.message == "enough")
    #expect(count == 1)
  }

  @Test func `a changeset with text that is not UTF-8 can be applied but not read`() throws {
    let changeset = try recording.changeset(
      "INSERT INTO person VALUES (9, CAST(x'61ff62' AS TEXT), 1)")
    #expect(failure { try changeset.changes() }?.code == .mismatch)
    #expect(changeset.description.contains("not valid UTF-8"))
    let other = try Recording()
    try other.connection.apply(changeset)
    #expect(try other.connection.value("SELECT hex(name) FROM person") == "61FF62")
  }
}
