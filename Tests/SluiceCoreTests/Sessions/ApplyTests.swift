import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.sessions), .enabled(if: SQLiteLibrary.has(.sessions))) struct `applying changes` {
  let source: Recording
  let target: Recording

  init() throws {
    source = try Recording("INSERT INTO person VALUES (1, 'a', 10), (2, 'b', 20)")
    target = try Recording("INSERT INTO person VALUES (1, 'a', 10), (2, 'b', 20)")
  }

  @Test func `applying a changeset or patchset reproduces the changes of its source`() throws {
    let sql = "UPDATE person SET age = 11 WHERE id = 1; DELETE FROM person WHERE id = 2"
    let rebase = try target.connection.apply(source.changeset(sql))
    #expect(try target.rows() == source.rows())
    #expect(rebase.isEmpty)
    try target.connection.apply(source.patchset("INSERT INTO person VALUES (5, 'x', 1)"))
    #expect(try target.rows() == source.rows())
  }

  @Test func `a conflict with a changed row can be resolved by omit or replace`() throws {
    let changeset = try source.changeset("UPDATE person SET name = 'new' WHERE id = 1")
    try target.connection.execute(sql: "UPDATE person SET name = 'theirs' WHERE id = 1")
    var conflicts: [Changeset.Conflict] = []
    try target.connection.apply(changeset) { conflict in
      conflicts.append(conflict)
      return .omit
    }
    let change = try #require(try changeset.changes().first)
    #expect(conflicts == [.data(change, row: [1, "theirs", 10])])
    #expect(conflicts[0].canReplace)
    #expect(conflicts[0].row == [1, "theirs", 10])
    #expect(try target.rows()[0] == [1, "theirs", 10])
    try target.connection.apply(changeset) { _ in .replace }
    #expect(try target.rows()[0] == [1, "new", 10])
  }

  @Test func `a conflict reports text that is not UTF-8 as a blob`() throws {
    let changeset = try source.changeset(
      "INSERT INTO person VALUES (3, CAST(x'61ff' AS TEXT), 1)")
    try target.connection.execute(
      sql: "INSERT INTO person VALUES (3, CAST(x'ff62' AS TEXT), 2)")
    for resolution in [Changeset.Conflict.Resolution.omit, .replace] {
      var seen: [Changeset.Conflict] = []
      try target.connection.apply(changeset) { conflict in
        seen.append(conflict)
        return resolution
      }
      #expect(seen.map(\.row) == [[3, .blob([0xff, 0x62]), 2]])
      #expect(seen.map { $0.change?.new } == [[3, .blob([0x61, 0xff]), 1]])
    }
    let name = "SELECT typeof(name) || hex(name) FROM person WHERE id = 3"
    #expect(try target.connection.value(name) == "text61FF")
  }

  @Test func `resolving a conflict with a missing row by replace throws`() throws {
    let changeset = try source.changeset("DELETE FROM person WHERE id = 2")
    try target.connection.execute(sql: "DELETE FROM person WHERE id = 2")
    var seen: [Changeset.Conflict] = []
    let error = failure {
      try target.connection.apply(changeset) { conflict in
        seen.append(conflict)
        return .replace
      }
    }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("There is no row to replace") == true)
    #expect(try seen == [.notFound(#require(changeset.changes().first))])
    #expect(seen.first?.canReplace == false)
    try target.connection.apply(changeset) { _ in .omit }
  }

  @Test func `an insert that conflicts with an existing row can replace the row`() throws {
    let changeset = try source.changeset("INSERT INTO person VALUES (3, 'mine', 1)")
    try target.connection.execute(sql: "INSERT INTO person VALUES (3, 'theirs', 2)")
    var seen: [Changeset.Conflict] = []
    try target.connection.apply(changeset) { conflict in
      seen.append(conflict)
      return .replace
    }
    #expect(
      try seen == [.conflict(#require(changeset.changes().first), row: [3, "theirs", 2])])
    #expect(try target.rows() == source.rows())
  }

  @Test func `a change that violates a constraint can be omitted, but replace throws misuse`()
    throws
  {
    try target.connection.execute(sql: "CREATE UNIQUE INDEX i ON person(name)")
    let changeset = try source.changeset("INSERT INTO person VALUES (3, 'a', 1)")
    var seen: [Changeset.Conflict] = []
    let error = failure {
      try target.connection.apply(changeset) { conflict in
        seen.append(conflict)
        return .replace
      }
    }
    #expect(error?.code == .misuse)
    #expect(try seen == [.constraint(#require(changeset.changes().first))])
    try target.connection.apply(changeset) { _ in .omit }
    #expect(try target.rows().count == 2)
  }

  @Test func `apply reports foreign key violations after all changes are applied`() throws {
    for recording in [source, target] {
      try recording.connection.execute(
        sql: """
          PRAGMA foreign_keys = ON;
          CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES person(id));
          INSERT INTO person VALUES (7, 'parent', 0)
          """)
    }
    let changeset = try source.changeset("INSERT INTO child VALUES (1, 7)")
    try target.connection.execute(sql: "DELETE FROM person WHERE id = 7")
    let error = failure { try target.connection.apply(changeset) }
    #expect(error?.code == .constraintForeignKey)
    #expect(error?.message == "1 foreign keys are violated")
    var seen: [Changeset.Conflict] = []
    #expect(
      failure {
        try target.connection.apply(changeset) { conflict in
          seen.append(conflict)
          return .replace
        }
      }?.code == .misuse)
    #expect(try target.rows("child").isEmpty)
    try target.connection.apply(changeset) { _ in .omit }
    #expect(seen == [.foreignKeys(violations: 1)])
    #expect(seen[0].change == nil)
    #expect(try target.rows("child") == [[1, 7]])
  }

  @Test func `without a conflict handler, the first conflict undoes all changes`() throws {
    let changeset = try source.changeset(
      "INSERT INTO person VALUES (0, 'z', 1); UPDATE person SET age = 0 WHERE id = 1")
    try target.connection.execute(sql: "DELETE FROM person WHERE id = 1")
    let before = try target.rows()
    let error = failure { try target.connection.apply(changeset) }
    #expect(error?.code == .abort)
    #expect(error?.message.hasPrefix("A row of person is missing: UPDATE") == true)
    #expect(try target.rows() == before)
    #expect(target.connection.isInAutocommit)
  }

  @Test func `the filter of apply selects the tables whose changes are applied`() throws {
    let changeset = try source.changeset(
      "INSERT INTO person(id) VALUES (8); INSERT INTO tag VALUES (1, 'x', 2)")
    var asked: [String] = []
    try target.connection.apply(
      changeset,
      filter: { table in
        asked.append(table)
        return table == "tag"
      })
    #expect(asked.sorted() == ["person", "tag"])
    #expect(try target.rows("tag").count == 1)
    #expect(try target.rows().count == 2)
  }

  @Test func `apply skips tables that are missing or do not match the changeset`() throws {
    let changeset = try source.changeset("INSERT INTO person VALUES (8, 'x', 1)")
    let other = try Connection()
    try other.apply(changeset)
    for table in ["person(id INTEGER PRIMARY KEY)", "person(id, name PRIMARY KEY, age)"] {
      try other.execute(sql: "DROP TABLE IF EXISTS person; CREATE TABLE \(table)")
      try other.apply(changeset)
      #expect(try other.value("SELECT count(*) FROM person") == 0)
    }
    try other.execute(
      sql:
        "DROP TABLE person; CREATE TABLE person(id INTEGER PRIMARY KEY, name, age, more DEFAULT 5)")
    try other.apply(changeset)
    #expect(
      try other.query(.values, sql: "SELECT * FROM person").map(\.values) == [[8, "x", 1, 5]])
  }

  @Test func `rows that exchange unique values keep the rows that refer to them`() throws {
    let schema = """
      CREATE TABLE parent(id INTEGER PRIMARY KEY, slug UNIQUE);
      CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES parent ON DELETE CASCADE);
      INSERT INTO parent VALUES (1, 'a'), (2, 'b'); INSERT INTO child VALUES (1, 1), (2, 2)
      """
    var configuration = Configuration()
    configuration.foreignKeys = true
    let (one, other) = try (Connection(), Connection(configuration: configuration))
    for connection in [one, other] { try connection.execute(sql: schema) }
    let session = try one.session()
    try one.execute(
      sql: """
        UPDATE parent SET slug = 'c' WHERE id = 1; UPDATE parent SET slug = 'a' WHERE id = 2;
        UPDATE parent SET slug = 'b' WHERE id = 1
        """)
    // The exchange is a conflict, whichever version applies it.
    var count = 0
    try other.apply(session.changeset()) { conflict in
      if case .constraint = conflict { count += 1 } else { Issue.record("\(conflict)") }
      return .omit
    }
    #expect(count == 2)
    #expect(try other.value("SELECT count(*) FROM child") == 2)
    #expect(try other.value("SELECT count(*) FROM parent") == 2)
  }

  @Test func `newer apply options throw if SQLite does not support them`() throws {
    let changeset = try source.changeset("DELETE FROM person WHERE id = 2")
    try target.connection.execute(sql: "DELETE FROM person WHERE id = 2")
    for option in [Changeset.ApplyOptions.ignoresWhatIsDone, .withoutForeignKeyActions] {
      let error = failure {
        try target.connection.apply(
          changeset, options: [option, .ignoresWhatIsDone])
      }
      #expect((error?.code == .notFound) == !SQLiteVersion.hasNewApplyOptions)
    }
  }

  @Test func `applying changes to a read-only connection throws`() throws {
    let folder = try TestFolder()
    try Connection(path: folder.file()).execute(sql: Recording.schema)
    let reader = try Connection(path: folder.file(), readOnly: true)
    let changeset = try source.changeset("INSERT INTO person VALUES (8, 'x', 1)")
    #expect(failure { try reader.apply(changeset) }.map { .readOnly ~= $0.code } == true)
    #expect(reader.isInAutocommit)
    // A session on a read-only connection has nothing to record.
    #expect(try reader.session().changeset().isEmpty)
  }

  @Test func `applying changes to a locked database throws busy and leaves no transaction open`()
    throws
  {
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.busyTimeout = nil
    let (first, second) = try (
      Connection(path: folder.file(), configuration: configuration),
      Connection(path: folder.file(), configuration: configuration)
    )
    try first.execute(sql: Recording.schema + "BEGIN IMMEDIATE")
    let changeset = try source.changeset("INSERT INTO person VALUES (8, 'x', 1)")
    #expect(failure { try second.apply(changeset) }.map { .busy ~= $0.code } == true)
    #expect(second.isInAutocommit)
    try first.execute(sql: "ROLLBACK")
    try second.apply(changeset)
  }
}
