import SluiceModels
import TestSupport
import Testing

/// Columns whose type differs from that of the property.
@Suite(.tags(.models)) struct `values in columns of another type` {
  private struct Parent: Codable, Model, Equatable {
    static let table = ModelTable("parent", key: \Parent.id)
    var id: Int64
  }

  private struct Child: Codable, Model, Equatable {
    static let table = ModelTable("child", key: \Child.id)
    var id: Int64
    var parent: Int64?
  }

  /// Returns a connection to tables whose TEXT columns contain the property's values as text.
  private func connection(_ type: String) throws -> Connection {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE parent(id \(type) PRIMARY KEY);
        CREATE TABLE child(id INTEGER PRIMARY KEY, parent \(type));
        INSERT INTO parent VALUES (1), (2);
        INSERT INTO child VALUES (10, 1), (11, 1), (12, NULL), (13, 3);
        """)
    return connection
  }

  @Test(arguments: ["TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", ""])
  func `a value in a list finds the same rows as a single value`(type: String) throws {
    let db = try connection(type)
    let condition: SQL = "SELECT count(*) FROM parent WHERE id = \(1)"
    #expect(try db.first(.column(.int), condition) == 1)
    #expect(try db.count(Parent.where(\.id == 1)) == 1)
    #expect(try db.count(Parent.where(.in(\.id, [1, 5]))) == 1)
    #expect(try db.count(Parent.where(.column("id", in: [1, 5]))) == 1)
    #expect(try db.count(Child.where(.in(\.parent, [1]))) == 2)
    #expect(try db.fetch(Parent.self, keys: [2, 1, 7]).map(\.id) == [2, 1])
    let found = try db.fetch(Child.all, of: [Parent(id: 2), Parent(id: 1)], by: \.parent)
    #expect(found.map { $1.map(\.id) } == [[], [10, 11]])
    #expect(try db.delete(Parent.self, keys: [1, 9]) == 1)
  }
}
