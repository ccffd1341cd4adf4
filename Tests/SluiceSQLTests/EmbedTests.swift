import Sluice
import SluiceSQL
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `embedded structs` {
  private static func connection() throws -> Connection {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER);
        CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT NOT NULL, author INTEGER REFERENCES author);
        CREATE TABLE tag(name TEXT, book INTEGER);
        CREATE TABLE main_shelf(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT);
        CREATE TABLE seat("window" TEXT NOT NULL, "left" INTEGER, "right" INTEGER);
        CREATE TABLE 書(id INTEGER PRIMARY KEY);
        CREATE TABLE "array"(id INTEGER PRIMARY KEY);
        CREATE VIEW written AS
          SELECT book.id, book.title, author.name FROM book LEFT JOIN author ON author.id = author;
        """)
    return connection
  }

  /// Returns the properties of a query's row, with those of the structs in it, followed by the diagnostics.
  private func row(_ text: String) throws -> [String] {
    let (queries, diagnostics) = try check("-- @query q\n\(text)", in: Self.connection())
    return (queries.first?.row?.properties.map(\.description) ?? []) + diagnostics
  }

  @Test(arguments: [
    (
      "-- @embed book, author\nSELECT book.*, author.*, count(*) OVER () AS total FROM book JOIN author",
      [
        "book: Book(id: Int, title: String, author: Int?)",
        "author: Author(id: Int, name: String, born: Int?)", "total: Int",
      ]
    ),
    (
      "-- @embed author: Writer\nSELECT book.id, author.* FROM book LEFT JOIN author ON author.id = author",
      ["id: Int", "author: Writer?(id: Int, name: String, born: Int?)"]
    ),
    (
      "-- @embed book\n-- @embed author\nSELECT book.*, author.* FROM book RIGHT JOIN author ON author.id = author",
      [
        "book: Book?(id: Int, title: String, author: Int?)",
        "author: Author(id: Int, name: String, born: Int?)",
      ]
    ),
    (
      "-- @embed book, author\nSELECT book.title, author.name FROM book FULL JOIN author ON author.id = author",
      ["book: Book?(title: String)", "author: Author?(name: String)"]
    ),
    (
      "-- @embed a: Author, b: Author\nSELECT a.*, b.* FROM author a LEFT JOIN author AS b ON b.id = a.born",
      [
        "a: Author(id: Int, name: String, born: Int?)",
        "b: Author?(id: Int, name: String, born: Int?)",
      ]
    ),
    (
      "-- @embed author\nSELECT book.id, author.id, \"author\".name AS author_name FROM book LEFT JOIN author WHERE author.id > 0",
      ["id: Int", "author: Author(id: Int, authorName: String)"]
    ),
    (
      "-- @embed main_shelf\nSELECT main.main_shelf.name FROM main.main_shelf",
      ["mainShelf: MainShelf(name: String)"]
    ),
    (
      "-- @embed written\nSELECT author.id, written.* FROM author LEFT JOIN written ON written.id = author.id",
      ["id: Int", "written: Written?(id: Int, title: String, name: String?)"]
    ),
    (
      "-- @embed n\nSELECT author.id, n.* FROM author LEFT JOIN (SELECT author, count(*) AS books FROM book GROUP BY 1) AS n"
        + " ON n.author = author.id",
      ["id: Int", "n: N?(author: Int?, books: Int)"]
    ),
    (
      "-- @embed c\nWITH c(x, y) AS (SELECT id, born FROM author) SELECT book.id, c.* FROM book LEFT JOIN c ON c.x = book.author",
      ["id: Int", "c: C?(x: Int, y: Int?)"]
    ),
    (
      "-- @embed book, author\nSELECT tag.name, book.*, author.* FROM tag LEFT JOIN (book JOIN author ON author.id = author)"
        + " ON book.id = tag.book",
      [
        "name: String?", "book: Book?(id: Int, title: String, author: Int?)",
        "author: Author?(id: Int, name: String, born: Int?)",
      ]
    ),
    (
      "-- @embed author\nSELECT author.*, count(book.id) AS books FROM author LEFT JOIN book ON book.author = author.id GROUP BY author.id",
      ["author: Author(id: Int, name: String, born: Int?)", "books: Int"]
    ),
    (
      "-- @embed book\nSELECT book.*, count(*) AS count FROM book",
      ["book: Book?(id: Int, title: String, author: Int?)", "count: Int"]
    ),
    (
      "-- @embed s\nSELECT s.one, s.name, count(*) AS count FROM (SELECT 1 AS one, name FROM author) AS s",
      ["s: S?(one: Int, name: String)", "count: Int"]
    ),
    (
      "-- @embed tag: Tag?\nSELECT book.id, tag.* FROM book LEFT JOIN tag ON tag.book = book.id",
      ["id: Int", "tag: Tag?(name: String?, book: Int?)"]
    ),
    (
      "-- @embed tag\nSELECT author.id, tag.* FROM book JOIN tag ON tag.book = book.id LEFT JOIN author ON author.id = author",
      ["id: Int?", "tag: Tag(name: String?, book: Int?)"]
    ),
    (
      "-- @embed book\nINSERT INTO book(title) VALUES ('x') RETURNING book.id, book.title, 1 AS one",
      ["book: Book(id: Int, title: String)", "one: Int"]
    ),
    (
      "-- @embed book\nSELECT book.id FROM book UNION SELECT id FROM author",
      ["book: Book(id: Int)"]
    ),
    (
      "-- @embed author\n-- @column author.born: UInt16?\nSELECT author.id, author.born FROM author",
      ["author: Author(id: Int, born: UInt16?)"]
    ),
    (
      "-- @embed Author, HTTPLog\nSELECT Author.id, HTTPLog.name FROM Author JOIN main_shelf AS HTTPLog",
      ["author: Author(id: Int)", "httpLog: HTTPLog(name: String)"]
    ),
    (
      "-- @embed seat\nSELECT seat.window, seat.left, 1 AS x FROM seat WINDOW w AS (ORDER BY seat.left)",
      ["seat: Seat(window: String, left: Int?)", "x: Int"]
    ),
    (
      "-- @embed tag\nSELECT tag.* FROM seat AS a JOIN seat AS b ON a.left = b.right JOIN tag ON b.left",
      ["tag: Tag(name: String?, book: Int?)"]
    ),
    (
      "-- @embed note, author\nSELECT note.id, note.text, author.* FROM note RIGHT JOIN author USING (id)",
      [
        "note: Note?(id: Int, text: String?)", "author: Author(id: Int, name: String, born: Int?)",
      ]
    ),
    (
      "-- @embed note, author\nSELECT note.id, author.* FROM note NATURAL FULL JOIN author",
      ["note: Note?(id: Int)", "author: Author?(id: Int, name: String, born: Int?)"]
    ),
    (
      "-- @embed author, note\nSELECT author.*, note.* FROM author LEFT OUTER JOIN note USING (id)",
      [
        "author: Author(id: Int, name: String, born: Int?)", "note: Note?(id: Int, text: String?)",
      ]
    ),
    (
      "-- @embed book, author\n-- @column author.id: Int64\nSELECT tag.name, book.*, author.*"
        + " FROM tag LEFT JOIN (book JOIN author ON author.id = author) ON book.id = tag.book",
      [
        "name: String?", "book: Book?(id: Int, title: String, author: Int?)",
        "author: Author?(id: Int64, name: String, born: Int?)",
      ]
    ),
    (
      "-- @embed t: T\nWITH t AS (SELECT 1) SELECT /* FROM */ t.* -- FROM\n, 2 AS y"
        + " FROM book LEFT JOIN (SELECT 1, 2), [main].`author` AS \"t\"",
      ["t: T(id: Int, name: String, born: Int?)", "y: Int"]
    ),
  ])
  func `the row contains a struct, which is optional if a join can leave it out`(
    _ text: String, _ expected: [String]
  ) throws {
    #expect(try row(text) == expected)
  }

  @Test(arguments: [
    (
      "-- @embed autor\nSELECT author.* FROM author",
      "2:11: error: no column of the result is written as autor.…; did you mean author?"
    ),
    (
      "-- @embed \"order\"\nSELECT \"order\".* FROM author AS \"order\"",
      "2:11: error: no column of the result is written as \"order\".…; did you mean order?"
    ),
    (
      "-- @embed author\nSELECT * FROM author",
      "2:11: error: no column of the result is written as author.…; write author.* instead of *"
    ),
    (
      "-- @embed author\nSELECT name, born FROM author",
      "2:11: error: no column of the result is written as author.…; add author.* to it"
    ),
    (
      "-- @embed book, author\nSELECT book.id, author.id, book.title FROM book, author",
      "3:28: error: the columns of book are not consecutive: move this one next to the others"
    ),
    (
      "-- @embed book\nSELECT book.* FROM book, (SELECT 1 AS x) AS book",
      "2:11: error: two parts of the result are book: give each table its own alias in FROM"
    ),
    ("-- @embed book, Book: B\nSELECT book.* FROM book", "2:17: error: @embed Book is repeated"),
    (
      "-- @embed tag\nSELECT book.id, tag.* FROM book LEFT JOIN tag",
      "2:11: error: tag may be missing, but none of its columns in the result is NOT NULL: add such a column, or write"
        + " \"-- @embed tag: Tag?\", which is nil if all columns are NULL"
    ),
    (
      "-- @embed book: author\nSELECT book.* FROM book",
      "2:17: error: author is the name of a struct: begin it with an uppercase letter"
    ),
    (
      "-- @embed book: Row\nSELECT book.* FROM book", "2:17: error: a type named Row already exists"
    ),
    (
      "-- @embed book: [Book]\nSELECT book.* FROM book",
      "2:17: error: \"[Book]\" is not the name of a struct: write \"Type\", \"Type?\" or \"Type shared\""
    ),
    (
      "-- @embed book:\nSELECT book.* FROM book",
      "2:11: error: @embed must have the form \"-- @embed table\" or \"-- @embed table: Type\""
    ),
    (
      "-- @embed book\nDELETE FROM book",
      "2:11: error: this statement returns no rows: remove @embed"
    ),
    (
      "-- @embed book\nSELECT book.*, book.id FROM book",
      "3:21: error: two columns of book are named id: add \"AS name\" to one of them"
    ),
    (
      "-- @embed book\nSELECT book.id, 1 AS book FROM book",
      "3:22: error: two columns are named book: add \"AS name\" to one of them"
    ),
    (
      "-- @embed a_b, aB\nSELECT a_b.id, aB.id FROM book a_b, book aB",
      "2:16: error: two properties are named aB"
    ),
    (
      "-- @embed book\n-- @column title: Title\nSELECT book.* FROM book",
      "3:12: error: the result has no column title; did you mean book.title?"
    ),
    (
      "-- @embed a: Author, b: Author\nSELECT a.id, b.name FROM author a, author b",
      "2:25: error: Author has id: Int in q, and name: String here"
    ),
    (
      "-- @embed a\nSELECT a.id FROM author a WHERE a.name = :A",
      "3:42: error: :A cannot be the name of a parameter in Swift: rename it"
    ),
    (
      "-- @embed note: Note?\nSELECT note.id, note.text FROM note RIGHT JOIN author USING (id) WHERE :Note = 1",
      "3:72: error: :Note cannot be the name of a parameter in Swift: rename it"
    ),
    (
      "-- @embed note\nSELECT note.*, author.name FROM note RIGHT JOIN author USING (id)",
      "2:11: error: note may be missing, but note.* reads the common columns of the join from either table: write the columns"
        + " instead of the star"
    ),
    (
      "-- @embed note\nVALUES (1, 2)", "2:11: error: no column of the result is written as note.…"
    ),
    (
      "-- @embed author: Writer\nSELECT author.id, 1 AS Writer FROM author",
      "3:24: error: column 2, Writer, cannot be the name of a property: add \"AS name\""
    ),
    (
      "-- @embed 書\nSELECT 書.* FROM 書",
      "2:11: error: a struct in the row is also named 書: rename one of them"
    ),
    (
      "-- @embed array\nSELECT array.* FROM array",
      "2:11: error: a type named Array already exists"
    ),
  ])
  func `a mistake in @embed is reported with its position`(_ text: String, _ expected: String)
    throws
  {
    let (_, diagnostics) = try check("-- @query q\n\(text)", in: Self.connection())
    #expect(diagnostics == ["q.sql:\(expected)"])
  }

  @Test func `a row and a part of a row share a struct, and differences are reported`() throws {
    let book = "-- @query book\n-- @row Book\nSELECT id, title FROM book;\n"
    let shelf = "-- @query shelf\n-- @embed book\nSELECT book.id, book.title, 1 AS x FROM book;\n"
    #expect(try check(book + shelf, in: Self.connection()).diagnostics == [])
    let other = shelf.replacing("title", with: "author")
    #expect(
      try check(book + other, in: Self.connection()).diagnostics == [
        "q.sql:5:11: error: Book has title: String in book, and author: Int? here"
      ])
  }

  @Test func `structs differ if one of them reads a property from other columns`() throws {
    let shelf =
      "-- @query shelf\n-- @row Shelf\n-- @embed author\nSELECT author.id, author.name, 1 AS x FROM author;\n"
    let other =
      "-- @query other\n-- @row Shelf\n-- @column author: Author\nSELECT name AS author, 1 AS x FROM author;\n"
    #expect(
      try check(shelf + other, in: Self.connection()).diagnostics == [
        "q.sql:6:9: error: Shelf reads author from other columns in shelf than here: use two structs"
      ])
  }

  @Test func `files share an embedded struct only if both declare it as shared`() throws {
    for (first, second, count) in [
      (": shared", ": Book shared", 0), (": shared", ": Book", 1), ("", ": Book shared", 1),
    ] {
      let files = [
        "-- @query book\n-- @row Book\(first)\nSELECT id, title FROM book",
        "-- @query shelf\n-- @embed book\(second)\nSELECT book.id, book.title FROM book",
      ].enumerated().map { QueryFile(SourceText(path: "\($0).sql", text: $1)) }
      let found = Project.twins(in: files)
      #expect(found.count == count)
      #expect(found.allSatisfy { $0.path == "1.sql" && $0.line == 2 && $0.column == 17 })
    }
  }

  @Test func `a constant does not show that a row is missing`() throws {
    let (queries, _) = try check(
      """
      -- @query q
      -- @embed s
      SELECT s.one, s.born, s.name, count(*) AS count FROM (SELECT 1 AS one, born, name FROM author) s
      """, in: Self.connection())
    #expect(queries.first?.parts.map(\.absence) == [[2]])
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `in random joins, a struct is nil exactly in the rows that lack its table`() throws {
    let connections = try NullDatabases.connections()
    var checker = QueryChecker(try CheckedSchema(connections[0]))
    var (checked, parts, optional, missing, present) = (0, 0, 0, 0, 0)
    let seeds = seeds(100, long: 4000)
    for seed in seeds {
      var random = RandomQuery(seed: UInt64(seed))
      let join = random.join()
      // In some joins, USING finds no common column, or NATURAL finds too many.
      guard (try? connections[0].prepare(sql: join.sql)) != nil else { continue }
      let file = QueryFile(SourceText(path: "q.sql", text: join.text))
      let (queries, diagnostics) = checker.check(file)
      guard let query = queries.first else {
        // Two columns have one name, no column is NOT NULL, or no row is possible, so that no type is known.
        #expect(
          diagnostics.allSatisfy {
            ["may be missing", "named", "is unknown"].contains(where: $0.message.contains)
          }, "\(diagnostics) \(join.text)")
        continue
      }
      checked += 1
      #expect(query.parts.map(\.label) == join.aliases, "\(join.text)")
      parts += query.parts.count
      optional += query.parts.count { $0.absence != nil }
      let firstKey = query.columns.count - join.aliases.count
      for connection in connections {
        let statement = try connection.prepare(sql: join.sql)
        try statement.forEachRow { row in
          for (index, part) in query.parts.enumerated() {
            let exists = try !row.isNull(at: firstKey + index)
            let nulls = try part.columns.filter { try row.isNull(at: $0) }
            let isNil = part.absence?.allSatisfy { nulls.contains(part.columns.lowerBound + $0) }
            if isNil == true {
              missing += 1
              #expect(!exists, "\(part.label): \(join.text)")
            } else {
              present += 1
              #expect(exists, "\(part.label): \(join.text)")
              #expect(
                nulls.allSatisfy { query.columns[$0].isOptional }, "\(part.label): \(join.text)")
            }
          }
        }
      }
    }
    let counts: Comment = "\(checked), \(parts), \(optional), \(missing), \(present) of \(seeds)"
    #expect(checked * 3 > seeds.count, counts)
    #expect(optional * 5 > parts && optional * 5 < 4 * parts, counts)
    #expect(missing > checked && present > checked, counts)
  }
}

extension CheckedQuery.Column {
  fileprivate var isOptional: Bool {
    type.swift.hasSuffix("?") || type.swift == "DatabaseValue"
  }
}
