import Sluice
import SluiceSQL
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `children of rows` {
  private static let children = """
    -- @query booksOf
    -- @row Book
    -- @param authors: [Int] as array
    SELECT id, author, title FROM book WHERE author IN array(:authors);

    """

  private static func connection() throws -> Connection {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT NOT NULL);
        CREATE TABLE book(id INTEGER PRIMARY KEY, author INTEGER REFERENCES author, title TEXT NOT NULL);
        """)
    return connection
  }

  @Test func `a subquery of children can have a limit`() throws {
    let (_, diagnostics) = try check(
      """
      -- @query booksOf
      -- @param authors: [Int] as array
      SELECT id, author FROM book
      WHERE author IN array(:authors) AND id > (SELECT id FROM book ORDER BY id LIMIT 1);
      -- @query q
      -- @row Parent
      -- @children books: booksOf(authors: id) by author
      SELECT id, name FROM author;
      """, in: Self.connection())
    #expect(diagnostics == [])
  }

  private static let declarations = "-- @type author.code: UUID as uuidString"

  @Test
  func `the struct contains the children, and the function has the parameters of both queries`()
    throws
  {
    let (queries, diagnostics) = try check(
      Self.children.replacing("(:authors)", with: "(:authors) AND title LIKE :title") + """
        -- @query authors: many, live
        -- @children books: booksOf(authors: id) by author
        SELECT id, name FROM author WHERE name > :name;
        """, in: Self.connection())
    #expect(diagnostics == [])
    #expect(
      queries.last?.row?.properties.map(\.description) == [
        "id: Int", "name: String", "books: [Book]",
      ])
    let code = QueryGenerator(queries, file: "q.sql", declarations: Declarations()).code
    #expect(
      code.contains("func authors(name: String, title: String) async throws -> [AuthorsRow] {"))
    #expect(
      code.contains(
        "func observeAuthors(name: String, title: String) -> ValuePublisher<[AuthorsRow]> {"))
    #expect(code.contains("try self.booksOf(authors: $0, title: title)"))
  }

  @Test(arguments: [
    (
      "books: boksOf(authors: id) by author", "SELECT id FROM author",
      "6:21: error: there is no query boksOf in this file; did you mean booksOf?"
    ),
    (
      "books: booksOf(author: id) by author", "SELECT id FROM author",
      "6:29: error: booksOf has no parameter :author; did you mean authors?"
    ),
    (
      "books: booksOf(authors: ident) by author", "SELECT id FROM author",
      "6:38: error: the result of q has no column ident"
    ),
    (
      "books: booksOf(authors: id) by autor", "SELECT id FROM author",
      "6:45: error: the result of booksOf has no column autor; did you mean author?"
    ),
    (
      "books: booksOf(authors: name) by author", "SELECT id, name FROM author",
      "6:47: error: author of booksOf is Int, but name is String: keys must have the same type"
    ),
    (
      "books: booksOf(authors: name) by title", "SELECT id, name FROM author",
      "6:29: error: the parameter authors of booksOf receives the keys of all rows: write \"-- @param authors: [String] as array\""
        + " above booksOf"
    ),
    (
      "books: q(authors: id) by author", "SELECT id FROM author",
      "6:21: error: q contains the rows of q: children cannot be recursive"
    ),
    (
      "books: booksOf(authors: id) by author", "DELETE FROM author",
      "6:14: error: this statement returns no rows: remove @children"
    ),
    (
      "id: booksOf(authors: id) by author", "SELECT id FROM author",
      "7:8: error: two columns are named id: add \"AS name\" to one of them"
    ),
    (
      "books: booksOf(authors: id)", "SELECT id FROM author",
      "6:4: error: @children must have the form \"-- @children property: query(parameter: key) by column\""
    ),
    (
      "my books: booksOf(authors: id) by author", "SELECT id FROM author",
      "6:14: error: \"my books\" cannot be the name of a property"
    ),
    (
      "books: booksOf(authors: id) by author", "SELECT id, name FROM author WHERE :authors > id",
      ""
    ),
  ])
  func `a mistake in @children is reported with its position`(
    _ annotation: String, _ sql: String, _ expected: String
  ) throws {
    let text = "\(Self.children)-- @query q\n-- @children \(annotation)\n\(sql);"
    let (_, diagnostics) = try check(text, in: Self.connection())
    #expect(diagnostics == (expected.isEmpty ? [] : ["q.sql:\(expected)"]))
  }

  @Test func `rows with children cannot be streamed`() throws {
    let (_, diagnostics) = try check(
      Self.children + """
        -- @query q: many, stream
        -- @children books: booksOf(authors: id) by author
        SELECT id FROM author;
        """, in: Self.connection())
    #expect(diagnostics == ["q.sql:5:20: error: rows with children cannot be streamed"])
  }

  @Test(arguments: [
    (
      "DELETE FROM book WHERE author IN array(:authors) RETURNING id, author", "",
      "children come from a query that reads many rows: booksOf writes"
    ),
    (
      "SELECT id, author FROM book WHERE author IN array(:authors)", ": optional",
      "children come from a query that reads many rows: booksOf has another result"
    ),
    (
      "SELECT id, author FROM book WHERE author IN array(:authors) ORDER BY id LIMIT 3", "",
      "booksOf has a LIMIT, which would apply to the children of all rows together"
    ),
    (
      "SELECT author FROM book WHERE author IN array(:authors)", "",
      "a row of booksOf is a single value: add the key of the parent to its columns"
    ),
    (
      "SELECT id, author FROM book WHERE author IN array(:authors) AND title > :id", "",
      "the parameter id is Int in q, and String in booksOf"
    ),
    (
      "SELECT id, author FROM book WHERE author IN array(:authors) AND title > :Parent", "",
      "the parameter Parent of booksOf has the name of the row of q: rename it"
    ),
  ])
  func `a query that cannot read children is reported where it is named`(
    _ sql: String, _ form: String, _ expected: String
  ) throws {
    let (_, diagnostics) = try check(
      """
      -- @query booksOf\(form)
      -- @param authors: [Int] as array
      \(sql);
      -- @query q
      -- @row Parent
      -- @children books: booksOf(authors: id) by author
      SELECT id, name FROM author WHERE id = :id;
      """, in: Self.connection())
    #expect(diagnostics == ["q.sql:6:21: error: \(expected)"])
  }

  @Test func `queries whose children contain each other are reported once`() throws {
    let (queries, diagnostics) = try check(
      """
      -- @query booksOf
      -- @param authors: [Int] as array
      -- @children authors: authorsOf(books: id) by book
      SELECT id, author FROM book WHERE author IN array(:authors);
      -- @query authorsOf
      -- @param books: [Int] as array
      -- @children works: booksOf(authors: id) by author
      SELECT author.id, book.id AS book FROM author, book WHERE book.id IN array(:books);
      """, in: Self.connection())
    #expect(queries.isEmpty)
    #expect(
      diagnostics == [
        "q.sql:7:21: error: booksOf contains the rows of authorsOf: children cannot be recursive"
      ])
  }

  @Test func `the keys of children have the representation of the column`() throws {
    let text = { (type: String) in
      """
      -- @query authorsOf
      -- @param codes: \(type)
      SELECT id, code FROM author WHERE code IN array(:codes);
      -- @query q
      -- @children authors: authorsOf(codes: code) by code
      SELECT id, code FROM author;
      """
    }
    let connection = try Self.connection()
    let right = "[UUID as uuidString] as array"
    #expect(try check(text(right), in: connection, Self.declarations).diagnostics == [])
    #expect(
      try check(text("[UUID as uuidBytes] as array"), in: connection, Self.declarations).diagnostics
        == [
          "q.sql:5:33: error: the parameter codes of authorsOf receives the keys of all rows: write"
            + " \"-- @param codes: \(right)\" above authorsOf"
        ])
    for type in ["[UUID] as array", "[UUID?] as array"] {
      #expect(
        try check(text(type), in: connection, Self.declarations).diagnostics.first
          == "q.sql:2:11: error: UUID has no default representation: write for example \"\(right)\""
      )
    }
  }

  @Test(arguments: [
    ("Int", "[Int] as array", "as: { $0 }"),
    ("Code", "[Code] as array", "as: DatabaseValue.init(key:)"),
    ("Code", "[Code] as json", "as: DatabaseValue.init(key:)"), ("UInt8", "[UInt8]", nil),
    ("Code as hex", "[Code as hex] as array", "as: { $0 }"),
    ("String", "[String] as array", "as: DatabaseValue.init(key:)"),
  ])
  func `keys whose equality in Swift may differ from that in SQL are compared as SQL values`(
    _ key: String, _ keys: String, _ expected: String?
  ) throws {
    let (queries, diagnostics) = try check(
      """
      -- @query authorsOf
      -- @param codes: \(keys)
      -- @column code: \(key)
      SELECT id, code FROM author WHERE code IN (SELECT value FROM array(:codes));
      -- @query q
      -- @children authors: authorsOf(codes: code) by code
      -- @column code: \(key)
      SELECT id, code FROM author;
      """, in: Self.connection())
    let code = QueryGenerator(queries, file: "q.sql", declarations: Declarations()).code
    // An array of bytes without a representation is a BLOB, not a list of keys.
    #expect(diagnostics.isEmpty == (expected != nil))
    #expect(code.contains(expected ?? "adding") == (expected != nil))
  }

  @Test func `the message about an array of unknown type shows the annotation of an array`() throws
  {
    #expect(
      try parameters("SELECT id FROM book WHERE id IN array(:ids)", in: Self.connection())
        == [
          "q.sql:2:39: error: the type of :ids is unknown: write \"-- @param ids: [Type] as array\" above the query"
        ])
  }
}
