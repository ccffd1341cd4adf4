import Foundation
import SluiceModels
import TestSupport
import Testing

private struct Sale: Codable, Model, Equatable {
  static let table = ModelTable("sale", key: \Sale.id)
  var id: Int64?
  var city: String
  var amount: Int
  var rebate: Double?
  var day: Date
  var price: Decimal = 1

  init(_ city: String, _ amount: Int, rebate: Double? = nil, day: Double = 0) {
    self.city = city
    self.amount = amount
    self.rebate = rebate
    self.day = Date(timeIntervalSinceReferenceDate: day)
  }
}

@Suite(.tags(.models)) struct `selections of values` {
  private let db: Connection

  init() throws {
    db = try Connection.with(Sale.self)
    try db.insert([
      Sale("Rome", 10, rebate: 0.5, day: 3), Sale("Oslo", 20, day: 2), Sale("Rome", 30, day: 1),
      Sale("Bern", 40, rebate: 1.5, day: 4),
    ])
  }

  @Test func `an aggregate summarizes the rows of a query`() throws {
    #expect(try db.value(.sum(\.amount), of: Sale.all) == 100)
    #expect(try db.value(.sum(\.rebate), of: Sale.all) == 2)
    #expect(try db.value(.average(\.amount), of: Sale.where(\.city == "Rome")) == 20)
    #expect(try db.value(.average(\.rebate), of: Sale.all) == 1)
    #expect(try db.value(.min(\.city), of: Sale.all) == "Bern")
    #expect(try db.value(.max(\.rebate), of: Sale.all) == 1.5)
    #expect(try db.value(.min(\.rebate), of: Sale.all) == 0.5)
    let latest = Date(timeIntervalSinceReferenceDate: 4)
    #expect(try db.value(.max(\.day), of: Sale.all) == latest)
    #expect(try db.value(.count, of: Sale.all) == 4)
    #expect(try db.value(.count(\.rebate), of: Sale.all) == 2)
    #expect(try db.value(.count(distinct: \.city), of: Sale.all) == 3)
    #expect(
      try db.value(.sql("total(amount) / \(4)", .double, isAggregate: true), of: Sale.all) == 25)
  }

  @Test func `several conditions on groups must all be met`() throws {
    let cities = Sale.all.select(\.city, .count).group(by: \.city)
    let either = cities.having("city = 'Oslo' OR city = 'Rome'").having("count(*) > \(1)")
    #expect(try db.fetch(either).map(\.0) == ["Rome"])
    let other = cities.having("count(*) > \(1)").having("city = 'Oslo' OR city = 'Bern'")
    #expect(try db.fetch(other).isEmpty)
  }

  @Test func `a condition on the group of all rows can exclude it`() throws {
    #expect(try db.fetch(Sale.all.select(.count).having("count(*) > \(10)")).isEmpty)
    #expect(try db.fetch(Sale.all.select(.count).having("count(*) > \(3)")) == [4])
  }

  @Test func `an aggregate of no rows is nil`() throws {
    let none = Sale.where(\.amount > 1000)
    #expect(try db.value(.sum(\.amount), of: none) == nil)
    #expect(try db.value(.average(\.amount), of: none) == nil)
    #expect(try db.value(.max(\.city), of: none) == nil)
    #expect(try db.value(.count, of: none) == 0)
  }

  @Test func `a limit applies to the rows that an aggregate summarizes`() throws {
    let largest = Sale.order(by: .descending(\.amount)).limit(2)
    #expect(try db.value(.sum(\.amount), of: largest) == 70)
    #expect(try db.value(.sum(\.amount), of: largest.offset(1)) == 50)
    #expect(try db.value(.count, of: Sale.all.limit(3)) == 3)
    #expect(try db.value(.count, of: Sale.all.offset(3)) == 1)
  }

  @Test func `an aggregate that cannot be computed throws`() throws {
    try db.insert(Sale("Rome", .max))
    #expect(failure { try db.value(.sum(\.amount), of: Sale.all) }?.message == "integer overflow")
    #expect(failure { try db.value(.column(\.city), of: Sale.all) }?.code == .misuse)
    #expect(failure { try db.value(.sum(\.price), of: Sale.all) }?.code == .misuse)
    #expect(failure { try db.value(.max(\.city.count), of: Sale.all) }?.code == .range)
    #expect(
      failure { try db.fetch(Sale.order(by: .ascending(.column(\.price)))) }?.code == .misuse)
    #expect(
      try db.fetch(Sale.order(by: .descending(.count(\.price))).select(\.price).group(by: \.price))
        .count == 1)
  }

  @Test func `selected properties become tuples or single values`() throws {
    let rows = try db.fetch(Sale.order(by: \.amount).select(\.city, \.rebate, \.day))
    #expect(rows.map(\.0) == ["Rome", "Oslo", "Rome", "Bern"])
    #expect(rows.map(\.1) == [0.5, nil, nil, 1.5])
    #expect(rows.map(\.2.timeIntervalSinceReferenceDate) == [3, 2, 1, 4])
    #expect(
      try db.fetch(Sale.order(by: \.city).select(\.city).distinct()) == ["Bern", "Oslo", "Rome"])
    #expect(try db.fetchFirst(Sale.order(by: \.amount).select(\.id)) == 1)
    #expect(try db.fetchFirst(Sale.where(\.amount > 99).select(\.id, \.city)) == nil)
    #expect(try db.fetch(Sale.all.select(\.price)).count == 4)
  }

  @Test func `groups have aggregates, conditions, an order and a limit`() throws {
    let groups = Sale.order(by: .descending(.sum(\.amount)), .ascending(\.city))
      .select(.column(\.city), .count, .sum(\.amount)).group(by: \.city)
    #expect(try db.fetch(groups).map(\.0) == ["Bern", "Rome", "Oslo"])
    #expect(try db.fetch(groups).map(\.1) == [1, 2, 1])
    #expect(try db.fetch(groups).map(\.2) == [40, 40, 20])
    #expect(try db.fetch(groups.having("count(*) > \(1)")).map(\.0) == ["Rome"])
    #expect(
      try db.fetch(groups.having("count(*) > \(0)").having("sum(amount) < \(30)")).map(\.0)
        == ["Oslo"])
    let two = Sale.order(by: \.city).limit(2, offset: 1).select(.column(\.city)).group(by: \.city)
    #expect(try db.fetch(two) == ["Oslo", "Rome"])
    let lengths = Sale.where(\.amount < 40).select(.sql("length(city)", .int), .count)
      .group(sql: "length(city)")
    #expect(try db.fetch(lengths).map(\.1) == [3])
  }

  @Test func `an order by an expression states where NULL comes`() throws {
    func cities(by ordering: Ordering<Sale>) throws -> [String] {
      try db.fetch(
        Sale.order(by: ordering, .ascending(\.city)).select(\.city).group(by: \.city))
    }
    #expect(try cities(by: .ascending(.max(\.rebate))) == ["Oslo", "Rome", "Bern"])
    #expect(try cities(by: .ascending(.max(\.rebate), nulls: .last)) == ["Rome", "Bern", "Oslo"])
    #expect(try cities(by: .descending(.max(\.rebate))) == ["Bern", "Rome", "Oslo"])
    #expect(try cities(by: .descending(.max(\.rebate), nulls: .first)) == ["Oslo", "Bern", "Rome"])
  }

  @Test func `a condition, an order and a limit can follow the selection`() throws {
    let groups = Sale.all.select(\.city, .sum(\.amount)).group(by: \.city)
    #expect(
      try db.fetch(groups.order(by: .descending(.sum(\.amount)), .ascending(\.city))).map(\.0)
        == ["Bern", "Rome", "Oslo"])
    #expect(try db.fetch(groups.where(\.amount < 20).order(by: \.city)).map(\.1) == [10])
    let cities = Sale.all.select(\.city).order(by: \.amount)
    #expect(try db.fetch(cities.limit(2, offset: 1)) == ["Oslo", "Rome"])
    #expect(try db.fetch(cities.offset(3)) == ["Bern"])
    let middle = Sale.where(\.amount > 10).select(\.amount).where(\.amount < 40)
    #expect(try db.fetch(middle).count == 2)
  }

  /// The compiler cannot convert a member of a result to `Any` if the type of the result contains a pack.
  @Test func `results of two or three values have members of any use`() throws {
    func text(_ value: Any) -> String { "\(value)" }
    #expect(text(try db.fetch(Sale.all.select(\.id, \.city)).count) == "4")
    #expect(text(try db.fetch(Sale.all.select(\.id, \.city, \.amount)).count) == "4")
    #expect(text(try db.fetch(Sale.all.select(.column(\.id), .column(\.city))).count) == "4")
    #expect(text(try db.fetch(Sale.all.select(.min(\.id), .count, .max(\.id))).count) == "1")
    #expect(text(try db.fetch(Sale.all.select(\.city, .count).group(by: \.city)).count) == "3")
    let sql: SQL =
      "SELECT \(columns: Sale.self), \(columns: Sale.self), \(columns: Sale.self) FROM sale"
    #expect(text(try db.query(.models(Sale.self, Sale.self), sql).count) == "4")
    #expect(text(try db.query(.models(Sale.self, Sale.self, Sale.self), sql).count) == "4")
    let counted: SQL = "SELECT \(columns: Sale.self), 1 FROM sale"
    #expect(text(try db.query(.models(Sale.self, and: .int), counted).count) == "4")
    let pairs: SQL = "SELECT \(columns: Sale.self), \(columns: Sale.self), 1 FROM sale"
    #expect(text(try db.query(.models(Sale.self, Sale.self, and: .int), pairs).count) == "4")
    #expect(text(try db.query(.columns(.int, .string), "SELECT 1, 'a'").count) == "1")
    #expect(text(try db.query(.columns(.int, .string, .int), "SELECT 1, 'a', 2").count) == "1")
  }

  @Test func `a value of another type throws`() throws {
    try db.execute(sql: "UPDATE sale SET amount = 'many' WHERE id = 1")
    #expect(throws: (any Error).self) { try db.fetch(Sale.all.select(\.amount)) }
    #expect(try db.fetch(Sale.where(\.id > 1).select(\.amount)) == [20, 30, 40])
  }

  @Test func `selections and queries are streamed and observed`() async throws {
    let pool = try ConnectionPool()
    try await pool.write { connection in
      try connection.createTable(of: Sale.self)
      _ = try connection.insert([Sale("Rome", 1), Sale("Oslo", 2)])
    }
    var cities: [String] = []
    for try await sale in pool.rows(Sale.where(\.day >= .distantPast).order(by: \.city)) {
      cities.append(sale.city)
    }
    for try await city in pool.rows(Sale.order(by: \.id).select(\.city)) { cities.append(city) }
    #expect(cities == ["Oslo", "Rome", "Rome", "Oslo"])
    var sums = pool.observe(Sale.all.select(.sum(\.amount))).makeAsyncIterator()
    #expect(try await sums.next() == [3])
    try await pool.write { try $0.update(Sale.all, .set(\.amount, to: 5)) }
    #expect(try await sums.next() == [10])
    await #expect(throws: SQLiteError.self) {
      for try await _ in pool.rows(Sale.where(.column("nope", .equal, 1))) {}
    }
  }
}

