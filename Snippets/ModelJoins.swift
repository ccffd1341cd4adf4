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
    "book", key: \Book.id, .column(\.author, .references(Author.self)), .index(\.author))
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
for (author, books) in try connection.fetch(Book.order(by: \.title), of: authors, by: \.author) {
  print(author.name, books.map(\.title))
}
