import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.fullText), .enabled(if: SQLiteLibrary.has(.fts5))) struct `full-text tables` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(
      sql: """
        CREATE VIRTUAL TABLE [a "b"] USING fts5(title, "odd ) name", extra UNINDEXED);
        INSERT INTO [a "b"] VALUES ('one', 'two one', ''), ('other', 'one of many other words', '')
        """)
  }

  @Test func `a full-text table opens by its name in any letter case, and lists its columns`()
    throws
  {
    let table = try connection.fullText("A \"B\"")
    #expect(table.name == "a \"b\"")
    #expect(table.schema == nil)
    #expect(table.columns == ["title", "odd ) name", "extra"])
  }

  @Test func `opening an object that is not a full-text table throws misuse`() throws {
    try connection.execute(sql: "CREATE TABLE t(a, b AS (a)); CREATE VIEW v AS SELECT 1")
    for name in ["t", "v", "nowhere", "", "a\0"] {
      #expect(failure { try connection.fullText(name) }?.code == .misuse, "\(name)")
    }
    #expect(failure { try connection.fullText("a \"b\"", schema: "temp") }?.code == .misuse)
  }

  @Test func `highlights, snippets and ranks can be interpolated into SQL`() throws {
    let table = try connection.fullText("a \"b\"")
    let rows = try connection.query(
      .values,
      """
      SELECT \(table.highlight("odd ) name", from: "<'", to: ">")) AS h,
        \(table.snippet(from: "[", to: "]", tokens: 2)) AS s, \(table.snippet("title")) AS t
      FROM \(identifier: table.name) WHERE \(identifier: table.name) MATCH \(FTS5Pattern.phrase("one"))
      ORDER BY \(table.bm25(weights: ["title": 10]))
      """)
    #expect(rows.map { $0["h"] } == ["two <'one>", "<'one> of many other words"])
    #expect(rows.map { $0["s"] } == ["[one]", "[one] of…"])
    #expect(rows.map { $0["t"] } == ["one", "other"])
    let turned = try connection.query(
      .column(.int),
      """
      SELECT rowid FROM \(identifier: table.name)('other')
      ORDER BY \(table.bm25(weights: ["title": 0])), \(table.bm25())
      """)
    #expect(turned == [2])
    for use in [
      { _ = try table.highlight("nowhere", from: "", to: "") },
      { _ = try table.snippet("nowhere") },
      { _ = try table.bm25(weights: ["nowhere": 1]) }, { _ = try table.snippet(tokens: 0) },
      { _ = try table.snippet(tokens: 65) },
    ] { #expect(failure(use)?.code == .range) }
    for count in [1, 64] { #expect(throws: Never.self) { try table.snippet(tokens: count) } }
  }

  @Test func `a full-text index can be rebuilt and compared with its content table`() throws {
    try connection.execute(
      sql: """
        CREATE TABLE text(a);
        CREATE VIRTUAL TABLE found USING fts5(a, content = 'text');
        INSERT INTO text VALUES ('one'), ('two')
        """)
    let table = try connection.fullText("found", schema: "main")
    #expect(failure { try table.checkIntegrity() }?.code.primary == .corrupt)
    try table.rebuild()
    try table.checkIntegrity()
    #expect(try connection.integers("SELECT rowid FROM found('two')") == [2])
    try connection.execute(sql: "DELETE FROM text")
    try table.checkIntegrity(comparingContent: false)
    #expect(failure { try table.checkIntegrity() }?.code.primary == .corrupt)
  }

  @Test func `merging a full-text index returns whether work remains`() throws {
    let table = try connection.fullText("a \"b\"")
    for number in 0..<20 {
      try connection.execute("INSERT INTO \(identifier: table.name)(title) VALUES (\(number))")
    }
    #expect(try table.merge(pages: -100))
    for _ in 0..<100 where try !table.merge(pages: 100) { break }
    #expect(try !table.merge(pages: 100))
    try table.optimize()
    try table.checkIntegrity()
    for pages in [Int.min, Int(Int32.min), .max] {
      #expect(failure { try table.merge(pages: pages) }?.code == .range)
    }
  }

  @Test func `a schema name selects between full-text tables of the same name`() throws {
    try connection.execute(
      sql:
        "CREATE VIRTUAL TABLE temp.note USING fts5(a); CREATE VIRTUAL TABLE main.note USING fts5(b)"
    )
    #expect(try connection.fullText("note").columns == ["a"])
    let table = try connection.fullText("note", schema: "main")
    #expect(table.columns == ["b"])
    try table.optimize()
  }

  @Test func `using a full-text table after its connection closes throws misuse`() throws {
    let table = try connection.fullText("a \"b\"")
    try connection.close()
    #expect(failure { try table.optimize() }?.code == .misuse)
    #expect(table.columns.count == 3)
  }

  @Test func `rebuilding a full-text table on a read-only connection throws`() throws {
    let folder = try TestFolder()
    do {
      let connection = try Connection(path: folder.file())
      try connection.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(a)")
    }
    let table = try Connection(path: folder.file(), readOnly: true).fullText("note")
    #expect(failure { try table.rebuild() }?.code.primary == .readOnly)
  }
}