@MainActor @Suite(.tags(.models)) struct `live values of models` {
  @Test func `queries are live values`() async throws {
    let queue = try ConnectionQueue()
    _ = try await queue.write { connection in
      try connection.createTable(of: Sale.self)
      return try connection.insert(Sale("Rome", 1)).id
    }
    let sales = queue.live(Sale.where(\.amount > 0))
    #expect(try await sales.load().value.map(\.city) == ["Rome"])
    #expect(try await queue.live(Sale.self, key: 1).load().value?.city == "Rome")
    #expect(try await queue.live(Sale.self, key: 9).load().value == nil)
    #expect(try await queue.liveCount(of: Sale.all).load().value == 1)
    #expect(try await queue.live(Sale.all.select(\.amount)).load().value == [1])
  }

  @Test func `a window shows a range of a query, and then of another query`() async throws {
    let queue = try ConnectionQueue()
    try await queue.write { connection in
      try connection.createTable(of: Sale.self)
      try connection.insert(["Rome", "Oslo", "Bonn", "Riga"].enumerated().map { Sale($1, $0) })
    }
    let window = queue.live(window: 1..<3, Sale.order(by: \.city))
    #expect(try await window.load().rows.map(\.city) == ["Oslo", "Riga"])
    window.observe(Sale.where(.like(\.city, .prefix("R"))).order(by: \.city))
    #expect(window.rows.count == 2 && !window.isLoaded)
    #expect(try await window.load().rows.map(\.city) == ["Rome"])
    #expect(window.count == 2)
    window.observe("SELECT * FROM sale WHERE amount > \(1) ORDER BY amount")
    #expect(try await window.load().rows.map(\.city) == ["Riga"])
    window.observe(Sale.all.limit(2))
    let error = await #expect(throws: SQLiteError.self) { try await window.load() }
    #expect(error?.code == .misuse)
  }
}

