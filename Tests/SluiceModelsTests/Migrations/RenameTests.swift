import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `renaming columns in a migration` {
  struct Page: Codable, Model {
    static let table = ModelTable("page", key: \Page.id)
    var id: Int64?
    var title: String?
    var subtitle: String?
    var note: String?
  }

  private let db: Connection

  init() throws { db = try Connection() }

  private typealias Rename = (old: String, new: PartialKeyPath<Page>)

  private func migrate(_ renames: [Rename]) throws {
    try db.migrate(Page.self, to: 1) { migration in
      for rename in renames { migration.rename(rename.old, to: rename.new) }
    }
  }

  private func rows() throws -> [DatabaseValue] {
    try db.query(.values, sql: "SELECT title, subtitle, note FROM page").flatMap(\.values)
  }

  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `the order of renames that depend on each other does not matter`(_ order: [Int]) throws {
    try db.execute(
      sql: """
        CREATE TABLE page(id INTEGER PRIMARY KEY, name TEXT, title TEXT, subtitle TEXT);
        CREATE INDEX by_title ON page(title);
        CREATE VIEW names AS SELECT name FROM page;
        INSERT INTO page VALUES (1, 'a', 'b', 'c')
        """)
    let chain: [Rename] = [("name", \.title), ("title", \.subtitle), ("subtitle", \.note)]
    try migrate(order.map { chain[$0] })
    #expect(try rows() == ["a", "b", "c"])
    #expect(try db.strings("SELECT * FROM names") == ["a"])
    #expect(try db.strings("SELECT name FROM pragma_index_info('by_title')") == ["subtitle"])
  }

  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `columns can exchange their names`(_ order: [Int]) throws {
    try db.execute(
      sql: """
        CREATE TABLE page(id INTEGER PRIMARY KEY, title TEXT, subtitle TEXT, NOTE TEXT);
        CREATE VIEW notes AS SELECT note FROM page;
        INSERT INTO page VALUES (1, 'a', 'b', 'c')
        """)
    let cycle: [Rename] = [("title", \.subtitle), ("subtitle", \.note), ("note", \.title)]
    try migrate(order.map { cycle[$0] })
    #expect(try rows() == ["c", "a", "b"])
    #expect(try db.strings("SELECT * FROM notes") == ["c"])
    #expect(try db.columns(of: "page").count == 4)
  }

  @Test func `a new table ignores a chain of renames`() throws {
    try db.createTable(of: Page.self)
    try db.execute(sql: "INSERT INTO page VALUES (1, 'a', 'b', 'c')")
    try migrate([("name", \.title), ("title", \.subtitle)])
    #expect(try rows() == ["a", "b", "c"])
  }

  @Test func `renames that are impossible throw and change nothing`() throws {
    try db.execute(
      sql: """
        CREATE TABLE page(id INTEGER PRIMARY KEY, title TEXT, subtitle TEXT, note TEXT);
        INSERT INTO page VALUES (1, 'a', 'b', 'c')
        """)
    let impossible: [[Rename]] = [
      [("title", \.note), ("subtitle", \.note), ("note", \.title)],
      [("title", \.subtitle), ("subtitle", \.title), ("title", \.note)],
      [("missing", \.title)], [("title", \.note)],
    ]
    for renames in impossible {
      #expect(failure { try migrate(renames) } != nil)
      #expect(try rows() == ["a", "b", "c"])
      #expect(try db.lastVersion(of: Page.self) == nil)
    }
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `a migration throws if a virtual table reads a column that it renames`() throws {
    try db.execute(
      sql: """
        CREATE TABLE page(id INTEGER PRIMARY KEY, name TEXT, subtitle TEXT, note TEXT);
        CREATE VIRTUAL TABLE words USING fts5(name, content=page, content_rowid=id);
        CREATE VIRTUAL TABLE others USING fts5(note, content=page, content_rowid=id);
        CREATE VIRTUAL TABLE broken USING fts5(missing, content=page, content_rowid=id);
        INSERT INTO page VALUES (1, 'hello', 'b', 'world');
        INSERT INTO words(words) VALUES ('rebuild');
        INSERT INTO others(others) VALUES ('rebuild')
        """)
    let error = failure { try migrate([("name", \.title)]) }
    #expect(error?.code == .schema)
    #expect(
      error?.message
        == "The virtual table \"words\" does not work with the new columns (no such column: T.name)"
    )
    #expect(try db.strings("SELECT name FROM words WHERE words MATCH 'hello'") == ["hello"])
    try db.migrate(Page.self, to: 1) { migration in
      migration.rename("name", to: \.title)
      migration.run("DROP TABLE words")
      migration.run(
        """
        CREATE VIRTUAL TABLE words USING fts5(title, content=page, content_rowid=id)
        """)
    }
    try db.execute(sql: "INSERT INTO words(words) VALUES ('rebuild')")
    #expect(try db.strings("SELECT title FROM words WHERE words MATCH 'hello'") == ["hello"])
    #expect(try db.strings("SELECT note FROM others WHERE others MATCH 'world'") == ["world"])
  }
}
