import SluiceCore
import TestSupport
import Testing

/// The cases that SQLite documents: local changes, conflicting remote changes, and the rebased local changes.
@Suite(.tags(.sessions), .enabled(if: SQLiteLibrary.has(.sessions))) struct `rebasing changesets` {
  struct Case: Sendable, CustomTestStringConvertible {
    let local: String
    let remote: String
    let resolution: Changeset.Conflict.Resolution
    let rebased: String
    var testDescription: String { "\(local) after \(remote), \(resolution)" }
  }

  private static let insert = "INSERT INTO t VALUES (1, 'v1', 'w')"
  private static let otherInsert = "INSERT INTO t VALUES (1, 'v2', 'w')"
  private static let delete = "DELETE FROM t WHERE a = 5"
  private static let update = "UPDATE t SET b = 'local' WHERE a = 5"
  private static let wideUpdate = "UPDATE t SET b = 'local', c = 'local' WHERE a = 5"
  private static let otherUpdate = "UPDATE t SET b = 'remote' WHERE a = 5"

  static let cases = [
    Case(
      local: insert, remote: otherInsert, resolution: .omit,
      rebased: #"UPDATE "t" SET column0 = 1, column1 = 'v1', column2 = 'w' WHERE column0 = 1"#),
    Case(local: insert, remote: otherInsert, resolution: .replace, rebased: ""),
    Case(local: delete, remote: delete, resolution: .omit, rebased: ""),
    Case(
      local: delete, remote: otherUpdate, resolution: .omit,
      rebased: #"DELETE FROM "t" WHERE column0 = 5"#),
    Case(
      local: update, remote: delete, resolution: .omit,
      rebased: #"INSERT INTO "t"(column0, column1, column2) VALUES (5, 'local', 'z')"#),
    Case(local: update, remote: delete, resolution: .replace, rebased: ""),
    Case(
      local: update, remote: otherUpdate, resolution: .omit,
      rebased: #"UPDATE "t" SET column1 = 'local' WHERE column0 = 5"#),
    Case(local: update, remote: otherUpdate, resolution: .replace, rebased: ""),
    Case(
      local: wideUpdate, remote: otherUpdate, resolution: .replace,
      rebased: #"UPDATE "t" SET column2 = 'local' WHERE column0 = 5"#),
  ]

  private func site() throws -> Connection {
    let connection = try Connection()
    try connection.execute(
      sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c); INSERT INTO t VALUES (5, 'y', 'z')")
    return connection
  }

  private func changeset(_ connection: Connection, _ sql: String) throws -> Changeset {
    let session = try connection.session()
    try connection.execute(sql: sql)
    return try session.changeset()
  }

  @Test(arguments: cases)
  func `a rebased change equals the result that SQLite documents`(_ example: Case) throws {
    let (here, there) = try (site(), site())
    let local = try changeset(here, example.local)
    let remote = try changeset(there, example.remote)
    let rebase = try here.apply(remote) { _ in example.resolution }
    #expect(!rebase.isEmpty)
    let rebaser = try Rebaser()
    try rebaser.add(Changeset.Rebase(bytes: rebase.bytes))
    let rebased = try rebaser.rebase(local)
    #expect(rebased.description == example.rebased)
    #expect(rebased.isEmpty == example.rebased.isEmpty)

    // The other site already has its own change, and must apply the rebased change without a conflict.
    try there.apply(rebased) { conflict in
      Issue.record("\(conflict)")
      return .omit
    }
    let select = "SELECT * FROM t ORDER BY a"
    #expect(
      try here.query(.values, sql: select).map(\.values)
        == there.query(.values, sql: select).map(\.values))

    var bytes: [UInt8] = []
    try rebaser.rebase(Changeset.Stream(chunks(local.bytes, of: 2))) { bytes += $0 }
    #expect(bytes == rebased.bytes)
  }

  @Test func `rebasing without conflicts returns the changeset unchanged`() throws {
    let local = try changeset(site(), Self.insert)
    #expect(try Rebaser().rebase(local) == local)
    #expect(try site().apply(local).isEmpty)
  }

  @Test func `a rebaser rejects a table whose columns differ`() throws {
    let (here, there) = try (site(), site())
    _ = try changeset(here, Self.update)
    let rebase = try here.apply(changeset(there, Self.otherUpdate)) { _ in .omit }
    let other = try Connection()
    try other.execute(sql: "CREATE TABLE T(a INTEGER PRIMARY KEY, b, c, d)")
    let wide = try changeset(other, "INSERT INTO t VALUES (1, 2, 3, 4)")
    let rebaser = try Rebaser()
    try rebaser.add(rebase)
    #expect(failure { try rebaser.rebase(wide) }?.code == .schema)
    let stream = Changeset.Stream([wide.bytes])
    #expect(failure { try rebaser.rebase(stream) { _ in } }?.code == .schema)
    try other.execute(sql: "DELETE FROM t; INSERT INTO t VALUES (1, 2, 3, 5)")
    let wideRebase = try other.apply(wide) { _ in .omit }
    #expect(failure { try rebaser.add(wideRebase) }?.code == .schema)
    #expect(try rebaser.rebase(changeset(site(), Self.update)).changes().count == 1)
  }

  @Test func `a rebaser cannot be used by the closures that it calls`() throws {
    let rebaser = try Rebaser()
    let local = try changeset(site(), Self.insert)
    var codes: [ResultCode?] = []
    try rebaser.rebase(Changeset.Stream([local.bytes])) { _ in
      codes.append(failure { try rebaser.rebase(local) }?.code)
      codes.append(failure { try rebaser.add(Changeset.Rebase(bytes: [])) }?.code)
    }
    #expect(codes == [.misuse, .misuse])
  }
}
