// Generated from books.sql, where changes belong.

import Sluice

/// A row of `books`, `book` and `newest`.
struct Book: Sendable, Hashable, Codable {
  var id: Int
  var title: String
  var year: Int?
  var price: Double?
}

extension Book {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(
        id: row.get(.int, at: 0),
        title: row.get(.string, at: 1),
        year: row.optional(.int, at: 2),
        price: row.optional(.double, at: 3))
    }
  }
}

/// A row of `addWholeBook`.
struct AddWholeBookRow: Sendable, Hashable, Codable {
  var id: Int
  var title: String
  var year: Int?
  var isRare: Bool
  var sortTitle: String
  var decade: Int?
}

extension AddWholeBookRow {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(
        id: row.get(.int, at: 0),
        title: row.get(.string, at: 1),
        year: row.optional(.int, at: 2),
        isRare: row.get(.bool, at: 3),
        sortTitle: row.get(.string, at: 4),
        decade: row.optional(.int, at: 5))
    }
  }
}

/// A row of `rareBooks`.
struct RareBooksRow: Sendable, Hashable, Codable {
  var id: Int
  var title: String
  var isRare: Bool
  var decade: Int?
}

extension RareBooksRow {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(
        id: row.get(.int, at: 0),
        title: row.get(.string, at: 1),
        isRare: row.get(.bool, at: 2),
        decade: row.optional(.int, at: 3))
    }
  }
}

/// A row of `booksWithPublisher`.
struct BooksWithPublisherRow: Sendable, Hashable, Codable {
  var title: String
  var publisher: String?
  var city: String?
}

extension BooksWithPublisherRow {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(
        title: row.get(.string, at: 0),
        publisher: row.optional(.string, at: 1),
        city: row.optional(.string, at: 2))
    }
  }
}

/// A row of `publishersWithBooks`.
struct PublishersWithBooksRow: Sendable, Hashable, Codable {
  var name: String
  var title: String?
}

extension PublishersWithBooksRow {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(name: row.get(.string, at: 0), title: row.optional(.string, at: 1))
    }
  }
}

/// A row of `booksAndPublishers`.
struct BooksAndPublishersRow: Sendable, Hashable, Codable {
  var name: String?
  var title: String?
}

extension BooksAndPublishersRow {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(name: row.optional(.string, at: 0), title: row.optional(.string, at: 1))
    }
  }
}

/// A row of `withoutSummary`.
struct WithoutSummaryRow: Sendable, Hashable, Codable {
  var id: Int
  var summary: String
  var isMissing: Int
}

extension WithoutSummaryRow {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(
        id: row.get(.int, at: 0), summary: row.get(.string, at: 1), isMissing: row.get(.int, at: 2))
    }
  }
}

/// A row of `priceClass`.
struct PriceClassRow: Sendable, Hashable, Codable {
  var title: String
  var `class`: String
}

extension PriceClassRow {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(title: row.get(.string, at: 0), class: row.get(.string, at: 1))
    }
  }
}

private enum Statements {
  static let books = """
    SELECT book.id, title, year, price
    FROM book JOIN book_author ON book_author.book = book.id
    WHERE author = :author
    ORDER BY sort_title
    """

  static let book = """
    SELECT id, title, year, price FROM book WHERE id = :id
    """

  static let titles = """
    SELECT title FROM book ORDER BY sort_title LIMIT :limit OFFSET :offset
    """

  static let newest = """
    SELECT id, title, year, price FROM book ORDER BY id DESC LIMIT 1
    """

  static let bookCount = """
    SELECT count(*) FROM book
    """

  static let addBook = """
    INSERT INTO book(title, publisher, year, price, summary)
    VALUES (:title, :publisher, :year, :price, :summary)
    RETURNING id
    """

  static let addWholeBook = """
    INSERT INTO book(title, year, is_rare) VALUES (:title, :year, :is_rare)
    RETURNING id, title, year, is_rare, sort_title, decade
    """

  static let setPrice = """
    UPDATE book SET price = :price WHERE id = :id
    """

  static let removeBook = """
    DELETE FROM book WHERE id = :id
    """

  static let rareBooks = """
    SELECT id, title, is_rare, decade FROM book WHERE is_rare AND year BETWEEN :from AND :to
    """

  static let booksWithPublisher = """
    SELECT book.title, publisher.name AS publisher, publisher.city
    FROM book LEFT JOIN publisher ON publisher.id = book.publisher
    ORDER BY book.id
    """

