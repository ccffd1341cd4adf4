import Foundation
import SluiceModels
import SluiceTesting
import TestSupport
import Testing

private struct Author: Codable, Equatable, Model {
  static let table = ModelTable("author", key: \Author.id)
  var id: Int64?
  var name: String
}

private struct Book: Codable, Equatable, Model {
  static let table = ModelTable("book", key: \Book.id, .index(\.author))
  var id: Int64?
  var title: String
  var author: Int64?
}

private struct Chapter: Codable, Equatable, Model {
  static let table = ModelTable("chapter", key: \Chapter.id)
  var id: Int64
  var book: Int64
}

private struct Tag: Codable, Equatable, Model {
  static let table = ModelTable("tag", key: \Tag.name, .withoutRowid)
  var name: String
}

/// The table between books and tags.
private struct Label: Codable, Equatable, Model {
  static let table = ModelTable("label", key: \Label.book, and: \.tag)
  var book: Int64
  var tag: String
  var weight = 1
}

private struct Place: Codable, Equatable, Model {
  static let table = ModelTable("place", key: \Place.country, and: \.city)
  var country: String
  var city: String
}

private struct House: Codable, Equatable, Model {
  static let table = ModelTable("house", key: \House.id)
  var id: Int64
  var country: String
  var city: String
}

/// A house whose place can be unknown.
private struct Tent: Codable, Equatable, Model {
  static let table = ModelTable("tent", key: \Tent.id)
  var id: Int64
  var country: String?
  var city: String?
}

/// People who know each other: both keys refer to one table.
private struct Acquaintance: Codable, Equatable, Model {
  static let table = ModelTable("acquaintance", key: \Acquaintance.first, and: \.second)
  var first: Int64
  var second: Int64
}

/// A row that refers to a row of its own table.
private struct Folder: Codable, Equatable, Model {
  static let table = ModelTable("folder", key: \Folder.id)
  var id: Int64
  var parent: Int64
}

