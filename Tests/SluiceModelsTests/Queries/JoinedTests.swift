import Foundation
import SluiceModels
import TestSupport
import Testing

private struct Author: Codable, Model, Equatable {
  static let table = ModelTable("author", key: \Author.id)
  var id: Int64?
  var name: String
  var born: Date?
}

private struct Book: Codable, Model, Equatable {
  static let table = ModelTable("book", key: \Book.id, .columnNames(.snakeCase))
  var id: Int64?
  var name: String
  var authorID: Int64?
}

/// A model that reads its own rows.
private struct Shelf: Model, Equatable {
  static let table = ModelTable(
    "shelf", key: \Shelf.id, columns: .column("id", \.id, .integer), .column("name", \.name, .text))
  var id: Int64
  var name: String

  init(id: Int64, name: String) { (self.id, self.name) = (id, name) }

  init(row: borrowing Row) throws {
    try self.init(id: row.get(.int64, named: "id"), name: row.get(.string, named: "name"))
  }

  func columnValues(for connection: Connection) -> ColumnValues {
    ["id": .int64(id), "name": .string(name)]
  }
}

@Suite(.tags(.models)) struct `joined rows` {
  private let db: Connection
  private let ada: Author
  private let eve: Author

  init() throws {
    db = try Connection.with(Author.self, Book.self, Shelf.self)
    ada = try db.insert(Author(name: "Ada", born: Date(timeIntervalSinceReferenceDate: 5)))
    eve = try db.insert(Author(name: "Eve"))
    try db.insert([
      Book(name: "Notes", authorID: 1), Book(name: "Anonymous"), Book(name: "Sketch", authorID: 1),
    ])
    try db.insert([Shelf(id: 1, name: "top"), Shelf(id: 2, name: "bottom")])
  }

  @Test func `each model is read from its own columns`() throws {
    let rows = try db.query(
      .models(Book.self, Author.self),
      """
      SELECT \(columns: Book.self), \(columns: Author.self)
      FROM book JOIN author ON author.id = book.author_id ORDER BY book.id
      """)
    #expect(rows.map(\.0.name) == ["Notes", "Sketch"])
    #expect(rows.map(\.0.id) == [1, 3] && rows.map(\.0.authorID) == [1, 1])
    #expect(rows.map(\.1) == [ada, ada])
  }

  @Test func `a row that an outer join does not find is nil`() throws {
    let rows = try db.query(
      .models(Author?.self, Book?.self),
      """
      SELECT \(columns: Author.self, of: "a"), \(columns: Book.self, of: "b")
      FROM book b FULL JOIN author a ON a.id = b.author_id ORDER BY b.id NULLS LAST
      """)
    #expect(rows.map(\.0?.name) == ["Ada", nil, "Ada", "Eve"])
    #expect(rows.map(\.1?.name) == ["Notes", "Anonymous", "Sketch", nil])
    let error = failure {
      try db.query(
        .models(Book.self, Author.self),
        """
        SELECT \(columns: Book.self), \(columns: Author.self)
        FROM book LEFT JOIN author ON author.id = book.author_id
        """)
    }
    #expect(error?.code == .mismatch && error?.message.hasSuffix("write Author?.self") == true)
    // A model whose properties are all optional would be read without an error.
    struct Blank: Codable, Model {
      static let table = ModelTable("author", key: \Blank.id)
      var id: Int64?
      var name: String?
    }
    let blank = failure {
      try db.query(
        .models(Book.self, Blank.self),
        """
        SELECT \(columns: Book.self), \(columns: Blank.self, of: "a")
        FROM book LEFT JOIN author a ON a.id = book.author_id
        """)
    }
    #expect(blank?.message.hasSuffix("write Blank?.self") == true)
  }

  @Test func `a table can be joined with itself, and models of any kind are combined`() throws {
    let rows = try db.query(
      .models(Book.self, Shelf.self, Book?.self, Author?.self),
      """
      SELECT \(columns: Book.self, of: "b"), \(columns: Shelf.self, of: "s"),
        \(columns: Book.self, of: "other"), \(columns: Author.self)
      FROM book b JOIN shelf s LEFT JOIN book other ON other.id = b.id + 1
        LEFT JOIN author ON author.id = b.author_id
      WHERE s.id = \(2) ORDER BY b.id
      """)
    #expect(rows.map(\.0.name) == ["Notes", "Anonymous", "Sketch"])
    #expect(rows.allSatisfy { $0.1 == Shelf(id: 2, name: "bottom") })
    #expect(rows.map(\.2?.name) == ["Anonymous", "Sketch", nil])
    #expect(rows.map(\.3?.name) == ["Ada", nil, "Ada"])
  }

  @Test func `another column follows the models`() throws {
    let sql: SQL = """
      FROM author LEFT JOIN book ON book.author_id = author.id GROUP BY author.id ORDER BY author.id
      """
    let counts = try db.query(
      .models(Author.self, and: .int), "SELECT \(columns: Author.self), count(book.id), 7 \(sql)")
    #expect(counts.map(\.0) == [ada, eve] && counts.map(\.1) == [2, 0])
    let books = try db.query(
      .models(Author.self, Book?.self, and: .optional(.string)),
      "SELECT \(columns: Author.self), \(columns: Book.self), max(book.name) \(sql)")
    #expect(books.map(\.1?.name) == ["Sketch", nil] && books.map(\.2) == ["Sketch", nil])
    let shelves = try db.query(
      .models(Author.self, Book?.self, Shelf.self, and: .int),
      """
      SELECT \(columns: Author.self), \(columns: Book.self), \(columns: Shelf.self), count(*)
      FROM author LEFT JOIN book ON book.author_id = author.id, shelf GROUP BY author.id, shelf.id
      """)
    #expect(shelves.map(\.2.name) == ["top", "bottom", "top", "bottom"])
    #expect(shelves.map(\.3) == [2, 2, 1, 1])
    let error = failure {
      try db.query(.models(Shelf.self, and: .int), "SELECT \(columns: Shelf.self) FROM shelf")
    }
    #expect(error?.code == .range)
  }

  @Test func `models in the wrong order are an error that names the model without a question mark`()
    throws
  {
    let error = failure {
      try db.query(
        .models(Author?.self, Shelf.self),
        "SELECT \(columns: Shelf.self), \(columns: Author.self) FROM shelf JOIN author")
    }
    #expect(error?.message.contains("write \\(columns: Author.self), and list the models") == true)
  }

  @Test func `the columns of tables that are selected with an asterisk are recognized`() throws {
    let rows = try db.query(
      .models(Shelf.self, Author.self),
      "SELECT shelf.*, author.* FROM shelf JOIN author ON author.id = shelf.id ORDER BY shelf.id")
    #expect(rows.map(\.0.name) == ["top", "bottom"] && rows.map(\.1) == [ada, eve])
  }

  @Test func `the case of the columns does not matter`() throws {
    try db.execute(sql: "CREATE TABLE other(ID INTEGER PRIMARY KEY, Name TEXT)")
    try db.execute(sql: "INSERT INTO other VALUES (1, 'x')")
    let rows = try db.query(
      .models(Shelf.self, Author.self),
      "SELECT other.*, author.id, author.name, author.born FROM other JOIN author ORDER BY 3")
    #expect(rows.map(\.0.name) == ["x", "x"] && rows.map(\.1) == [ada, eve])
  }

  @Test func `columns in the wrong place throw`() throws {
    let statements: [SQL] = [
      "SELECT author.*, shelf.* FROM shelf JOIN author",
      "SELECT shelf.id, author.* FROM shelf JOIN author",
      "SELECT shelf.* FROM shelf",
      "SELECT 1",
    ]
    for sql in statements {
      let error = failure { try db.query(.models(Shelf.self, Author.self), sql) }
      #expect(error?.code == .misuse && error?.message.contains(#"\(columns: "#) == true)
    }
  }

  @Test func `a statement follows a change of its tables`() throws {
    let statement = try db.prepare(sql: "SELECT shelf.*, author.* FROM shelf JOIN author LIMIT 1")
    let converter = RowConverter.models(Shelf.self, Author.self)
    #expect(try statement.query(converter).map(\.1.name) == ["Ada"])
    try db.execute(sql: "ALTER TABLE shelf ADD COLUMN extra")
    #expect(failure { try statement.query(converter) }?.code == .misuse)
    try db.execute(sql: "ALTER TABLE shelf DROP COLUMN extra")
    #expect(try statement.query(converter).map(\.1.name) == ["Ada"])
    // After a part of a row was read, a name refers to the first column again.
    #expect(try statement.query(.column(.string, named: "name")) == ["top"])
  }

  @Test func `an error in one model leaves the names of the row as they were`() throws {
    let statement = try db.prepare(
      "SELECT \(columns: Shelf.self), \(columns: Author.self) FROM shelf JOIN author ORDER BY 1, 3")
    try db.execute(sql: "UPDATE author SET born = 'never' WHERE id = 1")
    let converter = RowConverter.models(Shelf.self, Author.self)
    #expect(throws: DecodingError.self) { try statement.query(converter) }
    #expect(try statement.query(.column(.string, named: "name")).first == "top")
    try db.execute(sql: "UPDATE author SET born = NULL WHERE id = 1")
    #expect(try statement.query(converter).count == 4)
  }

  @Test func `an optional model that a type decodes itself is nil without a row`() throws {
    struct Entry: Decodable {
      var book: Book
      var author: Author?
      enum CodingKeys: CodingKey { case book, author }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        book = try container.decode(Book.self, forKey: .book)
        author = try container.decode(Author?.self, forKey: .author)
      }
    }
    let entries = try db.query(
      Entry.self,
      """
      SELECT \(columns: Book.self, as: "book"), \(columns: Author.self, as: "author")
      FROM book LEFT JOIN author ON author.id = book.author_id AND book.id = 1 ORDER BY book.id
      """)
    #expect(entries.map(\.author) == [ada] + Array(repeating: nil, count: entries.count - 1))
    #expect(entries.count > 1)
  }

  @Test func `children of many parents are one statement`() throws {
    var statements = 0
    let authors = [eve, ada, Author(name: "New"), ada]
    try db.trace(.statement) { _ in statements += 1 }
    let found = try db.fetch(Book.order(by: .descending(\.name)), of: authors, by: \.authorID)
    #expect(statements == 1)
    #expect(found.map(\.parent) == authors)
    #expect(
      found.map { $0.children.map(\.name) } == [[], ["Sketch", "Notes"], [], ["Sketch", "Notes"]])
    let some = try db.fetch(Book.where(\.name == "Notes"), of: [ada], by: \.authorID)
    #expect(some.map { $0.children.map(\.id) } == [[1]])
    #expect(try db.fetch(Book.all, of: [Author](), by: \.authorID).isEmpty)
    // A condition in SQL refers to the columns of the children only.
    #expect(
      failure { try db.fetch(Book.where(.sql("value > 0")), of: [ada], by: \.authorID) }?.message
        == "no such column: value")
  }
}