  static let publishersWithBooks = """
    SELECT publisher.name, book.title
    FROM book RIGHT JOIN publisher ON publisher.id = book.publisher
    ORDER BY publisher.id, book.id
    """

  static let booksAndPublishers = """
    SELECT publisher.name, book.title
    FROM book FULL JOIN publisher ON publisher.id = book.publisher
    ORDER BY 1, 2
    """

  static let withoutSummary = """
    SELECT id, coalesce(summary, '') AS summary, summary IS NULL AS is_missing FROM book
    """

  static let priceClass = """
    SELECT title, CASE WHEN price > 100 THEN 'dear' WHEN price > 10 THEN 'fair' ELSE 'cheap' END AS class
    FROM book ORDER BY id
    """

  static let cheaper = """
    SELECT title FROM book WHERE (:price IS NULL OR price < :price) ORDER BY id
    """

  static let numberedTitles = """
    SELECT id, title FROM book ORDER BY id
    """
}

extension Connection {
  /// Books of an author, by title.
  ///
  /// ```sql
  /// SELECT book.id, title, year, price
  /// FROM book JOIN book_author ON book_author.book = book.id
  /// WHERE author = :author
  /// ORDER BY sort_title
  /// ```
  func books(author: Int) throws -> [Book] {
    try self.query(Book.converter, sql: Statements.books, parameters: .int(author))
  }

  /// The first row of the query `book`, or nil if there is none.
  ///
  /// ```sql
  /// SELECT id, title, year, price FROM book WHERE id = :id
  /// ```
  func book(id: Int) throws -> Book? {
    try self.first(Book.converter, sql: Statements.book, parameters: .int(id))
  }

  /// All rows of the query `titles`.
  ///
  /// ```sql
  /// SELECT title FROM book ORDER BY sort_title LIMIT :limit OFFSET :offset
  /// ```
  func titles(limit: Int, offset: Int) throws -> [String] {
    try self.query(.column(.string), sql: Statements.titles, parameters: .int(limit), .int(offset))
  }

  /// The book that was added last.
  ///
  /// ```sql
  /// SELECT id, title, year, price FROM book ORDER BY id DESC LIMIT 1
  /// ```
  func newest() throws -> Book {
    let row = try self.first(Book.converter, sql: Statements.newest)
    guard let row else {
      throw SQLiteError(.notFound, "newest has found no row", sql: Statements.newest)
    }
    return row
  }

  /// The first row of the query `bookCount`.
  ///
  /// ```sql
  /// SELECT count(*) FROM book
  /// ```
  func bookCount() throws -> Int {
    let row = try self.first(.column(.int), sql: Statements.bookCount)
    guard let row else {
      throw SQLiteError(.notFound, "bookCount has found no row", sql: Statements.bookCount)
    }
    return row
  }

  /// The first row of the query `addBook`.
  ///
  /// ```sql
  /// INSERT INTO book(title, publisher, year, price, summary)
  /// VALUES (:title, :publisher, :year, :price, :summary)
  /// RETURNING id
  /// ```
  func addBook(
    title: String, publisher: Int?, year: Int?, price: Double?, summary: String?
  ) throws -> Int {
    let row = try self.first(
      .column(.int),
      sql: Statements.addBook,
      parameters: .string(title),
      .optional(publisher, SQLParameter.int),
      .optional(year, SQLParameter.int),
      .optional(price, SQLParameter.double),
      .optional(summary, SQLParameter.string))
    guard let row else {
      throw SQLiteError(.notFound, "addBook has found no row", sql: Statements.addBook)
    }
    return row
  }

  /// The first row of the query `addWholeBook`.
  ///
  /// ```sql
  /// INSERT INTO book(title, year, is_rare) VALUES (:title, :year, :is_rare)
  /// RETURNING id, title, year, is_rare, sort_title, decade
  /// ```
  func addWholeBook(title: String, year: Int?, isRare: Bool) throws -> AddWholeBookRow {
    let row = try self.first(
      AddWholeBookRow.converter,
      sql: Statements.addWholeBook,
      parameters: .string(title),
      .optional(year, SQLParameter.int),
      .bool(isRare))
    guard let row else {
      throw SQLiteError(.notFound, "addWholeBook has found no row", sql: Statements.addWholeBook)
    }
    return row
  }

