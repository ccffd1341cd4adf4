import Foundation
import SluiceModels
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.models)) struct `model queries` {
  private let db: Connection

  init() throws {
    db = try Connection.with(Person.self, Entry.self)
    try db.insert([
      Person("Ada", age: 36), Person("Alan", age: 41), Person("Eve"), Person("Bob", age: 41),
      Person("100%", age: 1), Person("1000", age: 2),
    ])
  }

  private func names(_ query: ModelQuery<Person>) throws -> [String] {
    try db.fetch(query).map(\.name)
  }

  private func names(_ condition: Condition<Person>) throws -> [String] {
    try names(Person.where(condition))
  }

  @Test func `operators on key paths compare columns with values`() throws {
    #expect(try names(\.age == 41) == ["Alan", "Bob"])
    #expect(try names(\.age < 36) == ["100%", "1000"])
    #expect(try names(\.age <= 36) == ["Ada", "100%", "1000"])
    #expect(try names(\.age > 36) == ["Alan", "Bob"])
    #expect(try names(\.age >= 36) == ["Ada", "Alan", "Bob"])
    #expect(try names(\.name == "Ada") == ["Ada"])
    #expect(try names(\.name != "Ada").count == 5)
  }

  @Test func `a comparison with nil tests for NULL`() throws {
    #expect(try names(\.age == nil) == ["Eve"])
    #expect(try names(\.age != nil).count == 5)
    #expect(try names(\.age != 41) == ["Ada", "Eve", "100%", "1000"])
    #expect(try names(!(\.age == 41)) == ["Ada", "Eve", "100%", "1000"])
    #expect(try names(!(\.age >= 36)) == ["100%", "1000"])
    let unknown: Int? = nil
    #expect(try names(\.age >= unknown).isEmpty)
  }

  @Test(arguments: Comparison.allCases)
  func `each operator that is given by name behaves as in SQLite`(_ comparison: Comparison) throws {
    for value in [nil, 36, 41, 99] as [Int?] {
      let expected = try db.strings(
        "SELECT name FROM person WHERE age \(raw: comparison.rawValue) \(value)")
      #expect(try names(Person.where(.column("age", comparison, value))) == expected)
    }
  }

  @Test func `nil needs no type in a comparison by column name`() throws {
    #expect(try names(Person.where(.column("age", .is, nil))) == ["Eve"])
    #expect(try names(Person.all.where(.column("age", .isNot, nil))).count == 5)
    #expect(try names(Person.where(.column("age", .is, nil))) == ["Eve"])
    #expect(try names(Person.where(.column("age", .equal, nil))).isEmpty)
  }

  @Test func `LIKE accepts a pattern, and escapes prefixes, suffixes and substrings`() throws {
    #expect(try names(.like(\.name, "a%")) == ["Ada", "Alan"])
    #expect(try names(.like(\.name, "_da")) == ["Ada"])
    #expect(try names(.like(\.name, LikePattern(pattern: "100" + "_"))) == ["100%", "1000"])
    #expect(try names(.like(\.name, .prefix("100%"))) == ["100%"])
    #expect(try names(.like(\.name, .suffix("0%"))) == ["100%"])
    #expect(try names(.like(\.name, .containing("0"))) == ["100%", "1000"])
    #expect(try names(.like(\.name, .containing("%"))) == ["100%"])
    #expect(try names(.like(\.name, .containing("_"))).isEmpty)
    #expect(failure { try names(.like(\.name, .prefix("A\0"))) }?.code == .misuse)
  }

  @Test func `conditions can select rows by lists and ranges`() throws {
    #expect(try names(.in(\.age, [36, 2])) == ["Ada", "1000"])
    #expect(try names(.in(\.age, [])).isEmpty)
    #expect(try names(!.in(\.age, [])).count == 6)
    #expect(try names(.in(\.age, [nil, 36])) == ["Ada"])
    #expect(try names(.in(\.name, Set(["Eve"]))) == ["Eve"])
    #expect(try names(.column("age", in: [36])) == ["Ada"])
    #expect(try names(.between(\.age, 2...36)) == ["Ada", "1000"])
    #expect(try names(.between(\.name, "A"..."B")) == ["Ada", "Alan"])
    #expect(try names(.in(\.id, (0..<100_000).map(Int64.init))).count == 6)
  }

  @Test func `conditions are grouped by precedence, parentheses and negation`() throws {
    #expect(try names(\.age == 41 && \.name == "Bob" || \.name == "Ada") == ["Ada", "Bob"])
    #expect(try names(\.age == 41 && (\.name == "Bob" || \.name == "Ada")) == ["Bob"])
    #expect(try names(!(\.age == 41 || \.age == nil)) == ["Ada", "100%", "1000"])
    #expect(try names(.all([])).count == 6)
    #expect(try names(.any([])).isEmpty)
    #expect(
      try names(Person.where(\.age == 41).where(\.name != "Bob").where(.column("id", .less, 9)))
        == ["Alan"])
  }

  @Test func `a condition can be SQL with bound values`() throws {
    let limit = 3
    #expect(
      try names(.sql("length(name) > \(limit) OR age = \(41)") && \.age > 2) == ["Alan", "Bob"])
    #expect(try names(Person.where(.sql("name = \("' OR 1 --")"))).isEmpty)
    #expect(failure { try names(.sql("nothing = 1")) }?.code == .error)
  }

  @Test func `a query applies its order, limit and offset`() throws {
    #expect(
      try names(Person.order(by: \.age, \.name))
        == ["Eve", "100%", "1000", "Ada", "Alan", "Bob"])
    #expect(
      try names(Person.order(by: .descending(\.age), .ascending(\.name)))
        == ["Alan", "Bob", "Ada", "1000", "100%", "Eve"])
    #expect(
      try names(Person.all.order(by: .descending(\.age), .descending(\.name)))
        == ["Bob", "Alan", "Ada", "1000", "100%", "Eve"])
    #expect(try names(Person.all.order(by: .ascending(\.age, nulls: .last))).last == "Eve")
    #expect(try names(Person.all.order(by: .descending(\.age, nulls: .first))).first == "Eve")
    let byLength = Person.all.order(by: .sql("length(name) DESC")).order(by: \.name)
    #expect(try names(byLength.limit(3)) == ["100%", "1000", "Alan"])
    #expect(try names(byLength.limit(2, offset: 1)) == ["1000", "Alan"])
    #expect(try names(byLength.offset(4)) == ["Bob", "Eve"])
    #expect(try names(byLength.offset(4).limit(1)) == ["Bob"])
    #expect(try names(byLength.limit(1).offset(4)) == ["Bob"])
    #expect(try names(byLength.offset(4).limit(1, offset: 0)) == ["100%"])
    #expect(try names(byLength.limit(0)).isEmpty)
    #expect(try db.fetchFirst(byLength)?.name == "100%")
    #expect(
      try names(Person.all.order(by: .descending(column: "name")).limit(1)) == ["Eve"])
    #expect(failure { try names(byLength.limit(-1)) }?.code == .range)
    #expect(failure { try names(byLength.offset(-1)) }?.code == .range)
    #expect(failure { try names(Person.all.order(by: .ascending(column: "x"))) }?.code == .range)
  }

  @Test func `forEach passes one row at a time, and stops at an error`() throws {
    var found: [Person] = []
    try db.forEach(Person.where(\.age > 1).order(by: \.name)) { found.append($0) }
    #expect(try found == db.fetch(Person.where(\.age > 1).order(by: \.name)))
    #expect(found.count == 4)

    struct Stop: Error {}
    var count = 0
    #expect(throws: Stop.self) {
      try db.forEach(Person.all) { person in
        count += 1
        // The closure can use the connection.
        #expect(try db.exists(person))
        if count == 2 { throw Stop() }
      }
    }
    #expect(count == 2)
    try db.execute("DROP TABLE person")  // no statement is left open
  }

  @Test func `count, exists and fetchFirst evaluate a query`() throws {
    #expect(try db.count(Person.all) == 6)
    #expect(try db.count(Person.where(\.age == 41)) == 2)
    #expect(try db.count(Person.where(\.age == 41).limit(1)) == 1)
    #expect(try db.count(Person.all.offset(4)) == 2)
    #expect(try db.exists(Person.where(\.age == 41)))
    #expect(try !db.exists(Person.where(\.age == 42)))
    #expect(try db.exists(Person.self, key: 1))
    #expect(try !db.exists(Person.self, key: 99))
    #expect(try db.fetchFirst(Person.where(\.age == 42)) == nil)
  }

  @Test func `a condition on an optional key searches instead of scanning`() throws {
    for query in [Person.where(\.id == 1), Person.where(.in(\.id, [1]))] {
      let plan = try db.queryPlan(db.sql(of: query))
      #expect("\(plan)".contains("SEARCH"), "\(plan)")
    }
  }

  @Test func `rows of any SQL query can be decoded as models`() throws {
    let found = try db.query(.model(Person.self), "SELECT *, 1 AS more FROM person WHERE id = \(1)")
    #expect(found == [Person("Ada", age: 36, id: 1)])
  }

  @Test func `a long or deeply nested condition throws only above a limit`() throws {
    let long = (1...rounds(5_000, long: 20_000)).map { Condition<Person>.sql("id = \($0)") }
    #expect(try names(.any(long)).count == 6)
    #expect(try names(.all(long)).isEmpty)
    let pairs = (1...900).map { \Person.id == Int64($0) }
    #expect(try names(pairs.reduce(.any([])) { $0 || $1 }).count == 6)
    var deep: Condition<Person> = \.id == 1
    for _ in 0..<20 { deep = !(deep && \.id == 1) }
    #expect(try names(deep).count == 6)
    for _ in 0..<100 { deep = !deep }
    // Only older versions of SQLite have a limit here.
    do { #expect(try names(deep).count == 6) } catch SQLiteError.error {}
    for _ in 0..<200_000 { deep = !deep }
    #expect(failure { try names(deep) }?.code == .tooBig)
  }

  @Test func `hostile text throws as a column name, and matches only itself as a value`() throws {
    var generator = SeededGenerator(seed: 11)
    let pieces = [
      "'", "\"", "`", "]", "[", ";", "--", "/*", "*/", "\0", "%", "_", "\\", "?", "?1", ":a", "@a",
      "$a", "(", ")", ",", " ", "\n", "\t", "é", "e\u{301}", "😀", "\u{202E}", "\u{FFFF}", "name",
      "NAME", "age", "id", "person", "rowid", "DROP TABLE person", "OR 1=1", "UNION SELECT", "NULL",
      "IS", "LIKE", "1", "0x1", "'; DELETE FROM person; --", "\") OR (\"1\"=\"1", "nil", "0e0",
    ]
    let comparisons = Comparison.allCases.filter { $0 != .like && $0 != .notLike }
    var texts = Set<[UInt8]>()
    try db.deleteAll(Person.self)
    try db.execute("CREATE INDEX by_name ON person(name)")
    let count = rounds(2_000, long: 10_000)
    try db.savepoint { db, _ in
      while texts.count < count {
        let text = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
          pieces.randomElement(using: &generator)!
        }.joined()
        guard texts.insert(Array(text.utf8)).inserted else { continue }

        // As the name of a property.
        let known = ["id", "name", "age"].contains { $0.utf8.elementsEqual(text.utf8) }
        let queries = [
          Person.where(.column(text, comparisons.randomElement(using: &generator)!, 1)),
          Person.all.order(by: .ascending(column: text)), Person.where(.column(text, in: [1])),
        ]
        for query in queries where !known {
          #expect(failure { try db.fetch(query) }?.code == .range)
        }
        if !known {
          #expect(failure { try db.update(Person.all, .column(text, to: 1)) }?.code == .range)
        }

        // As an operator: only the existing operators can be created from text.
        #expect(
          Comparison(rawValue: text) == nil
            || Comparison.allCases.map(\.rawValue).contains(text))

        // As a value.
        let person = try db.insert(Person(text))
        #expect(try db.fetch(Person.where(\.name == text)) == [person])
        if texts.count % 50 == 0 {
          #expect(try db.fetch(Person.where(.column("name", .equal, text))) == [person])
          #expect(try db.fetch(Person.where(.in(\.name, [text]))) == [person])
          #expect(try db.fetch(Person.where(.between(\.name, text...text))) == [person])
          if !text.utf8.contains(0) {
            #expect(
              try db.fetch(Person.where(.like(\.name, .prefix(text)))).contains(person))
            #expect(try db.exists(Person.where(.like(\.name, .containing(text)) && \.name == text)))
          }
        }
        try db.update(person, \.name)
      }
      #expect(try db.count(Person.all) == count)
      let names = try db.fetch(Person.all).map { Array($0.name.utf8) }
      #expect(Set(names) == texts)
    }
    #expect(try db.strings("PRAGMA integrity_check") == ["ok"])
  }

  @Test(arguments: ["-- not more", "/* nor this", "/**/ -- x", "/* '"])
  func `a trailing comment in the SQL of a condition, order or update has no effect`(
    _ comment: String
  ) throws {
    let condition: SQL = "age > 1 \(raw: comment)"
    let order: SQL = "name \(raw: comment)"
    let adults = Person.where(.sql(condition))
    #expect(try names(adults.order(by: .sql(order)).limit(2)) == ["1000", "Ada"])
    #expect(try names(adults.where(\.age == 41).order(by: .descending(\.name))) == ["Bob", "Alan"])
    #expect(try names(!.sql(condition)) == ["100%"])
    #expect(try names(.any([.sql(condition), \.age == nil])).count == 5)
    #expect(try db.count(adults) == 4)
    #expect(try db.exists(adults.limit(1, offset: 3)))
    let change: SQL = "age + 1 \(raw: comment)"
    #expect(
      try db.update(
        adults.order(by: .sql(order)).limit(1), .set(\.age, sql: change), .set(\.name, to: "x"))
        == 1)
    #expect(try names(\.age == 3) == ["x"])
    #expect(try db.delete(adults.limit(1)) == 1)
  }
}
