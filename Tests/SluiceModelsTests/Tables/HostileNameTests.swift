import SluiceModels
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.models)) struct `hostile table and column names` {
  struct Named: Codable, Model, Equatable {
    @TaskLocal static var text = ""
    /// The test sets a different table for each text.
    static var table: ModelTable<Named, Int64> {
      let text = text
      return ModelTable(
        text, key: \Named.id, .columnNames(.custom { "\(text)\($0)" }), .column(\.name, .unique),
        .column(\.parent, .references(Named.self, onDelete: .cascade)), .index(\.name, \.parent),
        .index(\.parent, named: "index \(text)"), .column("more\(text)", .text, .default(text)))
    }
    var id: Int64?
    var name: String
    var parent: Int64?
  }

  private static let pieces = [
    "'", "\"", "`", "]", "[", ";", "--", "/*", "*/", "%", "\\", "?", "?1", ":a", "@a", "$a", "(",
    ")",
    ",", " ", "\n", "é", "e\u{301}", "😀", "\u{202E}", "name", "DROP TABLE person", "OR 1=1", "NULL",
    "'; DELETE FROM person; --", "\") OR (\"1\"=\"1", "AS", "order", ".", "main.",
  ]

  @Test func `hostile text in table and column names is quoted and has no other effect`() throws {
    var generator = SeededGenerator(seed: 3)
    let db = try Connection.with(Person.self)
    try db.insert(Person("Ada"))
    for _ in 0..<rounds(60, long: 300) {
      let text = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
        Self.pieces.randomElement(using: &generator)!
      }.joined()
      try Named.$text.withValue("x\(text)") {
        try db.createTable(of: Named.self)
        let top = try db.insert(Named(name: text))
        let leaf = try db.insert(Named(name: "leaf", parent: top.id))
        #expect(try db.fetch(Named.where(\.name == text).order(by: \.parent)) == [top])
        #expect(try db.fetch(Named.where(.column("x\(text)name", .equal, "leaf"))) == [leaf])
        #expect(try db.update(Named.self, key: 2, .set(\.name, to: text + "2")) == 1)
        #expect(try db.upsert(leaf) == leaf)
        #expect(
          try db.first(
            .column(.string), "SELECT \(identifier: "morex\(text)") FROM \(identifier: "x\(text)")")
            == "x\(text)")
        let name: SQL = "\(identifier: "x\(text)name") || 'x'"
        try db.migrate(Named.self, to: 1) { $0.fill(\.name, sql: name) }
        #expect(try db.fetch(Named.self, key: 2)?.name == "leafx")
        try db.execute("DELETE FROM sluice_model_history")
        #expect(try db.delete(top) == 1)
        #expect(try db.count(Named.all) == 0)
        try db.dropTable(of: Named.self)
      }
    }
    #expect(try db.fetch(Person.all).map(\.name) == ["Ada"])
    #expect(try db.strings("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a table or column name with a NUL throws`() throws {
    let db = try Connection()
    Named.$text.withValue("a\0b") {
      #expect(failure { try db.createTable(of: Named.self) } != nil)
      #expect(failure { try db.insert(Named(name: "x")) } != nil)
      #expect(failure { try db.fetch(Named.all) } != nil)
    }
    #expect(try db.strings("SELECT name FROM sqlite_schema").isEmpty)
  }
}
