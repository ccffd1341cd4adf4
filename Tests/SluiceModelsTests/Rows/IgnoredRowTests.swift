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

  @Test func `an upsert throws notFound if a trigger ignores the row or the update`() throws {
    let db = try Connection.with(Person.self)
    let ada = try db.insert(Person("Ada"))
    try db.execute(
      sql: """
        CREATE TRIGGER no BEFORE INSERT ON person WHEN NEW.name = 'Eve' BEGIN SELECT RAISE(IGNORE); END;
        CREATE TRIGGER same BEFORE UPDATE ON person BEGIN SELECT RAISE(IGNORE); END
        """)
    #expect(failure { try db.upsert(Person("Eve", id: 7)) }?.code == .notFound)
    #expect(failure { try db.upsert(Person("Ada", id: ada.id)) }?.code == .notFound)
    #expect(try db.fetch(Person.all) == [ada])
  }

  @Test func `rows of a view are written by its triggers`() throws {
    struct Shown: Codable, Model, Equatable {
      static let table = ModelTable("shown", key: \Shown.id)
      var id: Int64?
      var name: String
    }
    let db = try Connection()
    try db.execute(
      sql: """
        CREATE TABLE stored(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE VIEW shown AS SELECT * FROM stored;
        CREATE TRIGGER adds INSTEAD OF INSERT ON shown
        BEGIN INSERT INTO stored VALUES (NEW.id, NEW.name); END;
        CREATE TRIGGER updates INSTEAD OF UPDATE ON shown
        BEGIN UPDATE stored SET name = NEW.name WHERE id = OLD.id; END;
        CREATE TRIGGER deletes INSTEAD OF DELETE ON shown
        BEGIN DELETE FROM stored WHERE id = OLD.id; END;
        """)
    try db.insert(Shown(id: 1, name: "a"))
    #expect(try db.update(Shown(id: 1, name: "b")) == 0)
    #expect(try db.fetch(Shown.self, key: 1)?.name == "b")
    var shown = Shown(id: 1, name: "b")
    #expect(try db.updateChanges(of: &shown) { $0.name = "c" })
    #expect(try db.fetch(Shown.all) == [shown])
    #expect(try db.delete(shown) == 0)
    #expect(try db.fetch(Shown.all).isEmpty)
    // The view does not reveal the key that the table assigns.
    #expect(try db.insert(Shown(name: "d")).id == nil)
    #expect(try db.fetch(Shown.all).map(\.name) == ["d"])
  }
}
