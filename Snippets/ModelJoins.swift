// Joined rows as models, and the children of many parents.

// snippet.hide
import SluiceModels

// snippet.show
struct Author: Codable, Model {
  static let table = ModelTable("author", key: \Author.id)
  var id: Int64?
  var name: String
}

struct Book: Codable, Model {
  static let table = ModelTable(
    "book", key: \Book.id, .column(\.author, .references(Author.self)),
    .index(\.author))
  var id: Int64?
  var title: String
  var author: Int64?
}
// snippet.hide
let connection = try Connection()
try connection.createTable(of: Author.self)
try connection.createTable(of: Book.self)
let ada = try connection.insert(Author(name: "Ada"))
try connection.insert([Book(title: "Notes", author: ada.id), Book(title: "Beowulf")])
// snippet.show
let shelf = try connection.query(
  .models(Book.self, Author?.self),
  """
  SELECT \(columns: Book.self), \(columns: Author.self)
  FROM book LEFT JOIN author ON author.id = book.author
  """)
for (book, author) in shelf { print(book.title, author?.name ?? "unknown") }
// snippet.hide
guard shelf.map(\.1?.name) == ["Ada", nil] else { fatalError() }
// snippet.show
let counted = try connection.query(
  .models(Author.self, and: .int),
  """
  SELECT \(columns: Author.self), count(book.id)
  FROM author LEFT JOIN book ON book.author = author.id GROUP BY author.id
  """)
for (author, books) in counted { print(author.name, books) }
// snippet.hide
guard counted.map(\.1) == [1] else { fatalError() }
let sql: SQL =
  "SELECT \(columns: Book.self, of: "b"), \(columns: Author.self, of: "a") FROM book b JOIN author a"
guard try connection.query(.models(Book.self, Author.self), sql).count == 2 else { fatalError() }
// snippet.show
struct Loan: Decodable {
  var day: String
  var book: Book
  var author: Author?
}

let loans = try connection.query(
  Loan.self,
  """
  SELECT '2026-11-26' AS day, \(columns: Book.self, as: "book"), \(columns: Author.self, as: "author")
  FROM book LEFT JOIN author ON author.id = book.author
  """)
// snippet.hide
guard loans.map(\.book.title) == ["Notes", "Beowulf"], loans.map(\.author?.name) == ["Ada", nil]
else { fatalError() }
// snippet.show
let authors = try connection.fetch(Author.order(by: \.name))
for (author, books) in try connection.fetch(
  Book.order(by: \.title), of: authors, by: \.author)
{
  print(author.name, books.map(\.title))
}
// snippet.hide
struct Chapter: Codable, Model {
  static let table = ModelTable("chapter", key: \Chapter.id)
  var id: Int64
  var book: Int64
}

try connection.createTable(of: Chapter.self)
try connection.insert([Chapter(id: 1, book: 1), Chapter(id: 2, book: 1)])
// snippet.show

// The latest two books of each author: a limit applies to the children of each parent.
let latest = try connection.fetch(
  Book.order(by: .descending(\.id)).limit(2), of: authors, by: \.author)

// The number of books of each author.
let counts = try connection.count(Book.all, of: authors, by: \.author)

// Authors with their books, and each book with its chapters.
let books = try connection.fetch(Book.order(by: \.title), of: authors, by: \.author)
for (author, books) in try connection.fetch(Chapter.all, of: books, by: \.book) {
  for (book, chapters) in books { print(author.name, book.title, chapters.count) }
}
// snippet.hide
guard latest.map({ $0.children.map(\.title) }) == [["Notes"]], counts.map(\.count) == [1],
  try connection.fetch(Chapter.all, of: books, by: \.book).first?.children.first?.children.count
    == 2
else { fatalError() }
// snippet.show

struct Tag: Codable, Model {
  static let table = ModelTable("tag", key: \Tag.name)
  var name: String
}

struct Label: Codable, Model {
  static let table = ModelTable("label", key: \Label.book, and: \.tag)
  var book: Int64
  var tag: String
}

// snippet.hide
try connection.createTable(of: Tag.self)
try connection.createTable(of: Label.self)
try connection.insert([Tag(name: "poem"), Tag(name: "old")])
try connection.insert([Label(book: 2, tag: "poem"), Label(book: 2, tag: "old")])
// snippet.show
let all = try connection.fetch(Book.order(by: \.title))
let tagged = try connection.fetch(
  Tag.order(by: \.name), of: all, through: \Label.book, \Label.tag)
for (book, tags) in tagged { print(book.title, tags.map(\.name)) }
// snippet.hide
guard tagged.map({ $0.children.map(\.name) }) == [["old", "poem"], []] else { fatalError() }
// snippet.show

let condition: Condition<Book> = .like(\.title, "N%")
let found = try connection.query(
  .models(Book.self, Author.self),
  """
  SELECT \(columns: Book.self, of: "b"), \(columns: Author.self)
  FROM book AS b JOIN author ON author.id = b.author
  WHERE \(connection.sql(of: condition, as: "b"))
  """)
// snippet.hide
guard found.map(\.1.name) == ["Ada"] else { fatalError() }