@Suite(.tags(.models)) struct `relations` {
  let db: Connection
  private let authors: [Author]

  init() throws {
    db = try Connection()
    for sql in [
      try db.tableSQL(of: Author.self), try db.tableSQL(of: Book.self),
      try db.tableSQL(of: Chapter.self), try db.tableSQL(of: Tag.self),
      try db.tableSQL(of: Label.self), try db.tableSQL(of: Place.self),
      try db.tableSQL(of: House.self), try db.tableSQL(of: Tent.self),
      try db.tableSQL(of: Acquaintance.self),
      try db.tableSQL(of: Folder.self),
    ].joined() { try db.prepare(sql: sql).execute() }
    authors = try db.insert(["Ada", "Bob", "Eve"].map { Author(name: $0) })
    // Ada has the books 1 to 5, Bob has 6 and 7, nobody has 8, and Eve has none.
    for number in 1...8 {
      let author: Int64? = number <= 5 ? 1 : number <= 7 ? 2 : nil
      try db.insert(Book(title: "\(9 - number)", author: author))
    }
    for number in 1...12 { try db.insert(Chapter(id: Int64(number), book: Int64(number % 3) + 5)) }
    try db.insert(["a", "b", "c", "d"].map { Tag(name: $0) })
    for (book, tags) in [(1, ["a", "b", "c"]), (2, ["b"]), (6, ["c", "a"])] {
      for (index, tag) in tags.enumerated() {
        try db.insert(Label(book: Int64(book), tag: tag, weight: index + 1))
      }
    }
  }

  /// Returns the number of statements that `body` runs.
  private func statements(_ body: () throws -> Void) throws -> Int {
    var count = 0
    try db.trace(.statement) { _ in count += 1 }
    try body()
    return count
  }

  @Test func `a limit and an order apply to the children of each parent`() throws {
    let first = try db.fetch(Book.order(by: \.title).limit(2), of: authors, by: \.author)
    #expect(first.map { $0.children.map(\.title) } == [["4", "5"], ["2", "3"], []])
    let next = try db.fetch(
      Book.order(by: .descending(\.title)).limit(2, offset: 1), of: authors, by: \.author)
    #expect(next.map { $0.children.map(\.title) } == [["7", "6"], ["2"], []])
    let rest = try db.fetch(Book.order(by: \.title).offset(4), of: authors, by: \.author)
    #expect(rest.map { $0.children.map(\.title) } == [["8"], [], []])
    let none = try db.fetch(Book.order(by: \.title).limit(0), of: authors, by: \.author)
    #expect(none.map(\.children.isEmpty) == [true, true, true])
    let long = Book.where(\.title > "5" || \.title == "2").order(by: \.title)
    #expect(
      try db.fetch(long.limit(2), of: authors, by: \.author).map { $0.children.map(\.title) }
        == [["6", "7"], ["2"], []])
    #expect(
      failure { try db.fetch(Book.all.limit(-1), of: authors, by: \.author) }?.code == .range)
  }

  @Test func `a limit for each parent reads only the rows that it returns`() throws {
    try db.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
      INSERT INTO book(title, author) SELECT 'x', 1 FROM n
      """)
    var steps = 0
    let token = try db.onProgress(every: 10) { steps += 1 }
    let found = try db.fetch(Book.order(by: \.author, \.id).limit(2), of: authors, by: \.author)
    token.cancel()
    #expect(found.map(\.children.count) == [2, 2, 0])
    #expect(steps < 1000)
  }

  @Test func `a limit for the rows of a view is refused, because they have no identity`() throws {
    struct Shown: Codable, Model {
      static let table = ModelTable("shown", key: \Shown.id)
      var id: Int64
      var author: Int64
    }
    try db.execute("CREATE VIEW shown AS SELECT id, author FROM book WHERE author IS NOT NULL")
    #expect(
      try db.fetch(Shown.all, of: authors, by: \.author).map(\.children.count) == [5, 2, 0])
    let error = failure { try db.fetch(Shown.all.limit(1), of: authors, by: \.author) }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("\"shown\" is none") == true)
  }

  @Test func `children of children are one more statement`() throws {
    var library: [(parent: Author, children: [(parent: Book, children: [Chapter])])] = []
    let count = try statements {
      let books = try db.fetch(Book.order(by: \.id), of: authors, by: \.author)
      library = try db.fetch(Chapter.order(by: \.id), of: books, by: \.book)
    }
    #expect(count == 2)
    #expect(library.map(\.parent) == authors)
    #expect(library.map { $0.children.map(\.parent.id) } == [[1, 2, 3, 4, 5], [6, 7], []])
    #expect(
      library.map { $0.children.map { $0.children.map(\.id) } } == [
        [[], [], [], [], [3, 6, 9, 12]], [[1, 4, 7, 10], [2, 5, 8, 11]], [],
      ])
    // The books of authors are children by an optional property, too.
    let houses = [(parent: "all", children: authors)]
    let nested = try db.fetch(Book.order(by: \.id), of: houses, by: \.author)
    #expect(nested.map { $0.children.map(\.children.count) } == [[5, 2, 0]])
  }

  @Test func `many-to-many is one statement`() throws {
    let books = try db.fetch(Book.self, keys: [6, 1, 3, 1])
    var found: [(parent: Book, children: [Tag])] = []
    let count = try statements {
      found = try db.fetch(Tag.order(by: \.name), of: books, through: \Label.book, \Label.tag)
    }
    #expect(count == 1)
    #expect(found.map(\.parent.id) == [6, 1, 3, 1])
    #expect(
      found.map { $0.children.map(\.name) } == [
        ["a", "c"], ["a", "b", "c"], [], ["a", "b", "c"],
      ])
    let tags = try db.fetch(Tag.order(by: \.name))
    let other = try db.fetch(Book.order(by: \.id), of: tags, through: \Label.tag, \Label.book)
    #expect(other.map { $0.children.map(\.id) } == [[1, 6], [1, 2], [1, 6], []])
  }

  @Test func `the query of many-to-many filters, orders by the table in between, and limits`()
    throws
  {
    let books = try db.fetch(Book.self, keys: [1, 6])
    let heavy = Tag.where(.sql("label.weight > 1")).order(by: .sql("label.weight DESC"))
    #expect(
      try db.fetch(heavy, of: books, through: \Label.book, \Label.tag).map {
        $0.children.map(\.name)
      }
        == [["c", "b"], ["a"]])
    let last = Tag.order(by: .descending(\.name)).limit(1)
    #expect(
      try db.fetch(last, of: books, through: \Label.book, \Label.tag).map {
        $0.children.map(\.name)
      }
        == [["c"], ["c"]])
  }

  @Test
  func `a row that is linked twice counts once for a limit, which orders by the table in between`()
    throws
  {
    struct Mark: Codable, Model {
      static let table = ModelTable("mark", key: \Mark.id)
      var id: Int64?
      var author: Int64
      var book: Int64
      var place: Int
    }
    try db.createTable(of: Mark.self)
    for (book, place) in [(1, 9), (1, 8), (2, 7), (3, 6)] {
      try db.insert(Mark(author: 1, book: Int64(book), place: place))
    }
    func ids(_ query: ModelQuery<Book>) throws -> [[Int64?]] {
      try db.fetch(query, of: authors, through: \Mark.author, \Mark.book)
        .map { $0.children.map(\.id) }
    }
    let all = Book.order(by: \.id)
    #expect(try ids(all) == [[1, 1, 2, 3], [], []])
    #expect(try ids(all.limit(2)) == [[1, 2], [], []])
    #expect(try ids(all.limit(2, offset: 1)) == [[2, 3], [], []])
    #expect(try ids(all.offset(2)) == [[3], [], []])
    #expect(try ids(Book.order(by: .sql("mark.place")).limit(2)) == [[3, 2], [], []])
    let counts = try db.count(
      all.limit(2), of: authors, through: \Mark.author, \Mark.book)
    #expect(counts.map(\.count) == [2, 0, 0])
  }

  @Test func `rows of one table are linked with each other`() throws {
    for (first, second) in [(1, 2), (1, 3), (3, 1)] {
      try db.insert(Acquaintance(first: Int64(first), second: Int64(second)))
    }
    let known = try db.fetch(
      Author.order(by: \.name), of: authors, through: \Acquaintance.first, \Acquaintance.second)
    #expect(known.map { $0.children.map(\.name) } == [["Bob", "Eve"], [], ["Ada"]])

    // The table in between can be that of the children.
    try db.insert([Folder(id: 1, parent: 0), Folder(id: 2, parent: 1), Folder(id: 3, parent: 1)])
    let folders = try db.fetch(Folder.order(by: \.id))
    let below = try db.fetch(
      Folder.order(by: \.id), of: folders, through: \Folder.parent, \Folder.id)
    #expect(below.map { $0.children.map(\.id) } == [[2, 3], [], []])
  }

  @Test func `parents with composite keys have children`() throws {
    let places = [("a", "x"), ("a", "y"), ("b", "x")].map { Place(country: $0, city: $1) }
    for (index, place) in (places + [places[0]]).enumerated() {
      try db.insert(House(id: Int64(index), country: place.country, city: place.city))
    }
    let houses = try db.fetch(
      House.order(by: \.id), of: places.reversed(), by: \.country, and: \.city)
    #expect(houses.map(\.parent) == places.reversed())
    #expect(houses.map { $0.children.map(\.id) } == [[2], [1], [0, 3]])
    let last = House.order(by: .descending(\.id)).limit(1)
    #expect(
      try db.fetch(last, of: places, by: \.country, and: \.city).map { $0.children.map(\.id) }
        == [[3], [1], [2]])

    try db.insert([
      Tent(id: 1, country: "a", city: "y"), Tent(id: 2), Tent(id: 3, country: "b", city: nil),
    ])
    let tents = try db.fetch(Tent.order(by: \.id), of: places, by: \.country, and: \.city)
    #expect(tents.map { $0.children.map(\.id) } == [[], [1], []])
  }

  @Test func `children are counted beside each parent`() throws {
    let new = Author(name: "New")
    let parents = authors + [new, authors[0]]
    #expect(try statements { _ = try db.count(Book.all, of: parents, by: \.author) } == 1)
    let counts = try db.count(Book.all, of: parents, by: \.author)
    #expect(counts.map(\.parent) == parents)
    #expect(counts.map(\.count) == [5, 2, 0, 0, 5])
    #expect(
      try db.count(Book.where(\.title < "5"), of: authors, by: \.author).map(\.count) == [1, 2, 0])
    #expect(
      try db.count(Book.order(by: \.title).limit(3), of: authors, by: \.author).map(\.count)
        == [3, 2, 0])
    let books = try db.fetch(Book.self, keys: [1, 3])
    #expect(try db.count(Chapter.all, of: books, by: \.book).map(\.count) == [0, 0])
    #expect(
      try db.count(Tag.all, of: books, through: \Label.book, \Label.tag).map(\.count) == [3, 0])
    #expect(try db.count(Book.all, of: [Author](), by: \.author).isEmpty)
  }

  @Test(arguments: 0..<20) func `relations agree with loops over all rows`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try db.deleteAll(Book.self)
    let parents = (0..<Int.random(in: 0...30, using: &random)).map {
      Author(id: $0 % 7 == 0 ? nil : Int64($0 % 10), name: "\($0)")
    }
    var books: [Book] = []
    for id in 1...60 {
      let author = Int64.random(in: -1...10, using: &random)
      let title = "\(Int.random(in: 10...99, using: &random))"
      books.append(
        try db.insert(Book(id: Int64(id), title: title, author: author < 0 ? nil : author)))
    }
    let (limit, offset) = (
      Int.random(in: 0...5, using: &random), Int.random(in: 0...3, using: &random)
    )
    let query = Book.where(\.title > "30").order(by: \.title, \.id)
    let expected = parents.map { parent in
      books.filter { $0.author != nil && $0.author == parent.id && $0.title > "30" }
        .sorted { ($0.title, $0.id ?? 0) < ($1.title, $1.id ?? 0) }
    }
    #expect(try db.fetch(query, of: parents, by: \.author).map(\.children) == expected)
    let limited = expected.map { Array($0.dropFirst(offset).prefix(limit)) }
    let cut = query.limit(limit, offset: offset)
    #expect(try db.fetch(cut, of: parents, by: \.author).map(\.children) == limited)
    #expect(try db.count(cut, of: parents, by: \.author).map(\.count) == limited.map(\.count))
    #expect(try db.count(query, of: parents, by: \.author).map(\.count) == expected.map(\.count))
  }

  @Test func `a condition is put into the SQL of a join`() throws {
    let condition: Condition<Book> = .like(\.title, "4%") || .in(\.id, [6]) && !(\.title == "x")
    let found = try db.query(
      .models(Book.self, Author.self),
      """
      SELECT \(columns: Book.self, of: "b"), \(columns: Author.self)
      FROM book AS b JOIN author ON author.id = b.author
      WHERE \(db.sql(of: condition, as: "b")) AND author.name <> 'x' ORDER BY b.id
      """)
    #expect(found.map(\.0.id) == [5, 6])
    #expect(try db.sql(of: \Book.author == nil).text == #"("book"."author" IS ?)"#)
    #expect(failure { try db.sql(of: Condition<Book>.column("x", .equal, 1)) }?.code == .range)
  }
}
