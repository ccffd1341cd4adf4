import Foundation
import Sluice
import SluiceSQL
import TestSupport
import Testing

/// Returns the advice for queries, each of which can begin with annotations.
private func advise(
  _ queries: [String], _ schema: String = Shop.schema, _ declarations: String = ""
) throws -> IndexAdvice {
  let declarations = Declarations(SourceText(path: "Declarations.sql", text: declarations))
  let connection = try CheckedSchema.connection(declarations)
  try connection.execute(sql: schema)
  let text = queries.enumerated().map { "-- @query q\($0.offset)\n\($0.element);\n" }.joined()
  let source = SourceText(path: "q.sql", text: text)
  let checked = try CheckedSchema(connection, declarations)
  var checker = QueryChecker(checked)
  let (valid, diagnostics) = checker.check(QueryFile(source))
  #expect(diagnostics.map(\.description) == [])
  return try IndexAdvisor(checked, valid.map { ($0, source) }).advice()
}

extension QueryPlan {
  /// The numbers of full scans and of temporary indexes and B-trees.
  fileprivate var slowSteps: [Int] {
    let lines = description.split(separator: "\n")
    let searches = lines.count { $0.contains("--SEARCH ") && !$0.contains(" USING ") }
    let builds = lines.count { $0.contains("--USE TEMP B-TREE FOR ") || $0.contains(" AUTOMATIC ") }
    return [fullScans.count + searches, builds]
  }
}

/// Records an issue unless each index makes a query faster that is slow again without the index.
private func prove(_ advice: IndexAdvice, _ queries: [String], _ schema: String) throws {
  let connection = try Connection()
  try connection.execute(sql: schema)
  let before = try queries.map { try connection.queryPlan(sql: $0).description }
  for index in advice.indexes { try connection.execute(sql: index.sql) }
  for index in advice.indexes {
    #expect(!index.serves.isEmpty)
    for service in index.serves {
      let number = try #require(Int(service.query.dropFirst()))
      let plan = try connection.queryPlan(sql: queries[number]).description
      #expect(service.before.allSatisfy { before[number].contains($0) })
      #expect(!service.before.isEmpty)
      #expect(service.after.allSatisfy { plan.contains($0) && $0.contains(index.name) })
    }
    let served = index.serves.compactMap { Int($0.query.dropFirst()) }.map { queries[$0] }
    let plans = try served.map { try connection.queryPlan(sql: $0) }
    try connection.transaction { connection, command in
      command = .rollback
      try connection.execute(sql: "DROP INDEX \(index.database).\"\(index.name)\"")
      let isSlow = try zip(served, plans).contains { sql, plan in
        try plan.slowSteps.lexicographicallyPrecedes(connection.queryPlan(sql: sql).slowSteps)
          || connection.queryPlan(sql: sql).description.count { $0 == "=" }
            < plan.description.count { $0 == "=" }
      }
      #expect(isSlow, "nothing is slow without \(index.sql)")
    }
  }
}