  /// Runs the statement `setPrice`, and returns how many rows it has changed.
  ///
  /// ```sql
  /// UPDATE book SET price = :price WHERE id = :id
  /// ```
  @discardableResult
  func setPrice(price: Double?, id: Int) throws -> Int {
    try self.execute(
      sql: Statements.setPrice, parameters: .optional(price, SQLParameter.double), .int(id))
    return self.changes
  }

  /// Runs the statement `removeBook`, and returns how many rows it has changed.
  ///
  /// ```sql
  /// DELETE FROM book WHERE id = :id
  /// ```
  @discardableResult
  func removeBook(id: Int) throws -> Int {
    try self.execute(sql: Statements.removeBook, parameters: .int(id))
    return self.changes
  }

  /// All rows of the query `rareBooks`.
  ///
  /// ```sql
  /// SELECT id, title, is_rare, decade FROM book WHERE is_rare AND year BETWEEN :from AND :to
  /// ```
  func rareBooks(from: Int, to: Int) throws -> [RareBooksRow] {
    try self.query(
      RareBooksRow.converter, sql: Statements.rareBooks, parameters: .int(from), .int(to))
  }

  /// Books with their publishers, also those without.
  ///
  /// ```sql
  /// SELECT book.title, publisher.name AS publisher, publisher.city
  /// FROM book LEFT JOIN publisher ON publisher.id = book.publisher
  /// ORDER BY book.id
  /// ```
  func booksWithPublisher() throws -> [BooksWithPublisherRow] {
    try self.query(BooksWithPublisherRow.converter, sql: Statements.booksWithPublisher)
  }

  /// All rows of the query `publishersWithBooks`.
  ///
  /// ```sql
  /// SELECT publisher.name, book.title
  /// FROM book RIGHT JOIN publisher ON publisher.id = book.publisher
  /// ORDER BY publisher.id, book.id
  /// ```
  func publishersWithBooks() throws -> [PublishersWithBooksRow] {
    try self.query(PublishersWithBooksRow.converter, sql: Statements.publishersWithBooks)
  }

  /// All rows of the query `booksAndPublishers`.
  ///
  /// ```sql
  /// SELECT publisher.name, book.title
  /// FROM book FULL JOIN publisher ON publisher.id = book.publisher
  /// ORDER BY 1, 2
  /// ```
  func booksAndPublishers() throws -> [BooksAndPublishersRow] {
    try self.query(BooksAndPublishersRow.converter, sql: Statements.booksAndPublishers)
  }

  /// All rows of the query `withoutSummary`.
  ///
  /// ```sql
  /// SELECT id, coalesce(summary, '') AS summary, summary IS NULL AS is_missing FROM book
  /// ```
  func withoutSummary() throws -> [WithoutSummaryRow] {
    try self.query(WithoutSummaryRow.converter, sql: Statements.withoutSummary)
  }

  /// All rows of the query `priceClass`.
  ///
  /// ```sql
  /// SELECT title, CASE WHEN price > 100 THEN 'dear' WHEN price > 10 THEN 'fair' ELSE 'cheap' END AS class
  /// FROM book ORDER BY id
  /// ```
  func priceClass() throws -> [PriceClassRow] {
    try self.query(PriceClassRow.converter, sql: Statements.priceClass)
  }

  /// All rows of the query `cheaper`.
  ///
  /// ```sql
  /// SELECT title FROM book WHERE (:price IS NULL OR price < :price) ORDER BY id
  /// ```
  func cheaper(price: Double?) throws -> [String] {
    try self.query(
      .column(.string), sql: Statements.cheaper, parameters: .optional(price, SQLParameter.double))
  }

  /// All rows of the query `numberedTitles`.
  ///
  /// ```sql
  /// SELECT id, title FROM book ORDER BY id
  /// ```
  func numberedTitles() throws -> [NumberedTitle] {
    try self.query(NumberedTitle.converter, sql: Statements.numberedTitles)
  }
}

extension QueryReader {
  /// See `Connection.books(author:)`; the task waits, no thread does.
  func books(author: Int) async throws -> [Book] {
    try await performReading { try $0.books(author: author) }
  }

  /// See `Connection.books(author:)`; the calling thread waits.
  @available(*, noasync, message: "Use books, which does not block the thread")
  func syncBooks(author: Int) throws -> [Book] {
    try syncReading { try $0.books(author: author) }
  }

  /// See `Connection.book(id:)`; the task waits, no thread does.
  func book(id: Int) async throws -> Book? {
    try await performReading { try $0.book(id: id) }
  }

