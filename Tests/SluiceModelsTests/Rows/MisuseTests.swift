import Foundation
import SluiceModels
import Testing

/// Each call where it cannot work: it throws what SQLite or Sluice says, and never traps.
@Suite struct `Q5 models where they cannot work` {
  private static let people = Person.where(\.age >= 18).order(by: \.name).limit(1)

  /// Each call that touches the database.
  static let calls: [(name: String, isReading: Bool, call: @Sendable (Connection) throws -> Any)] =
    [
      ("createTable", false, { try $0.createTable(of: Person.self) }),
      ("tableSQL", true, { try $0.tableSQL(of: Person.self) }),
      ("dropTable", false, { try $0.dropTable(of: Person.self) }),
      ("hasTable", true, { try $0.hasTable(of: Person.self) }),
      ("insert", false, { try $0.insert(Person("Ada")) }),
      ("insert all", false, { try $0.insert([Person("Ada")]) }),
      ("insertEach", false, { try $0.insertEach([Person("Ada")]) }),
      ("upsert", false, { try $0.upsert(Person("Ada", id: 1)) }),
      ("upsert all", false, { try $0.upsert([Person("Ada")]) }),
      ("update", false, { try $0.update(Person("Ada", id: 1)) }),
      ("update some", false, { try $0.update(Person("Ada", id: 1), \.name) }),
      ("update columns", false, { try $0.update(Person("Ada", id: 1), columns: ["name"]) }),
      ("update all", false, { try $0.update([Person("Ada", id: 1)]) }),
      ("updateEach", false, { try $0.updateEach([Person("Ada", id: 1)]) }),
      ("update by key", false, { try $0.update(Person.self, key: 1, .set(\.name, to: "Eve")) }),
      ("update by query", false, { try $0.update(people, .set(\.name, to: "Eve")) }),
      ("delete", false, { try $0.delete(Person("Ada", id: 1)) }),
      ("delete all of", false, { try $0.delete([Person("Ada", id: 1)]) }),
      ("deleteEach", false, { try $0.deleteEach([Person("Ada", id: 1)]) }),
      ("delete by key", false, { try $0.delete(Person.self, key: 1) }),
      ("delete by keys", false, { try $0.delete(Person.self, keys: [1]) }),
      ("delete by query", false, { try $0.delete(people) }),
      ("deleteAll", false, { try $0.deleteAll(Person.self) }),
      ("fetch by key", true, { try $0.fetch(Person.self, key: 1) as Any }),
      ("fetch by keys", true, { try $0.fetch(Person.self, keys: [1]) }),
      ("fetch", true, { try $0.fetch(people) }),
      ("fetchFirst", true, { try $0.fetchFirst(people) as Any }),
      ("exists", true, { try $0.exists(Person("Ada", id: 1)) }),
      ("exists by key", true, { try $0.exists(Person.self, key: 1) }),
      ("exists by query", true, { try $0.exists(people) }),
      ("count", true, { try $0.count(people) }),
    ]

  @Test func `a closed connection throws`() throws {
    for (name, _, call) in Self.calls where name != "tableSQL" {
      let db = try Connection.with(Person.self)
      try db.close()
      #expect(failure { try call(db) }?.code == .misuse, "\(name)")
    }
  }

  @Test func `a read-only database is read, and not written`() throws {
    let file = URL.temporaryDirectory.appending(path: "sluice-\(UUID()).db")
    defer { try? FileManager.default.removeItem(at: file) }
    let writer = try Connection(url: file)
    try writer.createTable(of: Person.self)
    try writer.insert(Person("Ada", age: 36))
    try writer.close()
    let db = try Connection(url: file, readOnly: true)
    for (name, isReading, call) in Self.calls {
      if isReading {
        _ = try call(db)
      } else if name == "createTable" {
        #expect(failure { try call(db) }?.code == .error, "there is one already")
      } else {
        #expect(failure { try call(db) }?.code.primary == .readOnly, "\(name)")
      }
    }
    #expect(try db.fetch(Person.all) == [Person("Ada", age: 36, id: 1)])
  }

  @Test func `a table that is missing throws`() throws {
    for (name, _, call) in Self.calls
    where !["createTable", "tableSQL", "hasTable"].contains(name) {
      let db = try Connection()
      #expect(failure { try call(db) }?.code == .error, "\(name)")
      #expect(db.isInAutocommit)
    }
  }

  @Test func `inside of a function that the connection calls, nothing traps`() throws {
    let db = try Connection.with(Person.self)
    try db.insert(Person("Ada", age: 36))
    for (name, isReading, call) in Self.calls {
      var outcome: Result<Any, any Error>?
      try db.addFunction("called", arity: 0) { _ in
        outcome = Result { try call(db) }
        return 1
      }
      try? db.execute("SELECT called()")
      let result = try #require(outcome, "\(name)")
      if isReading { #expect(throws: Never.self, "\(name)") { try result.get() } }
      try db.execute("DROP TABLE IF EXISTS person")
      try db.createTable(of: Person.self)
      try db.insert(Person("Ada", age: 36))
    }
    try db.removeFunction("called", arity: 0)
    #expect(try db.strings("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a busy database throws, and what was begun is undone`() throws {
    let file = URL.temporaryDirectory.appending(path: "sluice-\(UUID()).db")
    defer { try? FileManager.default.removeItem(at: file) }
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    let (one, other) = try (
      Connection(url: file, configuration: configuration),
      Connection(url: file, configuration: configuration)
    )
    try one.createTable(of: Person.self)
    try one.begin(.immediate)
    #expect(failure { try other.insert([Person("Ada"), Person("Eve")]) }?.code.primary == .busy)
    #expect(failure { try other.insertEach([Person("Ada")]) }?.code.primary == .busy)
    #expect(other.isInAutocommit)
    try one.rollback()
    #expect(try other.insert([Person("Ada")]).map(\.id) == [1])
  }
}
