import Foundation
import Sluice
import TestSupport
import Testing

private struct Author: Codable, Equatable {
  var name: String
  var born: Date
}

private struct Book: Codable, Equatable {
  var id: UUID
  var written: Date
  var printed: Date?
  var author: Author?
}

/// Representations of single properties, which ``CodingStrategies/representations`` contains by coding key.
@Suite struct ColumnRepresentationTests {
  let db: Connection
  private let strategies: CodingStrategies
  private let book = Book(
    id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
    written: Date(timeIntervalSince1970: 1), printed: Date(timeIntervalSince1970: 2),
    author: Author(name: "Ada", born: Date(timeIntervalSince1970: 3)))

  init() throws {
    db = try Connection()
    try db.execute("CREATE TABLE book(id, written, printed, author)")
    var strategies = CodingStrategies()
    strategies.representations = [
      "id": .uuid(as: .bytes), "printed": .date(as: .timeIntervalSince1970),
      "author": .date(as: .millisecondsSince1970), "author.born": .date(as: .julianDay),
    ]
    self.strategies = strategies
  }

  @Test func `a property is encoded and decoded in its own representation`() throws {
    db.codingStrategies = strategies
    try db.execute(
      sql: "INSERT INTO book VALUES (:id, :written, :printed, :author)", encoding: book)
    let row = try #require(try db.first(.values, "SELECT * FROM book"))
    #expect(row["id"]?.storageClass == .blob)
    #expect(row["written"] == "1970-01-01 00:00:01.000")
    #expect(row["printed"] == .real(2))
    #expect(row["author"] == #"{"born":3000,"name":"Ada"}"#)
    #expect(try db.query(Book.self, "SELECT * FROM book") == [book])
    #expect(
      try db.parameters(encoding: book)["printed"].map { try db.select(.value, $0) } == .real(2))
  }

  @Test func `the names of a part and its property have a representation of their own`() throws {
    db.codingStrategies = strategies
    let found = try db.query(
      Book.self,
      """
      SELECT \(.uuid(book.id, as: .text)) AS id, '1970-01-01 00:00:01' AS written, 2 AS printed,
      'Ada' AS "author.name", julianday('1970-01-01 00:00:03') AS "author.born"
      """)
    #expect(found == [book])
  }

  @Test func `a property of a part does not have the representation of a property of the row`()
    throws
  {
    struct Pair: Decodable {
      var born: Date
      var author: Author
    }
    var strategies = CodingStrategies()
    strategies.representations["born"] = .date(as: .timeIntervalSince1970)
    let decoder = RowDecoder(strategies)
    let pair = try #require(
      try db.first(
        .decoding(Pair.self, by: decoder),
        """
        SELECT 5 AS born, 'Ada' AS "author.name", '1970-01-01 00:00:03' AS "author.born"
        """))
    #expect(pair.born == Date(timeIntervalSince1970: 5))
    #expect(pair.author.born == Date(timeIntervalSince1970: 3))
  }

  @Test func `nil stays NULL, and an error names the property`() throws {
    db.codingStrategies = strategies
    var book = book
    (book.printed, book.author) = (nil, nil)
    try db.execute(
      sql: "INSERT INTO book VALUES (:id, :written, :printed, :author)", encoding: book)
    #expect(try db.query(Book.self, "SELECT * FROM book") == [book])
    try db.execute("UPDATE book SET printed = '1970-01-01'")
    let error = #expect(throws: DecodingError.self) {
      try db.query(Book.self, "SELECT * FROM book")
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["printed"])
    #expect(context.debugDescription.contains("timeIntervalSince1970"))
  }

  @Test func `a nested container of a property has the representation of the property`() throws {
    struct Parts: Codable {
      enum Keys: String, CodingKey { case list }
      var dates: [Date]
      init(_ dates: [Date]) { self.dates = dates }
      init(from decoder: any Decoder) throws {
        var list = try decoder.container(keyedBy: Keys.self).nestedUnkeyedContainer(forKey: .list)
        dates = [try list.decode(Date.self)]
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        for date in dates { try list.encode(date) }
      }
    }
    db.codingStrategies.representations["list"] = .date(as: .timeIntervalSince1970)
    let dates = [Date(timeIntervalSince1970: 4)]
    let stored = try db.parameters(encoding: Parts(dates))["list"]
    #expect(try stored.map { try db.select(.value, $0) } == "[4]")
    #expect(try db.first(Parts.self, "SELECT '[4]' AS list")?.dates == dates)
  }

  @Test func `a wrapper of a single value has the representation of its property`() throws {
    struct Moment: Codable, Equatable {
      var date: Date
      init(_ date: Date) { self.date = date }
      init(from decoder: any Decoder) throws {
        date = try decoder.singleValueContainer().decode(Date.self)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(date)
      }
    }
    struct Entry: Codable, Equatable { var at: Moment }
    db.codingStrategies.representations["at"] = .date(as: .timeIntervalSince1970)
    let entry = Entry(at: Moment(Date(timeIntervalSince1970: 4)))
    let stored = try db.parameters(encoding: entry)["at"]
    #expect(try stored.map { try db.select(.value, $0) } == .real(4))
    #expect(try db.first(Entry.self, "SELECT 4 AS at") == entry)
  }
}
