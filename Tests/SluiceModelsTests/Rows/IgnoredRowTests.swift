import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.models)) struct `rows that triggers ignore` {
  @Test func `inserting a model throws notFound if a trigger ignores the row`() throws {
    let db = try Connection.with(Person.self, Entry.self)
    try db.execute(
      """
      CREATE TRIGGER no BEFORE INSERT ON person WHEN NEW.name = 'Eve' BEGIN SELECT RAISE(IGNORE); END
      """)
    #expect(failure { try db.insert(Person("Eve")) }?.code == .notFound)
    #expect(failure { try db.insert(Person("Eve", id: 7)) }?.code == .notFound)
    #expect(failure { try db.upsert(Person("Eve")) }?.code == .notFound)
    #expect(failure { try db.insert([Person("Ada"), Person("Eve")]) }?.code == .notFound)
    #expect(try db.insertEach([Person("Ada"), Person("Eve")]).map(\.model.name) == ["Eve"])
    #expect(try db.fetch(Person.all).map(\.name) == ["Ada"])
  }
}