/// `Decodable` values inside a row, from columns with a prefix.
@Suite(.tags(.models)) struct `nested values of rows` {
  private struct Entry: Decodable, Equatable {
    struct Place: Decodable, Equatable {
      struct Land: Decodable, Equatable { var code: String }
      var city: String
      var land: Land?
    }
    var id: Int
    var place: Place
    var former: Place?
    var tags: [String]?
  }

  @Test func `columns with a prefix are the properties of a nested value`() throws {
    let db = try Connection()
    let rows = try db.query(
      Entry.self,
      sql: """
        SELECT 1 AS id, 'Rome' AS "place.city", 'IT' AS "place.land.code", NULL AS "former.city",
          NULL AS "former.land.code", '["a"]' AS tags
        UNION ALL SELECT 2, 'Oslo', NULL, 'Bern', NULL, NULL
        """)
    let rome = Entry.Place(city: "Rome", land: .init(code: "IT"))
    #expect(
      rows == [
        Entry(id: 1, place: rome, former: nil, tags: ["a"]),
        Entry(id: 2, place: .init(city: "Oslo", land: nil), former: .init(city: "Bern"), tags: nil),
      ])
  }

  @Test func `a column with the name of the property comes first`() throws {
    let db = try Connection()
    let rows = try db.query(
      Entry.self,
      sql: #"SELECT 1 AS id, '{"city": "Rome"}' AS place, 'Oslo' AS "place.city""#)
    #expect(rows == [Entry(id: 1, place: .init(city: "Rome"))])
  }

  @Test func `a nested value without columns is missing`() throws {
    let db = try Connection()
    #expect(throws: DecodingError.self) { try db.query(Entry.self, sql: "SELECT 1 AS id") }
    #expect(throws: DecodingError.self) {
      try db.query(Entry.self, sql: #"SELECT 1 AS id, 'x' AS "place.land.code""#)
    }
    #expect(throws: DecodingError.self) {
      try db.query(Entry.self, sql: #"SELECT 1 AS id, NULL AS "place.city""#)
    }
  }

  @Test(arguments: [false, true])
  func `models are nested by the columns of their tables, with converted names`(
    _ isConverted: Bool
  ) throws {
    struct Line: Decodable { var theBook: Book, author: Author? }
    let db = try Connection.with(Author.self, Book.self)
    try db.insert(Author(name: "Ada"))
    try db.insert([Book(name: "Notes", authorID: 1), Book(name: "Other")])
    var strategies = CodingStrategies()
    if isConverted { strategies.keys = .snakeCase }
    db.codingStrategies = strategies
    let lines = try db.query(
      Line.self,
      """
      SELECT \(columns: Book.self, as: isConverted ? "the_book" : "theBook"), \(columns: Author.self, of: "a", as: "author")
      FROM book LEFT JOIN author a ON a.id = book.author_id ORDER BY book.id
      """)
    #expect(lines.map(\.theBook.authorID) == [1, nil])
    #expect(lines.map(\.author?.name) == ["Ada", nil])
  }
}