/// Fetching many rows by their keys.
@Suite(.tags(.models)) struct `rows by keys` {
  private struct Word: Codable, Model, Equatable {
    static let table = ModelTable("word", key: \Word.text, .column(\.text, .collate("NOCASE")))
    var text: String
    var number: Int
  }

  private struct Cell: Codable, Model, Equatable {
    static let table = ModelTable("cell", key: \Cell.sheet, and: \.row, and: \.column)
    var sheet: UUID
    var row: Int
    var column: String
    var value: Int
  }

  @Test func `100,000 keys are one statement, in the order of the keys`() throws {
    let db = try Connection.with(Person.self)
    let count: Int64 = 100_000
    try db.execute(
      """
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) \
      INSERT INTO person(id, name) SELECT i, 'p' || i FROM n
      """)
    var statements = 0
    try db.trace(.statement) { _ in statements += 1 }
    let keys = (1...count).reversed() + [count + 1, 5, 5]
    let people = try db.fetch(Person.self, keys: keys)
    #expect(statements == 1)
    #expect(people.map(\.id) == (1...count).reversed() + [5, 5])
    #expect(people.first?.name == "p100000")
  }

  @Test func `keys of several columns and with a collation find their rows`() throws {
    let db = try Connection.with(Word.self, Cell.self)
    try db.insert([Word(text: "ada", number: 1), Word(text: "Eve", number: 2)])
    #expect(try db.fetch(Word.self, keys: ["EVE", "x", "ADA"]).map(\.number) == [2, 1])
    #expect(try db.fetch(Word.self, keys: []) == [])
    let sheets = [UUID(), UUID()]
    let cells = (0..<60).map {
      Cell(sheet: sheets[$0 % 2], row: $0 / 2, column: "c\($0 % 3)", value: $0)
    }
    try db.insert(cells)
    let wanted = [cells[59], cells[0], cells[31]]
    var keys = wanted.map { ($0.sheet, $0.row, $0.column) }
    keys.insert((sheets[0], 0, "other"), at: 1)
    #expect(try db.fetch(Cell.self, keys: keys) == wanted)
  }

  @Test func `an array can be joined by rowid with another one`() throws {
    let db = try Connection()
    let (names, ages): ([String], [Int]) = (["a", "b", "c"], [1, 2])
    let pairs = try db.query(
      .columns(.string, .optional(.int)),
      """
      SELECT n.value, a.value FROM \(names) n LEFT JOIN \(ages) a ON a.rowid = n.rowid \
      ORDER BY n.rowid
      """)
    #expect(pairs.map(\.0) == names && pairs.map(\.1) == [1, 2, nil])
    for (rowid, expected) in [
      ("2", ["b"]), ("0", []), ("4", []), ("-1", []), ("2.0", ["b"]), ("'2'", ["b"]), ("NULL", []),
    ] {
      #expect(
        try db.query(.column(.string), "SELECT value FROM \(names) WHERE rowid = \(raw: rowid)")
          == expected, "\(rowid)")
    }
    #expect(
      try db.query(.column(.string), "SELECT value FROM \(names) ORDER BY rowid DESC") == [
        "c", "b", "a",
      ])
  }
}
