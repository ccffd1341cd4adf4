import SluiceCore
import SluiceExtras
import TestSupport
import Testing

@Suite(.tags(.functions)) struct `UUID functions` {
  private let connection: Connection
  private static let text = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
  private static let hexadecimal = "A0EEBC999C0B4EF8BB6D6BB9BD380A11"

  init() throws {
    connection = try Connection()
    try connection.addUUIDFunctions()
  }

  @Test(arguments: [
    "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "'{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'",
    "'a0eebc999c0b4ef8bb6d6bb9bd380a11'", "'a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11'",
    "'{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}'", "x'a0eebc999c0b4ef8bb6d6bb9bd380a11'",
    "'{a0eebc999c0b4ef8bb6d6bb9bd380a11'", "'-a0eebc999c0b4ef8bb6d6bb9bd380a11}'",
  ])
  func `uuid_str and uuid_blob accept a UUID in every supported form`(_ form: String) throws {
    #expect(try connection.value("SELECT uuid_str(\(form))") == .text(Self.text))
    #expect(try connection.value("SELECT hex(uuid_blob(\(form)))") == .text(Self.hexadecimal))
  }

  @Test(arguments: [
    "'a0eebc999c0b4ef8bb6d6bb9bd380a1'", "'a0eebc999c0b4ef8bb6d6bb9bd380a112'",
    "'a0eebc999c0b4ef8bb6d6bb9bd380a1g'", "x'a0'", "x''", "''", "5", "1.5", "NULL",
    "'a-0eebc999c0b4ef8bb6d6bb9bd380a11'", "'a0--eebc999c0b4ef8bb6d6bb9bd380a11'",
    "'a0eebc999c0b4ef8bb6d6bb9bd380a11-'", "' a0eebc999c0b4ef8bb6d6bb9bd380a11'",
    "'a0eebc999c0b4ef8bb6d6bb9bd380a11' || char(0)", "zeroblob(1000000)",
    "CAST(x'ff' AS TEXT)", "CAST(zeroblob(1000000) AS TEXT)",
  ])
  func `uuid_str and uuid_blob return NULL for an invalid UUID`(_ other: String) throws {
    #expect(try connection.value("SELECT uuid_str(\(other))") == .null)
    #expect(try connection.value("SELECT uuid_blob(\(other))") == .null)
  }

  @Test func `uuid returns distinct UUIDs of version 4`() throws {
    try connection.execute(
      sql: """
        CREATE TABLE t AS
        WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < 200)
        SELECT uuid() AS id FROM c
        """)
    #expect(try connection.value("SELECT count(DISTINCT id) FROM t") == 200)
    #expect(
      try connection.value(
        """
        SELECT count(*) FROM t
        WHERE id = uuid_str(id) AND substr(id, 15, 1) = '4' AND substr(id, 20, 1) IN ('8', '9', 'a', 'b')
        """) == 200)
  }

  @Test func `an index can use uuid_blob but not uuid`() throws {
    try connection.execute(sql: "CREATE TABLE t(id); CREATE INDEX i ON t(uuid_blob(id))")
    #expect(throws: SQLiteError.self) {
      try connection.execute(sql: "CREATE INDEX j ON t(uuid())")
    }
  }
}
