import Foundation
import Sluice
import Testing

/// The functions that the plugin generates from the `.sql` files in this folder.
@Suite(.tags(.checkedSQL)) struct `generated functions` {
  @Test func `generated migrations have the names and checksums of their files`() throws {
    let migrations = try Migration.files(in: files.appending(path: "Migrations"))
    #expect(Migrations.all.map(\.checksum) == migrations.map(\.checksum))
    #expect(Migrations.all.map(\.name) == migrations.map(\.name))
    #expect(try Library.connection().tables().count { $0.kind != .shadow } > 15)
  }

  @Test func `generated functions store, read, update and delete books`() throws {
    let library = try Library.connection()
    let ada = try library.addAuthor(name: "Ada Lovelace", born: 1815, died: nil)
    let id = try library.addBook(
      title: "Notes", publisher: nil, year: 1843, price: nil, summary: nil)
    #expect(try library.credit(book: id, author: ada, role: "author") == 1)
    let book = Book(id: id, title: "Notes", year: 1843, price: nil)
    #expect(try library.books(author: ada) == [book])
    #expect(try library.book(id: id) == book)
    #expect(try library.book(id: 99) == nil)
    #expect(try library.newest() == book)
    #expect(try library.bookCount() == 1)
    #expect(try library.setPrice(price: 2.5, id: id) == 1)
    #expect(try library.cheaper(price: 3) == ["Notes"])
    #expect(try library.cheaper(price: nil) == ["Notes"])
    #expect(try library.authorInitials() == ["AL"])
    #expect(try library.priceProduct() == 2.5)
    #expect(try library.removeBook(id: id) == 1)
    #expect(throws: SQLiteError.self) { try library.newest() }
  }

  @Test func `columns of an outer join are nil where no row matches`() throws {
    let library = try Library.connection()
    _ = try library.addBook(title: "Notes", publisher: nil, year: nil, price: nil, summary: nil)
    try library.execute(sql: "INSERT INTO publisher(name) VALUES ('Taylor')")
    let missing = try library.booksWithPublisher()
    #expect(missing.map(\.publisher) == [nil])
    #expect(try library.publishersWithBooks().map(\.title) == [nil])
    #expect(Set(try library.booksAndPublishers().map(\.title)) == ["Notes", nil])
    #expect(try library.statistics().average == nil)
    #expect(try library.withoutSummary().map(\.summary) == [""])
  }

  @Test func `custom types are stored and read by their representations`() throws {
    let library = try Library.connection()
    let uuid = UUID()
    let joined = Date(timeIntervalSince1970: 1000)
    let id = try library.addMember(
      uuid: uuid, name: "Eve", email: nil, joined: joined, referrer: nil)
    #expect(
      try library.member(uuid: uuid)
        == Member(id: id, uuid: uuid, name: "Eve", email: nil, joined: joined))
    #expect(try library.lastJoined() == joined)
    let book = try library.addBook(title: "x", publisher: nil, year: nil, price: nil, summary: nil)
    _ = try library.addReview(book: book, member: nil, stars: 5, text: nil, tags: ["a", "b"])
    let review = try library.reviews(book: book)
    #expect(review.map(\.tags) == [["a", "b"]])
    #expect(review.map(\.name) == [nil])
    #expect(try library.tagCounts().map(\.tag) == ["a", "b"])
    #expect(try library.search(words: "x", limit: 3).map(\.id) == [book])
  }

  @Test func `generated functions accept arrays for IN and patterns for LIKE, GLOB and MATCH`()
    throws
  {
    let library = try Library.connection()
    for title in ["Notes", "More notes", "Letters"] {
      _ = try library.addBook(title: title, publisher: nil, year: nil, price: nil, summary: nil)
    }
    #expect(try library.titlesByID(ids: [3, 1, 9]) == ["Notes", "Letters"])
    #expect(try library.titlesByID(ids: []) == [])
    #expect(try library.titlesByJSON(ids: [3, 1, 9]) == ["Notes", "Letters"])
    #expect(try library.titlesLike(pattern: "%notes") == ["Notes", "More notes"])
    #expect(try library.titlesWith(part: "tt") == ["Letters"])
    #expect(try library.titlesAbout(words: .anyWord("AND more")) == ["More notes"])
  }

  @Test func `a date can have the form of models and Codable types, also in an array`() throws {
    let library = try Library.connection()
    let day = Date(timeIntervalSinceReferenceDate: 60)
    let row = try #require(try library.sameInstants(day: day, others: [day, .distantPast]).first)
    #expect(row.day == day && row.none == nil)
    #expect(abs(row.julian.timeIntervalSince(day)) < 0.001)
    #expect(try library.sameInstants(day: day, others: [.distantPast]).isEmpty)
  }

  @Test func `reading an integer that overflows to REAL in SQL throws`() throws {
    let library = try Library.connection()
    try library.execute(sql: "INSERT INTO book(title, year) VALUES ('x', 5)")
    #expect(try library.oppositeYears() == [-5])
    try library.execute(sql: "UPDATE book SET year = ?", parameters: .int64(.min))
    #expect { try library.oppositeYears() } throws: { error in
      (error as? SQLiteError)?.code == .mismatch
    }
  }

  @Test func `reading a stored value of the wrong type throws instead of trapping`() throws {
    let library = try Library.connection()
    try library.execute(sql: "INSERT INTO book(title, year) VALUES ('x', 'many')")
    #expect(throws: SQLiteError.self) { try library.book(id: 1) }
  }
}