@Suite(.tags(.checkedSQL)) struct `index advice` {
  @Test(arguments: Shop.lacking.filter { !$0.indexes.isEmpty })
  func `the missing indexes of a query are found`(sql: String, indexes: [String]) throws {
    let advice = try advise([sql])
    #expect(advice.indexes.map(\.sql) == indexes)
    #expect(advice.unservedCount == 0)
    try prove(advice, [sql], Shop.schema)
  }

  @Test(arguments: Shop.satisfied)
  func `a query that no index helps gets no advice`(sql: String) throws {
    #expect(try advise([sql]).indexes == [])
  }

  @Test func `a union that SQLite merges gets an index`() throws {
    let union =
      "SELECT max(total) AS sum FROM \"order\" WHERE placed > '2020' UNION SELECT price FROM product"
    let index = "CREATE INDEX product_price ON product(price)"
    let indexes = try advise([union]).indexes.map(\.sql)
    #expect(SQLiteVersion.unionMerges ? indexes.contains(index) : indexes.isEmpty)
  }

  @Test func `each index of the advice for all queries is needed`() throws {
    let queries = Shop.lacking.map(\.sql)
    let advice = try advise(queries + Shop.satisfied)
    #expect(advice.indexes.count > 8)
    try prove(advice, queries, Shop.schema)
    // The queries share indexes.
    #expect(advice.indexes.count < Set(Shop.lacking.flatMap(\.indexes)).count)
  }

  @Test func `the advice is the same in each run`() throws {
    let queries = Shop.lacking.map(\.sql)
    let advice = try advise(queries)
    for _ in 1...3 { #expect(try advise(queries) == advice) }
  }

  @Test func `a wider index serves the queries of a narrower one`() throws {
    let sql = ["status = 'a' AND customer = 1", "customer = 1"].map {
      "SELECT id, total FROM \"order\" WHERE \($0)"
    }
    let advice = try advise(sql)
    #expect(
      advice.indexes.map(\.sql)
        == ["CREATE INDEX order_customer_status ON \"order\"(customer, status)"])
    #expect(advice.indexes.first?.serves.map(\.query) == ["q0", "q1"])
    #expect(advice.indexes.first?.serves.map(\.line) == [1, 3])
  }

  @Test func `groups share an index in any order of their columns`() throws {
    let advice = try advise([
      "SELECT rating, product, count(*) AS count FROM review GROUP BY rating, product",
      "SELECT product, avg(rating) AS mean FROM review GROUP BY product",
    ])
    #expect(
      advice.indexes.map(\.sql)
        == ["CREATE INDEX review_product_rating ON review(product, rating)"])
  }

  @Test func `a range does not move before a column that is compared for equality`() throws {
    let advice = try advise([
      "SELECT payload FROM event WHERE kind = 'a' AND at > 1",
      "SELECT payload FROM event WHERE at > 1",
    ])
    #expect(
      advice.indexes.map(\.sql) == [
        "CREATE INDEX event_at ON event(at)", "CREATE INDEX event_kind_at ON event(kind, at)",
      ])
  }

  @Test func `an index that begins with an existing one replaces it`() throws {
    let schema = """
      CREATE TABLE t(a, b, c, UNIQUE(c));
      CREATE INDEX t_a ON t(a);
      CREATE INDEX t_a_b ON t(c) WHERE a > 0;
      """
    let advice = try advise(["SELECT rowid FROM t WHERE a = 1 ORDER BY b"], schema)
    #expect(advice.indexes.map(\.sql) == ["CREATE INDEX t_a_b_2 ON t(a, b)"])
    #expect(advice.indexes.map(\.replaces) == [["t_a"]])
  }

  @Test func `names are quoted where SQL requires it`() throws {
    let schema = "CREATE TABLE \"my \"\"table\"(\"select\" TEXT, \"1\" INTEGER, ok)"
    let sql = "SELECT ok FROM \"my \"\"table\" WHERE \"select\" = 'a' AND \"1\" = 2"
    let advice = try advise([sql], schema)
    #expect(
      advice.indexes.map(\.sql)
        == ["CREATE INDEX \"my \"\"table_1_select\" ON \"my \"\"table\"(\"1\", \"select\")"])
    let connection = try Connection()
    try connection.execute(sql: schema)
    try connection.execute(sql: advice.indexes[0].sql)
    #expect(try connection.queryPlan(sql: sql).fullScans == [])
  }

  @Test func `an attached database gets its own indexes`() throws {
    let schema = "ATTACH ':memory:' AS archive; CREATE TABLE archive.t(a, b); CREATE TABLE t(a)"
    let advice = try advise(["SELECT a FROM archive.t WHERE b = 1"], schema)
    #expect(advice.indexes.map(\.sql) == ["CREATE INDEX archive.t_b ON t(b)"])
    try prove(advice, ["SELECT a FROM archive.t WHERE b = 1"], schema)
  }

  @Test func `a declared collation is part of the index`() throws {
    let sql = "SELECT b FROM t WHERE a = 'x' COLLATE localized AND reversed(b) = 'y'"
    let advice = try advise(
      [sql], "CREATE TABLE t(a TEXT, b TEXT)",
      "-- @collation localized\n-- @function reversed(String): String\n")
    #expect(advice.indexes.map(\.sql) == ["CREATE INDEX t_a ON t(a COLLATE localized)"])
  }

  @Test func `statements with triggers get indexes of their own`() throws {
    let schema = """
      CREATE TABLE a(id INTEGER PRIMARY KEY, x);
      CREATE TABLE log(id INTEGER PRIMARY KEY, a, y);
      CREATE TRIGGER written AFTER UPDATE ON a BEGIN UPDATE log SET y = 1 WHERE a = NEW.id; END;
      """
    let sql = "UPDATE a SET x = 1 WHERE x = 2"
    let advice = try advise([sql], schema)
    #expect(advice.indexes.map(\.sql) == ["CREATE INDEX a_x ON a(x)"])
    try prove(advice, [sql], schema)
  }

  @Test func `automatic indexes are replaced`() throws {
    let schema = "CREATE TABLE a(x, y); CREATE TABLE b(x, z)"
    let sql = "SELECT y, z FROM a LEFT JOIN b ON b.x = a.x"
    let advice = try advise([sql], schema)
    #expect(advice.indexes.map(\.sql) == ["CREATE INDEX b_x ON b(x)"])
    #expect(advice.indexes.first?.serves.first?.before.first?.contains("AUTOMATIC") == true)
    // The scan of the other table remains, but the query is served.
    #expect(advice.unservedCount == 0)
  }

  @Test func `the check leaves the schema as it was`() throws {
    let connection = try Connection()
    try connection.execute(sql: Shop.schema)
    let before = try connection.schemaObjects()
    let source = SourceText(
      path: "q.sql", text: "-- @query q\nSELECT id FROM event WHERE kind = 'a'")
    let schema = try CheckedSchema(connection)
    var checker = QueryChecker(schema)
    let queries = checker.check(QueryFile(source)).queries.map { ($0, source) }
    #expect(try IndexAdvisor(schema, queries).advice().indexes.count == 1)
    #expect(try connection.schemaObjects() == before)
  }

  @Test(arguments: People.lacking)
  func `the missing indexes on expressions are found`(sql: String, indexes: [String]) throws {
    let advice = try advise([sql], People.schema)
    #expect(advice.indexes.map(\.sql) == indexes)
    #expect(advice.unservedCount == 0)
    try prove(advice, [sql], People.schema)
  }

  @Test(arguments: People.satisfied)
  func `a query without a possible index on an expression gets no advice`(sql: String) throws {
    #expect(try advise([sql], People.schema).indexes == [])
  }

  @Test func `an index on a column is preferred to one on an expression`() throws {
    let schema = "CREATE TABLE t(a TEXT, b TEXT AS (lower(a)), c)"
    let sql = "SELECT c FROM t WHERE b = :b AND lower(a) = b"
    let advice = try advise([sql], schema)
    #expect(advice.indexes.first?.sql.hasPrefix("CREATE INDEX t_b") == true)
  }

  @Test func `an existing index on an expression is not advised again`() throws {
    let schema = People.schema + "CREATE INDEX mine ON person((LOWER( \"NAME\" )));"
    let sql = "SELECT id FROM person WHERE lower(name) = :name"
    #expect(try advise([sql], schema).indexes == [])
    let wider = try advise([sql + " ORDER BY age", sql], schema)
    #expect(
      wider.indexes.map(\.sql)
        == ["CREATE INDEX person_lower_name_age ON person(LOWER(\"NAME\"), age)"])
    #expect(wider.indexes.map(\.replaces) == [["mine"]])
  }

  @Test func `an expression has one index for all of its spellings`() throws {
    let queries = ["lower(name)", "LOWER( p . [name] )", "(lower(/**/p.\"NAME\"))"].map {
      "SELECT id FROM person AS p WHERE \($0) = :name"
    }
    let advice = try advise(queries, People.schema)
    #expect(advice.indexes.map(\.sql) == People.lacking[0].indexes)
    #expect(advice.indexes.first?.serves.map(\.query) == ["q0", "q1", "q2"])
  }

  @Test func `a function of the program is not part of an index`() throws {
    let advice = try advise(
      ["SELECT id FROM person WHERE reversed(lower(name)) = 'x'"], People.schema,
      "-- @function reversed(String): String\n")
    #expect(advice.indexes == [])
  }

  @Test func `of many expressions, the last ones are candidates`() throws {
    let results = (1...30).map { "age + \($0) AS a\($0)" }.joined(separator: ", ")
    let sql = "SELECT \(results) FROM person WHERE lower(name) = :name"
    #expect(try advise([sql], People.schema).indexes.map(\.sql) == People.lacking[0].indexes)
  }

  @Test(arguments: [
    ["a", "b", "c", "d", "e"], ["lower(b)", "c", "c + 1", "d ->> '$.x'", "t.a || d", "e"],
  ])
  func `random conditions and orders get indexes that SQLite uses`(keys: [String]) throws {
    let schema =
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b TEXT COLLATE NOCASE, c INTEGER, d TEXT, e)"
    for seed in 1...rounds(40, long: 2000) {
      var random = SplitMix(seed: UInt64(seed))
      let sql = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.query(keys) }
      let advice = try advise(sql, schema)
      try prove(advice, sql, schema)
      let connection = try Connection()
      try connection.execute(sql: schema)
      for index in advice.indexes { try connection.execute(sql: index.sql) }
      for sql in sql {
        let plan = try connection.queryPlan(sql: sql)
        #expect(plan.fullScans.isEmpty, "seed \(seed): \(sql)\n\(plan)")
      }
      #expect(advice.unservedCount == 0, "seed \(seed)")
    }
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `random statements get advice without an error`() throws {
    let schema = try CheckedSchema(NullDatabases.connections()[0])
    var checker = QueryChecker(schema)
    var count = 0
    for seed in 1...rounds(40, long: 4000) {
      var random = RandomQuery(seed: UInt64(seed))
      let source = SourceText(path: "q.sql", text: "-- @query q\n\(random.statement())")
      let queries = checker.check(QueryFile(source)).queries
      let advice = try IndexAdvisor(schema, queries.map { ($0, source) }).advice()
      count += advice.indexes.count
      for index in advice.indexes {
        #expect(!index.serves.isEmpty, "seed \(seed): \(index.sql)")
        for service in index.serves { #expect(!service.before.isEmpty && !service.after.isEmpty) }
      }
    }
    #expect(count > 0)
  }
}

/// A generator of random queries with conditions that an index can serve.
private struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  mutating func query(_ keys: [String]) -> String {
    var columns = keys.shuffled(using: &self)
    let equal = (0..<Int.random(in: 1...2, using: &self)).map { _ in
      "\(columns.removeLast()) \(["= 1", "IN (1, 2)", "IS 3", "= 'x'"].randomElement(using: &self) ?? "")"
    }
    let range = Bool.random(using: &self) ? ["\(columns.removeLast()) > 5"] : []
    let order =
      range.isEmpty && Bool.random(using: &self)
      ? " ORDER BY \(columns.removeLast())\(Bool.random(using: &self) ? " DESC" : "")" : ""
    let start = ["SELECT id, e FROM t", "DELETE FROM t", "UPDATE t SET e = 2"]
    let verb = order.isEmpty ? start.randomElement(using: &self) ?? "" : start[0]
    return verb + " WHERE " + (equal + range).joined(separator: " AND ") + order
  }
}
