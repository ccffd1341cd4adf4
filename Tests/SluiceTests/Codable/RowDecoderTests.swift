import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `decoding rows` {
  let db: Connection
  init() throws { db = try .withPeople() }

  @Test func `each query method decodes rows`() throws {
    let people = [Person.ada, Person.alan]
    #expect(try db.query(Person.self, sql: "SELECT * FROM person") == people)
    #expect(
      try db.query(Person.self, sql: "SELECT * FROM person WHERE id > ?", parameters: 1)
        == [Person.alan])
    #expect(
      try db.query(Person.self, sql: "SELECT * FROM person WHERE id > ?", parameters: [1])
        == [Person.alan])
    #expect(
      try db.query(Person.self, sql: "SELECT * FROM person WHERE id > :x", parameters: [":x": 1])
        == [Person.alan])
    #expect(try db.query(Person.self, "SELECT * FROM person WHERE id > \(1)") == [Person.alan])
    #expect(try db.first(Person.self, sql: "SELECT * FROM person") == Person.ada)
    #expect(
      try db.first(Person.self, sql: "SELECT * FROM person WHERE id = ?", parameters: 2)
        == Person.alan)
    #expect(
      try db.first(Person.self, sql: "SELECT * FROM person WHERE id = ?", parameters: [2])
        == Person.alan)
    #expect(
      try db.first(Person.self, sql: "SELECT * FROM person WHERE id = :x", parameters: ["x": 2])
        == Person.alan)
    #expect(try db.first(Person.self, "SELECT * FROM person WHERE id = \(3)") == nil)
    let statement = try db.prepare(sql: "SELECT * FROM person")
    #expect(try statement.query(Person.self) == people)
    #expect(try statement.first(Person.self) == Person.ada)
    #expect(try statement.map { row in try row.decode() } == people)
    #expect(try db.query(.decoding(Person.self), sql: "SELECT * FROM person") == people)
    #expect(try TableMapper("person", .decoding(Person.self)).all(in: db) == people)
    let decoder = RowDecoder()
    #expect(try statement.map { row in try decoder.decode(Person.self, from: row) } == people)
    #expect(
      try db.query(.decoding(Person.self, by: decoder), sql: "SELECT * FROM person") == people)
  }

  private static let kept = Kept()

  /// Stores a decoding container beyond the call in which a type received it.
  private final class Kept: @unchecked Sendable {
    var container: KeyedDecodingContainer<Keeper.Keys>?
  }

  private struct Keeper: Decodable {
    enum Keys: CodingKey { case a }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      #expect(try container.decode(Int.self, forKey: .a) == 1)
      kept.container = container
    }
  }

  @Test func `using a retained decoding container after the call throws`() throws {
    #expect(try db.first(Keeper.self, sql: "SELECT 1 AS a") != nil)
    let container = try #require(Self.kept.container)
    #expect(throws: SQLiteError.self) { try container.decode(Int.self, forKey: .a) }
    #expect(throws: SQLiteError.self) { try container.decodeIfPresent(Int.self, forKey: .a) }
    // `contains` returns true, so that the caller decodes the key and receives the error.
    #expect(container.contains(.a))
    #expect(container.allKeys.isEmpty)
  }

  @Test func `a cached statement does not retain the userInfo of a decoder`() throws {
    final class Companion: Sendable {}
    let key = try #require(CodingUserInfoKey(rawValue: "companion"))
    for hits in 0...2 {
      weak var companion: Companion?
      do {
        let info = [key: Companion()]
        companion = info[key]
        let decoder = RowDecoder(userInfo: info)
        let sql = "SELECT 1 UNION ALL SELECT 2"
        #expect(try db.query(.decoding(Int.self, by: decoder), sql: sql) == [1, 2])
      }
      #expect(db.statementCacheStatistics.hits == hits)
      #expect(companion == nil)
    }
  }

  @Test func `a deinit in a decoder's userInfo can change the schema or close the connection`()
    throws
  {
    final class Last: @unchecked Sendable {
      let act: () -> Void
      init(_ act: @escaping () -> Void) { self.act = act }
      deinit { act() }
    }
    let key = try #require(CodingUserInfoKey(rawValue: "last"))
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    func read(_ act: @escaping () -> Void) throws -> [Int] {
      var decoder: RowDecoder? = RowDecoder(userInfo: [key: Last(act)])
      var values: [Int] = []
      try db.execute(sql: "SELECT a FROM t") { row in
        values.append(try #require(decoder).decode(from: row))
        // From here on, only the statement retains the `userInfo` of the decoder.
        decoder = nil
      }
      return values
    }
    #expect(try read { _ = refusal { try db.execute(sql: "CREATE TEMP TABLE t(a)") } } == [1])
    #expect(try read {} == [])
    try db.execute(sql: "INSERT INTO t VALUES (2)")
    #expect(try read { _ = refusal { try db.close() } } == [2])
    #expect(throws: SQLiteError.self) { try read {} }
  }

  @Test func `a prepared statement finds its columns again after a schema change`() throws {
    try db.execute(sql: "CREATE TABLE t(name, age); INSERT INTO t VALUES ('Rex', 3)")
    let statement = try db.prepare(sql: "SELECT * FROM t")
    #expect(try statement.query(Pet.self) == [Pet(name: "Rex", age: 3)])
    try db.execute(
      sql: """
        DROP TABLE t;
        CREATE TABLE t(id, age, name); INSERT INTO t VALUES (1, 4, 'Tom')
        """)
    #expect(try statement.query(Pet.self) == [Pet(name: "Tom", age: 4)])
    try db.execute(sql: "ALTER TABLE t DROP COLUMN name")
    #expect(throws: DecodingError.self) { try statement.query(Pet.self) }
  }

  @Test func `decoding a row after its statement was reset throws misuse`() throws {
    let statement = try db.prepare(sql: "VALUES ('Rex', 3)".named("name", "age"))
    let step = try statement.step()
    guard let row = consume step else { throw DatabaseIsEmpty() }
    #expect(try row.decode(Pet.self) == Pet(name: "Rex", age: 3))
    try statement.reset()
    #expect(
      performing: { try row.decode(Pet.self) }, throws: { ($0 as? SQLiteError)?.code == .misuse })
  }

  private struct DatabaseIsEmpty: Error {}
}