  /// See `Connection.book(id:)`; the calling thread waits.
  @available(*, noasync, message: "Use book, which does not block the thread")
  func syncBook(id: Int) throws -> Book? {
    try syncReading { try $0.book(id: id) }
  }

  /// See `Connection.titles(limit:offset:)`; the task waits, no thread does.
  func titles(limit: Int, offset: Int) async throws -> [String] {
    try await performReading { try $0.titles(limit: limit, offset: offset) }
  }

  /// See `Connection.titles(limit:offset:)`; the calling thread waits.
  @available(*, noasync, message: "Use titles, which does not block the thread")
  func syncTitles(limit: Int, offset: Int) throws -> [String] {
    try syncReading { try $0.titles(limit: limit, offset: offset) }
  }

  /// See `Connection.newest()`; the task waits, no thread does.
  func newest() async throws -> Book {
    try await performReading { try $0.newest() }
  }

  /// See `Connection.newest()`; the calling thread waits.
  @available(*, noasync, message: "Use newest, which does not block the thread")
  func syncNewest() throws -> Book {
    try syncReading { try $0.newest() }
  }

  /// See `Connection.bookCount()`; the task waits, no thread does.
  func bookCount() async throws -> Int {
    try await performReading { try $0.bookCount() }
  }

  /// See `Connection.bookCount()`; the calling thread waits.
  @available(*, noasync, message: "Use bookCount, which does not block the thread")
  func syncBookCount() throws -> Int {
    try syncReading { try $0.bookCount() }
  }

  /// See `Connection.rareBooks(from:to:)`; the task waits, no thread does.
  func rareBooks(from: Int, to: Int) async throws -> [RareBooksRow] {
    try await performReading { try $0.rareBooks(from: from, to: to) }
  }

  /// See `Connection.rareBooks(from:to:)`; the calling thread waits.
  @available(*, noasync, message: "Use rareBooks, which does not block the thread")
  func syncRareBooks(from: Int, to: Int) throws -> [RareBooksRow] {
    try syncReading { try $0.rareBooks(from: from, to: to) }
  }

  /// See `Connection.booksWithPublisher()`; the task waits, no thread does.
  func booksWithPublisher() async throws -> [BooksWithPublisherRow] {
    try await performReading { try $0.booksWithPublisher() }
  }

  /// See `Connection.booksWithPublisher()`; the calling thread waits.
  @available(*, noasync, message: "Use booksWithPublisher, which does not block the thread")
  func syncBooksWithPublisher() throws -> [BooksWithPublisherRow] {
    try syncReading { try $0.booksWithPublisher() }
  }

  /// See `Connection.publishersWithBooks()`; the task waits, no thread does.
  func publishersWithBooks() async throws -> [PublishersWithBooksRow] {
    try await performReading { try $0.publishersWithBooks() }
  }

  /// See `Connection.publishersWithBooks()`; the calling thread waits.
  @available(*, noasync, message: "Use publishersWithBooks, which does not block the thread")
  func syncPublishersWithBooks() throws -> [PublishersWithBooksRow] {
    try syncReading { try $0.publishersWithBooks() }
  }

  /// See `Connection.booksAndPublishers()`; the task waits, no thread does.
  func booksAndPublishers() async throws -> [BooksAndPublishersRow] {
    try await performReading { try $0.booksAndPublishers() }
  }

  /// See `Connection.booksAndPublishers()`; the calling thread waits.
  @available(*, noasync, message: "Use booksAndPublishers, which does not block the thread")
  func syncBooksAndPublishers() throws -> [BooksAndPublishersRow] {
    try syncReading { try $0.booksAndPublishers() }
  }

  /// See `Connection.withoutSummary()`; the task waits, no thread does.
  func withoutSummary() async throws -> [WithoutSummaryRow] {
    try await performReading { try $0.withoutSummary() }
  }

  /// See `Connection.withoutSummary()`; the calling thread waits.
  @available(*, noasync, message: "Use withoutSummary, which does not block the thread")
  func syncWithoutSummary() throws -> [WithoutSummaryRow] {
    try syncReading { try $0.withoutSummary() }
  }

  /// See `Connection.priceClass()`; the task waits, no thread does.
  func priceClass() async throws -> [PriceClassRow] {
    try await performReading { try $0.priceClass() }
  }

  /// See `Connection.priceClass()`; the calling thread waits.
  @available(*, noasync, message: "Use priceClass, which does not block the thread")
  func syncPriceClass() throws -> [PriceClassRow] {
    try syncReading { try $0.priceClass() }
  }

