import SluiceCore
import TestSupport
import Testing

/// Damaged bytes are either read as changes or reported as an error, and never crash.
@Suite(.tags(.sessions), .enabled(if: SQLiteLibrary.has(.sessions))) struct `corrupt changesets` {
  private let rows = """
    INSERT INTO person VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30);
    INSERT INTO tag VALUES (1, 'x', 2.5)
    """
  private let sql = """
    UPDATE person SET name = NULL, age = x'0011' WHERE id = 1;
    DELETE FROM person WHERE id = 2;
    INSERT INTO person VALUES (9, 'text', 1.5);
    UPDATE tag SET c = 'y'
    """

  /// Calls every operation with the bytes, and returns whether they are accepted as a changeset.
  private func useAll(_ bytes: [UInt8], _ target: Recording) -> Bool {
    let stream = { Changeset.Stream(chunks(bytes, of: 5)) }
    let streamError = failure { try stream().forEachChange { _ in } }
    guard let changeset = try? Changeset(bytes: bytes) else {
      #expect(streamError != nil)
      #expect(failure { try stream().inverted(to: { _ in }) } != nil)
      #expect(failure { try target.connection.apply(stream()) { _ in .omit } } != nil)
      #expect(failure { try Changeset.Group().add(stream()) } != nil)
      return false
    }
    // The bytes have another meaning now, so these calls may throw or succeed.
    _ = try? changeset.changes()
    _ = changeset.description
    _ = try? changeset.inverted().inverted()
    _ = try? changeset.appending(changeset)
    _ = try? changeset.appending(changeset.inverted())
    _ = try? target.connection.savepoint { connection, command in
      command = .rollback
      let rebase = try connection.apply(changeset) { $0.canReplace ? .replace : .omit }
      let rebaser = try Rebaser()
      try rebaser.add(Changeset.Rebase(bytes: rebase.bytes))
      _ = try rebaser.rebase(changeset)
      try connection.apply(stream(), inverted: true) { _ in .omit }
    }
    #expect(target.connection.isInAutocommit)
    return true
  }

  @Test func `no changed byte of a changeset crashes any operation or changes the target`() throws {
    let bytes = try Recording(rows).changeset(sql).bytes
    let target = try Recording(rows)
    var taken = 0
    for index in bytes.indices {
      for value in [0x00, 0x01, 0x05, 0x7f, 0x80, 0xff, bytes[index] ^ 1, bytes[index] ^ 0x80]
        as [UInt8]
      {
        var damaged = bytes
        damaged[index] = value
        if useAll(damaged, target) { taken += 1 }
      }
    }
    // Most damaged bytes are still valid values.
    #expect(taken > 0)
    #expect(try target.rows().count == 3)
  }

  @Test func `a truncated changeset is valid only if it is cut between two changes`() throws {
    let bytes = try Recording(rows).changeset(sql).bytes
    let target = try Recording(rows)
    var taken: [Int] = []
    for count in 0..<bytes.count where useAll(Array(bytes.prefix(count)), target) {
      taken.append(count)
    }
    // The empty changeset, the ends of the two table headers, and the positions between changes.
    #expect(taken.count == 6)
    #expect(try target.rows().count == 3)
  }

  @Test func `no changed byte of a patchset crashes any operation or changes the target`() throws {
    let bytes = try Recording(rows).patchset(sql).bytes
    let target = try Recording(rows)
    for index in bytes.indices {
      for value in 0...255 as ClosedRange<UInt8> {
        var damaged = bytes
        damaged[index] = value
        guard let patchset = try? Patchset(bytes: damaged) else { continue }
        _ = try? patchset.changes()
        _ = try? patchset.appending(patchset)
        _ = try? target.connection.savepoint { connection, command in
          command = .rollback
          try connection.apply(patchset) { $0.canReplace ? .replace : .omit }
        }
      }
    }
    #expect(try target.rows().count == 3)
  }

  @Test func `damaged conflict resolutions never crash the rebaser`() throws {
    let target = try Recording("INSERT INTO person VALUES (2, 'B', 1), (9, 'z', 0)")
    let changeset = try Recording(rows).changeset(sql)
    let bytes = try target.connection.apply(changeset) { $0.canReplace ? .replace : .omit }.bytes
    #expect(bytes.count > 30)
    for index in bytes.indices {
      for value in 0...255 as ClosedRange<UInt8> {
        var damaged = bytes
        damaged[index] = value
        guard let rebase = try? Changeset.Rebase(bytes: damaged) else { continue }
        let rebaser = try Rebaser()
        guard (try? rebaser.add(rebase)) != nil, let rebased = try? rebaser.rebase(changeset) else {
          continue
        }
        _ = rebased.description
      }
    }
    for count in 0..<bytes.count {
      guard let rebase = try? Changeset.Rebase(bytes: Array(bytes.prefix(count))) else { continue }
      try Rebaser().add(rebase)
    }
  }

  @Test func `the error for a corrupt changeset states the reason`() {
    let cases: [(bytes: [UInt8], reason: String)] = [
      ([18], "18 is not a kind of change"),
      ([0x54, 0], "a table has 0 columns"),
      ([0x54, 0xff, 0xff, 0xff, 0xff, 0xff], "an integer is not terminated"),
      ([0x54, 1, 1, 0], "a table has no name"),
      ([0x54, 1, 0, 0x74, 0], "a table has no primary key"),
      ([0x54, 1, 1, 0x74, 0, 18, 0, 5], "a key is NULL"),
      ([0x54, 1, 1, 0x74, 0, 18, 0, 0], "a value is missing"),
      ([0x54, 1, 1, 0x74, 0, 18, 0, 6], "6 is not a type of value"),
      (
        [0x54, 1, 1, 0x74, 0, 18, 0, 3, 0x8f, 0xff, 0xff, 0xff, 0x7f],
        "a length is invalid (4294967295)"
      ),
      ([0x54, 1, 1, 0x74, 0, 18, 0, 3, 2, 0x61], "the end is missing"),
      (
        [0x54, 1, 1, 0x74, 0, 18, 0, 3, 0, 0x54, 2, 1, 0, 0x54, 0, 9],
        "the columns of a table differ from before"
      ),
    ]
    for (bytes, reason) in cases {
      let error = failure { try Changeset(bytes: bytes) }
      #expect(error?.code == .corrupt)
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
  }
}
