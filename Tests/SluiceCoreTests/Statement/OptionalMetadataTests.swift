import SluiceCore
import TestSupport
import Testing

/// Statement metadata that only some builds of SQLite provide; on other builds, reading it throws.
@Suite(.tags(.library, .statements)) struct `optional statement metadata` {
  let db: Connection
  init() throws {
    db = try Connection()
    try db.execute(
      sql: """
        CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT); CREATE INDEX i ON person(name);
        CREATE VIEW v AS SELECT name AS n FROM person; CREATE TEMP TABLE "a b"("c""d");
        INSERT INTO person(name) VALUES ('Ada'), ('Alan'), ('Grace')
        """)
  }

  /// Returns the result of `body`, or nil if the library lacks `capability` and the error reports that.
  private func ifThere<T>(_ capability: SQLiteCapability, _ body: () throws -> T) throws -> T? {
    if SQLiteLibrary.has(capability) { return try body() }
    let error = failure(body)
    #expect(error?.code == .notFound)
    #expect(error?.message.contains(" lacks \(capability); ") == true)
    return nil
  }

  @Test func `a result column reports its origin in a table, even through a view`() throws {
    let sql =
      #"SELECT id AS x, n, "c""d", 1, upper(n), (SELECT n), person.rowid FROM person, v, "a b""#
    let statement = try db.prepare(sql: sql)
    guard let origins = try ifThere(.columnMetadata, { try statement.columnOrigins }) else {
      return
    }
    #expect(
      origins.map { $0.map { [$0.database, $0.table, $0.column] } } == [
        ["main", "person", "id"], ["main", "person", "name"], ["temp", "a b", "c\"d"], nil, nil,
        ["main", "person", "name"], ["main", "person", "id"],
      ])
  }

  @Test func `a statement without columns has no column origins`() throws {
    let statement = try db.prepare(sql: "DELETE FROM person")
    let origins = try ifThere(.columnMetadata) { try statement.columnOrigins }
    #expect(origins == nil || origins == [])
  }

  @Test func `statements that differ in literals and layout have the same normalized SQL`() throws {
    let normalized = try ["SELECT 1, 'a' FROM person", "select  2 , 'b' -- x\n FROM person"].map {
      sql in try ifThere(.normalizedSQL) { try db.prepare(sql: sql).normalizedSQL }
    }
    guard SQLiteLibrary.has(.normalizedSQL) else { return }
    #expect(normalized == ["SELECT?,?FROM person;", "SELECT?,?FROM person;"])
  }

  @Test func `the scan status counts loops and rows until it is reset`() throws {
    let statement = try db.prepare(sql: "SELECT * FROM person WHERE name >= ?")
    try statement.bind("Alan").execute()
    try statement.execute()
    guard let scan = try ifThere(.scanStatus, { try statement.scanStatus }) else {
      #expect(failure { try statement.resetScanStatus() }?.code == .notFound)
      return
    }
    #expect(scan.count == 1)
    #expect(scan.first?.loops == 2)
    #expect(scan.first?.visits == 4)
    #expect(scan.first.map { $0.estimatedRows > 1 } == true)
    #expect(scan.first?.name == "i")
    // Not all processors count.
    if let cycles = scan.first?.cycles { #expect(cycles > 0 && SQLiteVersion.countsCycles) }
    #expect(scan.first?.explanation?.contains("USING COVERING INDEX i (name>?)") == true)
    try statement.resetScanStatus()
    #expect(try statement.scanStatus.map(\.visits) == [0])
  }

  @Test func `reading optional statement metadata throws after the connection closes`() throws {
    let statement = try db.prepare(sql: "SELECT name FROM person")
    try db.close()
    for (capability, body) in [
      (.columnMetadata, { _ = try statement.columnOrigins }),
      (.normalizedSQL, { _ = try statement.normalizedSQL }),
      (.scanStatus, { _ = try statement.scanStatus }),
      (.scanStatus, { try statement.resetScanStatus() }),
    ] as [(SQLiteCapability, () throws -> Void)] {
      let code: ResultCode = SQLiteLibrary.has(capability) ? .misuse : .notFound
      #expect(failure(body)?.code == code)
    }
  }
}
