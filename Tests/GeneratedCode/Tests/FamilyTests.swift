import Foundation
import Sluice
import Testing

/// Tests structs inside rows, and rows that contain the rows of other queries.
@Suite(.tags(.checkedSQL)) struct `embedded structs and children` {
  /// Returns a library with the publishers 1 and 2, and the books 1 to 4, of which publisher 1 has three.
  private static func library() throws -> Connection {
    let library = try Library.connection()
    try fill(library)
    return library
  }

  private static func fill(_ library: Connection) throws {
    try library.execute(
      sql: """
        INSERT INTO publisher(id, name) VALUES (1, 'Taylor'), (2, 'Allen');
        INSERT INTO book(id, title, publisher, year) VALUES (1, 'Notes', 1, 1843), (2, 'Letters', NULL, NULL),
          (3, 'Engines', 1, 1850), (4, 'Essays', 1, 1800);
        INSERT INTO member(id, uuid, name, joined, referrer) VALUES (1, 'x', 'Eve', 0, NULL),
          (2, '\(uuid.uuidString)', 'Bob', 0, 1), (3, 'y', 'Joe', 0, 1);
        INSERT INTO review(id, book, member, stars, tags) VALUES (1, 3, 1, 5, '[]'), (2, 1, NULL, 4, '["a"]'),
          (3, 3, 2, 3, '[]'), (4, 1, 1, 2, '[]');
        """)
  }

  private static let uuid = UUID()
  private static let taylor = House(id: 1, name: "Taylor", city: nil)
  private static let engines = ReviewedBook(
    id: 3, title: "Engines", publisher: 1,
    reviews: [
      Review(id: 1, book: 3, member: 1, stars: 5), Review(id: 3, book: 3, member: 2, stars: 3),
    ])
  private static let essays = ReviewedBook(id: 4, title: "Essays", publisher: 1, reviews: [])
  private static let notes = ReviewedBook(
    id: 1, title: "Notes", publisher: 1,
    reviews: [
      Review(id: 2, book: 1, member: nil, stars: 4), Review(id: 4, book: 1, member: 1, stars: 2),
    ])

  @Test func `an embedded struct is nil in the rows that an outer join leaves without it`() throws {
    let library = try Self.library()
    let volumes = [
      Volume(id: 1, title: "Notes", house: 1), Volume(id: 2, title: "Letters", house: nil),
      Volume(id: 3, title: "Engines", house: 1), Volume(id: 4, title: "Essays", house: 1),
    ]
    let items = volumes.map {
      CatalogueItem(book: $0, publisher: $0.house == nil ? nil : Self.taylor, total: 4)
    }
    #expect(try library.catalogue() == items)
    #expect(try library.volume(id: 2) == volumes[1])
    let pairs = try library.volumesAndHouses()
    #expect(pairs.map(\.volume) == [nil] + volumes)
    #expect(pairs.map(\.house?.name) == ["Allen", "Taylor", nil, "Taylor", "Taylor"])
    let coded = try JSONEncoder().encode(items)
    #expect(try JSONDecoder().decode([CatalogueItem].self, from: coded) == items)
  }

  @Test func `a struct declared as optional is nil if all of its columns are NULL`() throws {
    let library = try Self.library()
    #expect(try library.tagOfBook(id: 1)?.tag == Keyword(value: "a"))
    #expect(try library.tagOfBook(id: 2)?.tag == nil)
  }

  @Test func `each row contains its children and their children, in the order of their query`()
    throws
  {
    let library = try Self.library()
    let all = [
      Publisher(id: 2, name: "Allen", books: []),
      Publisher(id: 1, name: "Taylor", books: [Self.notes, Self.essays, Self.engines]),
    ]
    #expect(try library.publishers(since: nil) == all)
    #expect(try library.publisher(id: 1, since: 1843).books == [Self.notes, Self.engines])
    #expect(try library.publisherNamed(name: "Allen", since: nil) == all[0])
    #expect(try library.publisherNamed(name: "Nobody", since: nil) == nil)
    #expect(throws: SQLiteError.self) { try library.publisher(id: 9, since: nil) }
    #expect(
      try library.addPublisher(name: "New", since: nil)
        == Publisher(id: 3, name: "New", books: []))
  }

  @Test func `rows with the same key have the same children, and rows without a key have none`()
    throws
  {
    let rows = try Self.library().neighbours(since: nil)
    #expect(rows.map(\.title) == ["Notes", "Letters", "Engines", "Essays"])
    let books = [Self.notes, Self.essays, Self.engines]
    #expect(rows.map(\.books) == [books, [], books, books])
    let referrals = try Self.library().referrals()
    #expect(referrals.map(\.referrer?.name) == [nil, "Eve", "Eve"])
    #expect(referrals.map { $0.reviews.map(\.id) } == [[], [4, 1], [4, 1]])
  }

  @Test func `children are read with one query for all rows, and none if there are no rows`()
    throws
  {
    let library = try Self.library()
    var count = 0
    let token = try library.trace(.statement) { event in
      if event.sql?.hasPrefix("SELECT") == true { count += 1 }
    }
    defer { token.cancel() }
    _ = try library.publishers(since: nil)
    #expect(count == 3)
    _ = try library.publisherNamed(name: "Nobody", since: nil)
    #expect(count == 4)
  }

  @Test func `a child that SQL finds by an inexact comparison of keys throws`() throws {
    let library = try Self.library()
    #expect(try library.namesakes().map(\.authors) == [[], []])
    _ = try library.addAuthor(name: "Taylor", born: nil, died: nil)
    #expect(try library.namesakes().map { $0.authors.count } == [1, 0])
    _ = try library.addAuthor(name: "TAYLOR", born: nil, died: nil)
    #expect {
      try library.namesakes()
    } throws: { error in
      (error as? SQLiteError)?.code == .mismatch
    }
  }

  @Test func `keys are equal only if SQLite stores the same bytes for them`() throws {
    let library = try Self.library()
    // Both names are equal in Swift.
    let names = ["Ren\u{e9}", "Rene\u{301}"]
    for name in names {
      _ = try library.addPublisher(name: name, since: nil)
      _ = try library.addAuthor(name: name, born: nil, died: nil)
    }
    for rows in [
      try library.namesakes().map { ($0.name, $0.authors.map(\.name)) },
      try library.namesakesByWord().map { ($0.name.text, $0.authors.map(\.name.text)) },
    ] {
      #expect(
        rows.map { $0.1.map { Array($0.utf8) } } == [[], []] + names.map { [Array($0.utf8)] })
      #expect(rows.dropFirst(2).map { Array($0.0.utf8) } == names.map { Array($0.utf8) })
    }
  }

  @Test func `rows can have more keys than a statement can have parameters`() throws {
    let library = try Self.library()
    try library.execute(
      sql: """
        WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
        INSERT INTO publisher(id, name) SELECT i, 'publisher ' || i FROM n;
        INSERT INTO book(title, publisher) SELECT 'Last', max(id) FROM publisher;
        """)
    let counts = try library.publishers(since: nil).filter { !$0.books.isEmpty }
    #expect(counts.map(\.id) == [1, 40000])
  }

  @Test func `a row of a table is present although its other columns are NULL`() throws {
    let library = try Self.library()
    for name in ["Ada", "Bob", "Eve"] {
      _ = try library.addAuthor(name: name, born: nil, died: nil)
    }
    try library.execute(sql: "DELETE FROM author WHERE id = 2")
    let rows = try library.counterparts()
    #expect(
      rows.map(\.author) == [Writer(id: 1, born: nil), nil, Writer(id: 3, born: nil)])
    #expect(rows.map(\.publisher?.name) == ["Taylor", "Allen", nil])
  }

  @Test func `the property of a capitalized table begins with a lowercase letter`() throws {
    let rows = try Self.library().firstVolumes()
    #expect(rows.map(\.volume.title) == ["Letters", "Essays", "Notes", "Engines"])
    #expect(rows.map(\.number) == [1, 2, 3, 4])
  }

  @Test func `an array parameter passes its elements in the declared representation`() throws {
    let library = try Self.library()
    #expect(try library.membersByUUID(uuids: [Self.uuid, UUID()]) == [2])
    #expect(try library.membersByUUID(uuids: []) == [])
    #expect(try library.membersByOptionalUUID(uuids: [nil, Self.uuid]) == [2])
  }

  @Test func `embedded structs can be streamed, and rows with children observed`()
    async throws
  {
    let folder = try temporaryFolder()
    defer { remove(folder) }
    let pool = try Library.pool(in: folder)
    try await pool.perform { _ = try Migrations.migrator().migrate($0) }
    try await pool.perform { try Self.fill($0) }
    var streamed: [String?] = []
    for try await item in pool.streamCatalogue() { streamed.append(item.publisher?.name) }
    #expect(streamed == ["Taylor", nil, "Taylor", "Taylor"])
    #expect(try await pool.publishers(since: nil).map(\.books.count) == [0, 3])
    #expect(try await pool.publisherNamed(name: "Taylor", since: 1840)?.books.count == 2)
    var counts: [Int] = []
    for try await publishers in pool.observePublishers(since: nil) {
      counts.append(publishers.flatMap(\.books).flatMap(\.reviews).count)
      guard counts.count < 2 else { break }
      _ = try await pool.addReview(book: 4, member: nil, stars: 1, text: nil, tags: [])
    }
    #expect(counts == [4, 5])
    try await pool.close()
  }

  @MainActor
  @Test func `a generated live value loads the rows, and nil while there is no row`() async throws {
    let queue = try ConnectionQueue(label: "library", configuration: Library.configuration)
    try await queue.perform { _ = try Migrations.migrator().migrate($0) }
    try await queue.perform { try Self.fill($0) }
    let publishers = queue.livePublishers(since: nil)
    #expect(publishers.value == [])
    try await publishers.load()
    #expect(publishers.value.map(\.books.count) == [0, 3])
    let nobody = queue.livePublisherNamed(name: "Nobody", since: nil)
    try await nobody.load()
    #expect(nobody.value == nil)
  }
}