  /// See `Connection.cheaper(price:)`; the task waits, no thread does.
  func cheaper(price: Double?) async throws -> [String] {
    try await performReading { try $0.cheaper(price: price) }
  }

  /// See `Connection.cheaper(price:)`; the calling thread waits.
  @available(*, noasync, message: "Use cheaper, which does not block the thread")
  func syncCheaper(price: Double?) throws -> [String] {
    try syncReading { try $0.cheaper(price: price) }
  }

  /// See `Connection.numberedTitles()`; the task waits, no thread does.
  func numberedTitles() async throws -> [NumberedTitle] {
    try await performReading { try $0.numberedTitles() }
  }

  /// See `Connection.numberedTitles()`; the calling thread waits.
  @available(*, noasync, message: "Use numberedTitles, which does not block the thread")
  func syncNumberedTitles() throws -> [NumberedTitle] {
    try syncReading { try $0.numberedTitles() }
  }
}

extension QueryWriter {
  /// See `Connection.addBook(title:publisher:year:price:summary:)`; the task waits, no thread does.
  func addBook(
    title: String, publisher: Int?, year: Int?, price: Double?, summary: String?
  ) async throws -> Int {
    try await performWriting { try $0.addBook(title: title, publisher: publisher, year: year, price: price, summary: summary) }
  }

  /// See `Connection.addBook(title:publisher:year:price:summary:)`; the calling thread waits.
  @available(*, noasync, message: "Use addBook, which does not block the thread")
  func syncAddBook(
    title: String, publisher: Int?, year: Int?, price: Double?, summary: String?
  ) throws -> Int {
    try syncWriting { try $0.addBook(title: title, publisher: publisher, year: year, price: price, summary: summary) }
  }

  /// See `Connection.addWholeBook(title:year:isRare:)`; the task waits, no thread does.
  func addWholeBook(title: String, year: Int?, isRare: Bool) async throws -> AddWholeBookRow {
    try await performWriting { try $0.addWholeBook(title: title, year: year, isRare: isRare) }
  }

  /// See `Connection.addWholeBook(title:year:isRare:)`; the calling thread waits.
  @available(*, noasync, message: "Use addWholeBook, which does not block the thread")
  func syncAddWholeBook(title: String, year: Int?, isRare: Bool) throws -> AddWholeBookRow {
    try syncWriting { try $0.addWholeBook(title: title, year: year, isRare: isRare) }
  }

  /// See `Connection.setPrice(price:id:)`; the task waits, no thread does.
  @discardableResult
  func setPrice(price: Double?, id: Int) async throws -> Int {
    try await performWriting { try $0.setPrice(price: price, id: id) }
  }

  /// See `Connection.setPrice(price:id:)`; the calling thread waits.
  @available(*, noasync, message: "Use setPrice, which does not block the thread")
  @discardableResult
  func syncSetPrice(price: Double?, id: Int) throws -> Int {
    try syncWriting { try $0.setPrice(price: price, id: id) }
  }

  /// See `Connection.removeBook(id:)`; the task waits, no thread does.
  @discardableResult
  func removeBook(id: Int) async throws -> Int {
    try await performWriting { try $0.removeBook(id: id) }
  }

  /// See `Connection.removeBook(id:)`; the calling thread waits.
  @available(*, noasync, message: "Use removeBook, which does not block the thread")
  @discardableResult
  func syncRemoveBook(id: Int) throws -> Int {
    try syncWriting { try $0.removeBook(id: id) }
  }
}

extension DatabaseReader {
  /// The rows of `Connection.books(author:)`, as they are asked for.
  func streamBooks(author: Int) -> RowStream<Book> {
    self.rows(Book.converter, sql: Statements.books, parameters: .int(author))
  }

  /// What `Connection.books(author:)` finds, now and after each commit that may have changed it.
  func observeBooks(author: Int) -> ValuePublisher<[Book]> {
    observe { try $0.books(author: author) }
  }

  /// What `Connection.book(id:)` finds, now and after each commit that may have changed it.
  func observeBook(id: Int) -> ValuePublisher<Book?> {
    observe { try $0.book(id: id) }
  }

  /// What `Connection.bookCount()` finds, now and after each commit that may have changed it.
  func observeBookCount() -> ValuePublisher<Int> {
    observe { try $0.bookCount() }
  }
}
