import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.fullText), .enabled(if: SQLiteLibrary.has(.fts5)))
struct `full-text indexes that follow a table` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE note(id INTEGER PRIMARY KEY, slug TEXT UNIQUE, title TEXT, body TEXT, n INT);
        INSERT INTO note VALUES (1, 'a', 'One', 'first words', 0), (2, 'b', 'Two', NULL, 0)
        """)
  }

  private func found(_ word: String, _ index: String = "found") throws -> [Int] {
    try connection.query(
      .column(.int), "SELECT rowid FROM \(identifier: index)(\(word)) ORDER BY rowid")
  }

  @discardableResult
  private func create(_ columns: String..., name: String = "found") throws -> FTS5Table {
    try connection.createFullTextIndex(name, on: "note", columns: columns)
  }

  private func objects() throws -> [String] {
    try connection.schemaObjects().map(\.description)
  }

  @Test func `a new index contains the rows that exist and then those that are written`() throws {
    let index = try create("TITLE", "body")
    #expect(index.name == "found")
    #expect(index.columns == ["title", "body"])
    #expect(try found("words OR two") == [1, 2])
    try connection.execute(
      sql: """
        INSERT INTO note(title) VALUES ('three'); UPDATE note SET body = 'words' WHERE id = 2;
        UPDATE note SET rowid = 9 WHERE id = 1; DELETE FROM note WHERE id = 3
        """)
    #expect(try found("words") == [2, 9])
    #expect(try found("three") == [])
    try index.checkIntegrity()
    try connection.execute(sql: "DELETE FROM note")
    #expect(try connection.integers("SELECT count(*) FROM found") == [0])
  }

  @Test(arguments: [false, true])
  func `rows that REPLACE displaces leave the index without any pragma`(_ isUpdate: Bool) throws {
    let index = try create("title")
    #expect(try connection.integers("PRAGMA recursive_triggers") == [0])
    try connection.execute(
      sql: isUpdate
        ? "UPDATE OR REPLACE note SET slug = 'a' WHERE id = 2"
        : "REPLACE INTO note(id, slug, title) VALUES (7, 'a', 'seven')")
    #expect(try found("one") == [])
    try index.checkIntegrity()
    try connection.execute(sql: "REPLACE INTO note(id, slug, title) VALUES (2, 'z', 'new')")
    #expect(try found("two") == [])
    #expect(try found("new") == [2])
    try index.checkIntegrity()
  }

  @Test(arguments: ["REFERENCES tree(id)", "REFERENCES Tree", "REFERENCES tree(ID)"])
  func `a displaced row leaves the index although a cascade deletes the row that displaces it`(
    _ reference: String
  ) throws {
    try connection.execute(
      sql: """
        CREATE TABLE tree(id INTEGER PRIMARY KEY, slug UNIQUE, title,
          parent \(reference) ON DELETE CASCADE);
        INSERT INTO tree VALUES (1, 'a', 'root', NULL), (2, 'b', 'branch', 1), (3, 'c', 'leaf', 2)
        """)
    let index = try connection.createFullTextIndex("found", on: "tree", columns: ["title"])
    try connection.execute(sql: "UPDATE OR REPLACE tree SET slug = 'a', title = 'new' WHERE id = 2")
    #expect(try connection.integers("SELECT count(*) FROM tree") == [0])
    #expect(try found("root OR branch OR leaf OR new") == [])
    try index.checkIntegrity()
  }

  @Test func `a number that becomes another type with other text is indexed again`() throws {
    try connection.execute(
      sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, a); INSERT INTO item VALUES (1, 1), (2, 2.0)")
    let index = try connection.createFullTextIndex("found", on: "item", columns: ["a"])
    #expect(try found("0") == [2])
    try connection.execute(sql: "UPDATE item SET a = iif(id = 1, 1.0, 2)")
    #expect(try found("0") == [1])
    try index.checkIntegrity()
  }

  @Test func `displaced rows of expression and partial unique indexes leave the index`() throws {
    try connection.execute(
      sql: """
        CREATE UNIQUE INDEX [by "on" (title)] ON note ( lower(title||',)') DESC, "n" ) WHERE body > '';
        CREATE UNIQUE INDEX other ON note(n) WHERE note.title = 'only'
        """)
    let index = try create("title")
    try connection.execute(sql: "REPLACE INTO note(title, body, n) VALUES ('ONE', 'x', 0)")
    #expect(try found("one") == [3])
    try connection.execute(
      sql: """
        ALTER TABLE note RENAME TO memo; ALTER TABLE memo RENAME COLUMN title TO [a "headline"];
        ALTER TABLE memo RENAME COLUMN id TO number;
        REPLACE INTO memo([a "headline"], body, n) VALUES ('one', 'x', 0)
        """)
    #expect(try found("one") == [4])
    #expect(try connection.integers("SELECT count(*) FROM memo") == [2])
    try index.checkIntegrity()
    try index.rebuild()
    try index.checkIntegrity()
  }

  @Test func `updates of other columns do not write to the index`() throws {
    try create("title")
    let changes = connection.totalChanges
    try connection.execute(sql: "UPDATE note SET n = 5, title = title")
    #expect(connection.totalChanges - changes == 2)
    try connection.execute(sql: "UPDATE note SET title = upper(title) WHERE id = 2")
    #expect(connection.totalChanges - changes > 4)
  }

  @Test func `renamed and added columns and a vacuum leave the index right`() throws {
    let index = try create("title", "body")
    try connection.execute(
      sql: """
        ALTER TABLE note ADD COLUMN extra TEXT DEFAULT 'words';
        ALTER TABLE note RENAME COLUMN body TO text; ALTER TABLE note RENAME TO "my note";
        VACUUM; UPDATE "my note" SET text = 'last words' WHERE id = 2;
        INSERT INTO "my note"(title, text) VALUES ('t', 'words')
        """)
    #expect(try found("words") == [1, 2, 3])
    #expect(try found("body: last") == [2])
    try index.checkIntegrity()
    try connection.dropFullTextIndex("found")
    #expect(try objects() == ["table \"my note\""])
  }

  @Test(arguments: ["a \"b'] c", "sélection", "select", "", "note_index.x", "%q_%s"])
  func `tables, columns and indexes may have any name`(_ name: String) throws {
    let index = name + "-index"
    try connection.execute(
      """
      CREATE TABLE \(identifier: name)(\(identifier: "id" + name) INTEGER PRIMARY KEY,
        \(identifier: "c=" + name) TEXT UNIQUE, \(identifier: "tokenize") TEXT)
      """)
    try connection.execute("INSERT INTO \(identifier: name) VALUES (5, 'one', 'two')")
    let table = try connection.createFullTextIndex(
      index, on: name, columns: ["c=" + name, "tokenize"], tokenize: "unicode61 separators '''x'",
      prefixes: [2])
    try connection.execute("REPLACE INTO \(identifier: name) VALUES (6, 'one', 'fourxfive')")
    #expect(try found("one five", index) == [6])
    try table.checkIntegrity()
    #expect(try table.suggestions(for: "fuor") == ["four"])
    try connection.dropFullTextIndex(index)
    #expect(try connection.schemaObjects().count == 2)
  }

  @Test func `an index of an attached or temporary database stays in that database`() throws {
    try connection.execute(sql: "ATTACH ':memory:' AS \"o'ther\"")
    for schema in ["o'ther", "temp"] {
      try connection.execute(
        """
        CREATE TABLE \(identifier: schema).note(id INTEGER PRIMARY KEY, title UNIQUE);
        INSERT INTO \(identifier: schema).note VALUES (1, 'here')
        """)
      let index = try connection.createFullTextIndex(
        "found", on: "note", columns: ["title"], schema: schema)
      try connection.execute("REPLACE INTO \(identifier: schema).note VALUES (2, 'here')")
      let rows = try connection.query(
        .column(.int), "SELECT rowid FROM \(identifier: schema).found WHERE found MATCH 'here'")
      #expect(rows == [2])
      try index.checkIntegrity()
      #expect(try index.suggestions(for: "hree") == ["here"])
      #expect(try connection.schemaObjects().count == 1)
      try connection.dropFullTextIndex("found", schema: schema)
      #expect(try connection.schemaObjects(database: schema).count == 1)
    }
  }

  @Test func `tables that cannot be followed are refused and nothing remains`() throws {
    try connection.execute(
      sql: """
        CREATE TABLE bare(id INTEGER PRIMARY KEY, a) WITHOUT ROWID; CREATE TABLE rowid(a);
        CREATE TABLE text(id TEXT PRIMARY KEY, a); CREATE TABLE pair(a, b, PRIMARY KEY(a, b));
        CREATE TABLE desc(id INTEGER PRIMARY KEY DESC, a); CREATE VIEW view AS SELECT 1 AS a;
        CREATE VIRTUAL TABLE virtual USING fts5(a); CREATE TABLE good(id INTEGER PRIMARY KEY, a)
        """)
    let before = try objects()
    for table in ["bare", "rowid", "text", "pair", "desc", "view", "virtual", "virtual_content"] {
      let error = failure { try connection.createFullTextIndex("x", on: table, columns: ["a"]) }
      #expect(error?.code == .misuse, "\(table)")
      #expect(error?.message.contains(table) == true)
    }
    for columns in [[], ["b"], ["a", "A"], ["a\0"]] {
      let error = failure { try connection.createFullTextIndex("x", on: "good", columns: columns) }
      #expect(error?.code == .misuse, "\(columns)")
    }
    for (name, table) in [("good", "good"), ("x", "nowhere"), ("virtual", "good"), ("a", "good")] {
      let error = failure { try connection.createFullTextIndex(name, on: table, columns: ["a"]) }
      #expect(error?.code.primary == .error, "\(name)")
    }
    for prefixes in [[0], [-1], [1000], Array(1...32)] {
      let error = failure {
        try connection.createFullTextIndex("x", on: "good", columns: ["a"], prefixes: prefixes)
      }
      #expect(error?.code == .range)
    }
    let unknown = failure {
      try connection.createFullTextIndex("x", on: "good", columns: ["a"], tokenize: "no 'such")
    }
    #expect(unknown?.code.primary == .error)
    let schema = failure {
      try connection.createFullTextIndex("x", on: "good", columns: ["a"], schema: "nowhere")
    }
    #expect(schema?.code == .range)
    #expect(try objects() == before)
    #expect(connection.isInAutocommit)
  }

  @Test func `an index needs a trusted schema, as its triggers do`() throws {
    try connection.execute(sql: "PRAGMA trusted_schema = 0")
    let before = try objects()
    let error = failure { try create("title") }
    // Newer versions of SQLite allow FTS5 in any trigger.
    if let error {
      #expect(error.message.contains("unsafe use"))
      #expect(try objects() == before)
    }
  }

  @Test func `an index can be created in a transaction and rolled back with it`() throws {
    let before = try objects()
    try connection.transaction { connection, command in
      try create("title")
      try connection.execute(sql: "INSERT INTO note(title) VALUES ('three')")
      #expect(try found("three") == [3])
      command = .rollback
    }
    #expect(try objects() == before)
    try create("title")
    #expect(try found("three") == [])
  }

  @Test func `a read-only connection cannot create an index`() throws {
    let folder = try TestFolder()
    try Connection(path: folder.file()).execute(
      sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, a)")
    let reader = try Connection(path: folder.file(), readOnly: true)
    let error = failure { try reader.createFullTextIndex("x", on: "note", columns: ["a"]) }
    #expect(error?.code.primary == .readOnly)
  }

  @Test func `dropping anything but an index that follows a table throws misuse`() throws {
    try connection.execute(
      sql: "CREATE VIRTUAL TABLE plain USING fts5(a); CREATE VIEW plain_source AS SELECT 1")
    for name in ["plain", "note", "nowhere", "", "a\0"] {
      #expect(failure { try connection.dropFullTextIndex(name) }?.code == .misuse)
    }
    #expect(failure { try connection.dropFullTextIndex("x", schema: "nowhere") }?.code == .range)
  }

  @Test(arguments: ["DROP TABLE note", "DROP TABLE found", "DROP TRIGGER found_update"])
  func `an index can be dropped after a part of it`(_ sql: String) throws {
    try create("title")
    try connection.execute(sql: sql)
    if sql != "DROP TABLE found" {
      let index = try connection.fullText("found")
      #expect(failure { try index.checkIntegrity() } != nil)
    }
    try connection.dropFullTextIndex("found")
    #expect(try connection.schemaObjects().count <= 1)
  }

  @Test func `blobs bypass the index until it is rebuilt`() throws {
    let index = try create("title")
    do {
      let blob = try connection.openBlob(
        table: "note", column: "title", rowid: 1, readOnly: false)
      try blob.write(Array("Six".utf8), at: 0)
    }
    #expect(try found("six") == [])
    #expect(failure { try index.checkIntegrity() }?.code.primary == .corrupt)
    try index.checkIntegrity(comparingContent: false)
    try index.rebuild()
    try index.checkIntegrity()
    #expect(try found("six") == [1])
  }

  @Test func `rebuild repairs rows that were written without triggers`() throws {
    let index = try create("title")
    try connection.setOption(.triggers, false)
    try connection.execute(
      sql: """
        DELETE FROM note WHERE id = 1; INSERT INTO note(id, slug, title) VALUES (4, 'a', 'four')
        """)
    try connection.setOption(.triggers, true)
    #expect(failure { try index.checkIntegrity() }?.code.primary == .corrupt)
    try index.rebuild()
    try index.checkIntegrity()
    #expect(try found("one OR four") == [4])
    try connection.execute(sql: "REPLACE INTO note(id, slug, title) VALUES (5, 'a', 'five')")
    try index.checkIntegrity()
  }

  @Test func `a new unique index and a re-created table are reported`() throws {
    var index = try create("title")
    try connection.execute(sql: "CREATE UNIQUE INDEX late ON note(title)")
    #expect(failure { try index.checkIntegrity() }?.message.contains("new unique index") == true)
    try connection.dropFullTextIndex("found")
    index = try create("title")
    try index.checkIntegrity()
    try connection.execute(
      sql: "DROP TABLE note; CREATE TABLE note(id INTEGER PRIMARY KEY, slug, title)")
    #expect(failure { try index.checkIntegrity() }?.message.contains("trigger") == true)
  }

  @Test func `two indexes can follow one table`() throws {
    let (first, second) = try (create("title"), create("title", "body", name: "second"))
    try connection.execute(sql: "REPLACE INTO note(slug, title, body) VALUES ('a', 'new', 'words')")
    try first.checkIntegrity()
    try second.checkIntegrity()
    try connection.dropFullTextIndex("found")
    try connection.execute(sql: "DELETE FROM note WHERE id = 2")
    try second.checkIntegrity()
    #expect(try found("words", "second") == [3])
  }

  @Test func `writes of another SQLite connection reach the index`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.execute(sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, a UNIQUE)")
    let index = try connection.createFullTextIndex("found", on: "note", columns: ["a"])
    let handle = try unsafe openedByC(folder.file())
    let other = unsafe Connection(adopting: handle)
    try other.execute(sql: "REPLACE INTO note(a) VALUES ('one'), ('two'), ('one')")
    try other.close()
    #expect(try connection.integers("SELECT rowid FROM found('one OR two')") == [2, 3])
    try index.checkIntegrity()
  }
}
