import SluiceCore
import SluiceTesting
import TestSupport
import Testing

/// Changes that violate constraints, for which SQLite 3.53.4 fails on a connection with extended result codes.
@Suite(.tags(.sessions), .enabled(if: SQLiteLibrary.has(.sessions)))
struct `constraints of applied changes` {
  private func note(_ sql: String) throws -> Connection {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, slug UNIQUE, n); \(sql)")
    return connection
  }

  private func rows(_ connection: Connection) throws -> [[DatabaseValue]] {
    try connection.query(.values, sql: "SELECT * FROM note ORDER BY id").map(\.values)
  }

  @Test(arguments: [false, true])
  func `a change that violates a constraint is told and omitted, and the others are applied`(
    isStream: Bool
  ) throws {
    let rows = "INSERT INTO note VALUES (2, 'b', 1), (3, 'c', 1);"
    let (source, target) = try (note(rows), note(rows + "INSERT INTO note VALUES (1, 'a', 1)"))
    let session = try source.session()
    try source.execute(
      sql: "UPDATE note SET slug = 'a' WHERE id = 2; UPDATE note SET n = 2 WHERE id = 3")
    let changeset = try session.changeset()
    var told: [Changeset.Conflict] = []
    func resolve(_ conflict: Changeset.Conflict) -> Changeset.Conflict.Resolution {
      told.append(conflict)
      return .omit
    }
    if isStream {
      try target.apply(Changeset.Stream([changeset.bytes]), onConflict: resolve)
    } else {
      try target.apply(changeset, onConflict: resolve)
    }
    guard case .constraint(let change) = try #require(told.first) else {
      Issue.record("\(told)")
      return
    }
    #expect(told.count == 1)
    #expect(change.new == [nil, "a", nil])
    #expect(try self.rows(target) == [[1, "a", 1], [2, "b", 1], [3, "c", 2]])
  }

  @Test func `statements in closures and later ones report extended codes with SQLite's message`()
    throws
  {
    let source = try note("INSERT INTO note VALUES (2, 'b', 1)")
    let target = try note("INSERT INTO note VALUES (1, 'a', 1), (2, 'b', 2)")
    try target.addFunction("repeated", options: []) { [unowned target] (slug: String) -> Int in
      let error = failure {
        try target.execute(sql: "INSERT INTO note(slug) VALUES (?)", parameters: slug)
      }
      #expect(error?.code == .constraintUnique)
      #expect(error?.message == "UNIQUE constraint failed: note.slug")
      return 0
    }
    try target.execute(
      sql: """
        CREATE TEMP TRIGGER t AFTER UPDATE ON note BEGIN SELECT repeated(NEW.slug); END
        """)
    let session = try source.session()
    try source.execute(sql: "UPDATE note SET n = 3")
    var count = 0
    func duplicate() {
      let error = failure { try target.execute(sql: "INSERT INTO note VALUES (1, 'x', 1)") }
      #expect(error?.code == .constraintPrimaryKey)
      #expect(error?.message == "UNIQUE constraint failed: note.id")
      count += 1
    }
    try target.apply(session.changeset()) { _ in
      duplicate()
      return .replace
    } filter: { _ in
      duplicate()
      return true
    }
    duplicate()
    #expect(count == 3)
    #expect(try rows(target) == [[1, "a", 1], [2, "b", 3]])
  }

  @Test(arguments: 0..<rounds(60, long: 500))
  func `random exchanges of changesets apply if each conflict is resolved`(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) &* 313 &+ 11)
    let sides = try (note(""), note(""))
    for number in 0..<8 {
      let (source, target) = number % 2 == 0 ? sides : (sides.1, sides.0)
      let session = try source.session()
      for connection in [source, source, source, target, target] {
        let id = Int.random(in: 1...6, using: &random)
        let slug = ["a", "b", "c", "d"].randomElement(using: &random) ?? ""
        let sql =
          switch Int.random(in: 0..<3, using: &random) {
          case 0: "REPLACE INTO note VALUES (\(id), '\(slug)', \(number))"
          case 1: "UPDATE OR REPLACE note SET slug = '\(slug)', n = \(number) WHERE id = \(id)"
          default: "DELETE FROM note WHERE id = \(id)"
          }
        try connection.execute(sql: sql)
      }
      try target.apply(session.changeset()) { conflict in
        conflict.canReplace && Bool.random(using: &random) ? .replace : .omit
      }
      #expect(try target.integrityProblems().isEmpty)
    }
  }
}
