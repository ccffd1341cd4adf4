import Foundation
import SluiceModels
import Synchronization
import TestSupport
import Testing

/// Outside a transaction, RETURNING reports the key; in one, the rowid is the key where it can be.
@Suite(.tags(.models)) struct `keys that SQLite assigns` {
  private func insert<M: Model>(_ model: M, _ db: Connection, _ inTransaction: Bool) throws -> M {
    guard inTransaction else { return try db.insert(model) }
    return try db.transaction { connection in try connection.insert(model) }
  }

  @Test func `an insertion in a transaction does not use RETURNING for a rowid`() throws {
    let db = try Connection.with(Person.self)
    var statements: [String] = []
    try db.trace(.statement) { statements.append($0.sql ?? "") }
    #expect(try db.insert(["a", "b", "c"].map { Person($0) }).map(\.id) == [1, 2, 3])
    let insertions = statements.filter { $0.hasPrefix("INSERT") }
    #expect(insertions.count == 3 && !insertions.contains { $0.contains("RETURNING") })
  }

  @Test(arguments: [false, true])
  func `an array mixes values with and without keys`(inTransaction: Bool) throws {
    let db = try Connection.with(Person.self)
    if inTransaction { try db.begin() }
    let people = [
      Person("a"), Person("b"), Person("c", id: 10), Person("d"), Person("e", id: 20), Person("f"),
    ]
    let inserted = try db.insert(people)
    #expect(inserted.map(\.id) == [1, 2, 10, 11, 20, 21])
    #expect(try db.fetch(Person.order(by: \.id)) == inserted)

    // If one value cannot be inserted, none is.
    let wrong = [Person("g"), Person("h"), Person("i", id: 1), Person("j")]
    #expect(failure { try db.insert(wrong) }?.code == .constraintPrimaryKey)
    #expect(try db.count(Person.all) == 6)
    #expect(try db.insert([Person]()).isEmpty)
  }

  @Test func `a key that does not fit its type names its column`() throws {
    struct Small: Codable, Model {
      static let table = ModelTable("small", key: \Small.id)
      var id: Int8?
      var number: Int
    }
    let db = try Connection.with(Small.self)
    try db.insert(Small(id: 127, number: 0))
    for values in [[Small(number: 1)], [Small(number: 1), Small(number: 2)]] {
      let error = #expect(throws: DecodingError.self) { try db.insert(values) }
      #expect("\(String(describing: error))".contains("Column 0 (id) is INTEGER"))
    }
    #expect(try db.count(Small.all) == 1)
  }

  @Test(arguments: [false, true])
  func `rows that triggers insert do not change the key`(inTransaction: Bool) throws {
    let db = try Connection.with(Person.self)
    try db.execute(
      sql: """
        CREATE TABLE log(id INTEGER PRIMARY KEY, text);
        INSERT INTO log VALUES (100, 'first');
        CREATE TRIGGER before BEFORE INSERT ON person BEGIN INSERT INTO log(text) VALUES ('b'); END;
        CREATE TRIGGER after AFTER INSERT ON person
        BEGIN INSERT INTO log(text) VALUES ('a'); DELETE FROM log WHERE id = 100; END
        """)
    for id in 1...2 { #expect(try insert(Person("a"), db, inTransaction).id == Int64(id)) }
    #expect(try db.first(.column(.int), "SELECT count(*) FROM log") == 4)
  }

  @Test(arguments: [false, true])
  func `rows that closures insert do not change the key`(inTransaction: Bool) throws {
    let folder = try TestFolder()
    let db = try Connection(path: folder.file())
    try db.execute(sql: "PRAGMA journal_mode = WAL")
    try db.createTable(of: Person.self)
    try db.execute(
      sql: "CREATE TABLE log(id INTEGER PRIMARY KEY, text); INSERT INTO log VALUES (100, 'first')")
    try db.onWALCommit { connection, _ in
      try? connection.execute("INSERT INTO log(text) VALUES ('WAL')")
    }
    try db.addFunction("leave", arity: 0) { _ in
      try db.afterCommit { try? $0.execute("DELETE FROM log WHERE id = 0") }
      return .null
    }
    try db.execute(
      sql: "CREATE TEMP TRIGGER leaves AFTER INSERT ON person BEGIN SELECT leave(); END")
    for id in 1...2 { #expect(try insert(Person("a"), db, inTransaction).id == Int64(id)) }
    #expect(try db.fetch(Person.all).map(\.id) == [1, 2])
  }

  @Test(arguments: [false, true])
  func `models that a function inserts during an insertion do not change its key`(
    inTransaction: Bool
  ) throws {
    struct Entry: Codable, Model {
      static let table = ModelTable("log", key: \Entry.id)
      var id: Int64?
      var text: String
    }
    let db = try Connection.with(Person.self, Entry.self)
    try db.execute("INSERT INTO log VALUES (100, 'first')")
    try db.addFunction("enter", arity: 0) { _ in
      .integer(try db.insert(Entry(text: "added")).id ?? 0)
    }
    try db.execute(
      sql: "CREATE TEMP TRIGGER adds AFTER INSERT ON person BEGIN SELECT enter(); END")
    for id in 1...2 { #expect(try insert(Person("a"), db, inTransaction).id == Int64(id)) }
    #expect(try db.fetch(Entry.order(by: \.id)).map(\.id) == [100, 101, 102])
  }

  @Test(
    arguments: ["INTEGER PRIMARY KEY DESC", "INT PRIMARY KEY", "BIGINT UNIQUE", "INTEGER"],
    [false, true])
  func `a key that is not the rowid stays nil`(type: String, inTransaction: Bool) throws {
    let db = try Connection()
    try db.execute(sql: "CREATE TABLE person(id \(type), name TEXT, age INT)")
    for name in ["a", "b"] { #expect(try insert(Person(name), db, inTransaction).id == nil) }
    #expect(try db.first(.column(.int), "SELECT count(*) FROM person WHERE id IS NULL") == 2)
  }

  @Test(
    arguments: [
      "id INT DEFAULT 7, name TEXT, age INT",
      "id INTEGER DEFAULT 7, name, age, PRIMARY KEY (id, name)",
      "id INTEGER AS (7), name, age, own INTEGER PRIMARY KEY",
      "own INTEGER PRIMARY KEY, name, age, id INTEGER AS (own + 6)",
      "id INTEGER DEFAULT 7 PRIMARY KEY DESC, name, age",
    ], [false, true])
  func `a key can have a default or be generated`(columns: String, inTransaction: Bool) throws {
    let db = try Connection()
    try db.execute(sql: "CREATE TABLE person(\(columns))")
    #expect(try insert(Person("a"), db, inTransaction).id == 7)
  }

  @Test(arguments: [false, true])
  func `two models with different keys can have the same table`(inTransaction: Bool) throws {
    struct Other: Codable, Model {
      static let table = ModelTable("person", key: \Other.code)
      var code: String?
      var name: String
      var age: Int?
    }
    let db = try Connection()
    try db.execute(
      sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, code TEXT DEFAULT 'seven', name, age)")
    for id in [1, 3] as [Int64] {
      #expect(try insert(Person("a"), db, inTransaction).id == id)
      #expect(try insert(Other(name: "a"), db, inTransaction).code == "seven")
    }
  }

  @Test(arguments: [false, true])
  func `an insertion notices that its table was replaced`(inTransaction: Bool) throws {
    let db = try Connection.with(Person.self)
    func ids(_ count: Int = 2) throws -> [Int64?] {
      try (0..<count).map { _ in try insert(Person("a"), db, inTransaction).id }
    }
    #expect(try ids() == [1, 2])
    try db.execute(
      sql: "DROP TABLE person; CREATE TABLE person(id INTEGER PRIMARY KEY DESC, name, age)")
    #expect(try ids() == [nil, nil])
    try db.execute(
      sql: "DROP TABLE person; CREATE TABLE person(id INTEGER PRIMARY KEY AUTOINCREMENT, name, age)"
    )
    #expect(try ids() == [1, 2])
    try db.execute(sql: "CREATE TEMP TABLE person(id INT, name, age)")
    #expect(try ids(1) == [nil])
    try db.execute(sql: "DROP TABLE temp.person")
    #expect(try ids(1) == [3])
  }

  @Test(arguments: [false, true])
  func `an insertion notices that another connection replaced its table`(inTransaction: Bool) throws
  {
    let folder = try TestFolder()
    let (db, other) = (try Connection(path: folder.file()), try Connection(path: folder.file()))
    try db.createTable(of: Person.self)
    #expect(try insert(Person("a"), db, inTransaction).id == 1)
    for (definition, id) in [
      ("INTEGER PRIMARY KEY DESC", nil), ("INTEGER PRIMARY KEY", 1), ("INT DEFAULT 8", 8),
      ("INTEGER PRIMARY KEY", 1),
    ] as [(String, Int64?)] {
      try other.execute(
        sql: "DROP TABLE person; CREATE TABLE person(id \(definition), name, age)")
      #expect(try insert(Person("a"), db, inTransaction).id == id)
    }
    try other.execute(
      sql: """
        ALTER TABLE person RENAME TO base;
        CREATE VIEW person AS SELECT * FROM base;
        CREATE TRIGGER adds INSTEAD OF INSERT ON person
        BEGIN INSERT INTO base(name) VALUES (NEW.name); END
        """)
    #expect(try insert(Person("b"), db, inTransaction).id == nil)
    #expect(try db.first(.column(.int), "SELECT count(*) FROM base") == 2)
  }

  @Test func `an insertion at the beginning of a transaction waits for another one`() async throws {
    final class Lock: Sendable { let isFound = Atomic(false) }
    let folder = try TestFolder()
    let db = try Connection(path: folder.file())
    try db.createTable(of: Person.self)
    let queue = try ConnectionQueue(path: folder.file())
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    // The other transaction lasts until the insertion has found the lock, or has failed.
    let lock = Lock()
    try db.setBusyHandler { _ in
      lock.isFound.store(true, ordering: .relaxed)
      return true
    }
    async let other: Void = queue.transaction { connection in
      try connection.insert(Person("other"))
      begin.finish()
      while !lock.isFound.load(ordering: .relaxed) { Thread.sleep(forTimeInterval: 0.001) }
    }
    for await _ in begun {}
    let inserted = Result { try insert(Person("a"), db, true) }
    lock.isFound.store(true, ordering: .relaxed)
    try await other
    #expect(try inserted.get().id == 2)
  }

  @Test(arguments: [false, true])
  func `an authorizer that denies queries does not prevent insertions`(inTransaction: Bool) throws {
    let db = try Connection.with(Person.self)
    #expect(try insert(Person("a"), db, inTransaction).id == 1)
    try db.authorize { request in request.action == .select ? .deny : .allow }
    for id in [2, 3] as [Int64] { #expect(try insert(Person("a"), db, inTransaction).id == id) }
  }

  @Test(arguments: [false, true])
  func `a key can have any type that a rowid can be decoded as`(inTransaction: Bool) throws {
    struct Number: RawRepresentable, Codable, Hashable { var rawValue: Int64 }
    struct Line: Codable, Model {
      static let table = ModelTable("line", key: \Line.id)
      var id: Number?
      var text: String
    }
    struct Short: Codable, Model {
      static let table = ModelTable("short", key: \Short.id)
      var id: Int8?
    }
    let db = try Connection.with(Line.self, Short.self)
    for id in [1, 2] as [Int64] {
      #expect(try insert(Line(text: "a"), db, inTransaction).id?.rawValue == id)
    }
    try db.execute("INSERT INTO short VALUES (126)")
    #expect(try insert(Short(), db, inTransaction).id == 127)
    #expect(throws: DecodingError.self) { try insert(Short(), db, inTransaction) }
  }
}
