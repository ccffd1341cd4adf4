import Allocations
import Foundation
import SluiceCore
import TestSupport
import Testing

/// A schema whose objects nest to any depth.
struct DeepSchema: CustomTestStringConvertible, Sendable {
  let name: String
  /// A depth at which SQLite 3.40 to 3.53 would overflow a stack of 512 KB, unless SQLite itself limits the depth.
  let fatal: Int
  /// The SQL of the objects, for a depth.
  let objects: @Sendable (Int) -> [String]
  /// A statement that uses all objects.
  var statement: @Sendable (Int) -> String = { "SELECT * FROM v\($0 - 1)" }

  var testDescription: String { name }

  static let all: [DeepSchema] = [
    views("views") { "SELECT a FROM v\($0)" },
    views("views that aggregate") { "SELECT max(a) AS a FROM v\($0) GROUP BY a LIMIT 5" },
    views("views with compounds", fatal: 60) {
      "SELECT a FROM v\($0)" + String(repeating: " UNION SELECT 5", count: 49)
    },
    views("views with deep expressions", fatal: 150) {
      "SELECT " + nested("coalesce(", 18, "a", ",1)") + " AS a FROM v\($0)"
    },
    views("views with long expressions", fatal: 60) {
      "SELECT a" + String(repeating: "+1", count: 90) + " AS a FROM v\($0)"
    },
    views("views in IN") { "SELECT a FROM t WHERE a IN v\($0)" },
    DeepSchema(name: "common table expressions", fatal: 4000) { depth in
      let rest = (1..<depth).map { "c\($0)(a) AS (SELECT a FROM c\($0 - 1))" }
      return [
        "CREATE TABLE t(a)",
        "CREATE VIEW v\(depth - 1) AS WITH "
          + (["c0 AS NOT MATERIALIZED (SELECT a FROM t)"] + rest).joined(separator: ",")
          + " SELECT * FROM c\(depth - 1)",
      ]
    },
    whole("subqueries", fatal: 5000) { "SELECT * FROM " + nested("(SELECT * FROM ", $0, "t", ")") },
    whole("common table expressions within others", fatal: 5000) {
      nested("WITH c AS (", $0, "SELECT 1", ") SELECT * FROM c")
    },
    whole("collations", fatal: 8000) {
      "SELECT a" + String(repeating: " COLLATE nocase", count: $0) + " FROM t"
    },
    whole("rows of VALUES with a window function", fatal: 1500) {
      "VALUES (sum(1) OVER ())" + String(repeating: ",(1)", count: $0)
    },
    whole("row values", fatal: 60) { depth in
      var row = "1"
      for _ in 0..<depth { row = "(\(row)" + String(repeating: "+1", count: 97) + ",1)" }
      return "SELECT \(row) = (1, 1)"
    },
    whole("casts", fatal: 6000) { "SELECT " + nested("CAST(", $0, "1", " AS INT)") },
    whole("windows", fatal: 2500) { "SELECT " + nested("max(1) OVER (ORDER BY ", $0, "1", ")") },
    views("views with many conditions of joins", fatal: 90) { view in
      let terms = (1...50).map { "t x\($0) ON v\(view).a" }.joined(separator: ", ")
      return "SELECT EXISTS (SELECT 1 FROM (t x0, \(terms))) AS a FROM v\(view)"
    },
    columns("generated columns with iif", fatal: 60) {
      nested("iif(", 19, "c\($0)", ", 1, 2)")
    },
    DeepSchema(
      name: "generated columns that a variable hides", fatal: 1900,
      objects: { depth in
        let rest = (1..<depth).map { "c\($0) AS (c\($0 - 1))" }.joined(separator: ", ")
        return ["CREATE TABLE t(a DEFAULT ($a(')), c0 AS (a), \(rest), z DEFAULT ($b(')))"]
      }, statement: { "SELECT c\($0 - 1) FROM t" }),
    columns("generated columns", fatal: 1900) { "c\($0)" },
    columns("generated columns with deep expressions", fatal: 150) {
      nested("coalesce(", 18, "c\($0)", ",1)")
    },
    columns("generated columns with long expressions", fatal: 30) {
      "c\($0)" + String(repeating: "+1", count: 90)
    },
    DeepSchema(
      name: "triggers", fatal: 1000,
      objects: { depth in
        (0...depth).map { "CREATE TABLE t\($0)(a)" }
          + (0..<depth).map {
            "CREATE TRIGGER r\($0) AFTER DELETE ON t\($0) BEGIN DELETE FROM t\($0 + 1); END"
          }
      }, statement: { _ in "DELETE FROM t0" }),
    DeepSchema(
      name: "cascades", fatal: 1000,
      objects: { depth in
        ["CREATE TABLE t0(a INTEGER PRIMARY KEY)"]
          + (1...depth).map {
            "CREATE TABLE t\($0)(a INTEGER PRIMARY KEY REFERENCES t\($0 - 1) ON DELETE CASCADE)"
          }
      }, statement: { _ in "DELETE FROM t0" }),
    DeepSchema(
      name: "clauses of an upsert", fatal: 12_000,
      objects: { depth in
        [
          "CREATE TABLE t(a UNIQUE)",
          "CREATE TRIGGER r AFTER DELETE ON t BEGIN INSERT INTO t VALUES (1)"
            + String(repeating: " ON CONFLICT(a) DO NOTHING", count: depth) + "; END",
        ]
      }, statement: { _ in "DELETE FROM t" }),
  ]

  private static func views(
    _ name: String, fatal: Int = 3000, _ query: @escaping @Sendable (Int) -> String
  ) -> DeepSchema {
    DeepSchema(name: name, fatal: fatal) { depth in
      ["CREATE TABLE t(a)", "CREATE VIEW v0 AS SELECT a FROM t"]
        + (1..<depth).map { "CREATE VIEW v\($0) AS \(query($0 - 1))" }
    }
  }

  private static func whole(
    _ name: String, fatal: Int, _ query: @escaping @Sendable (Int) -> String
  ) -> DeepSchema {
    DeepSchema(
      name: name, fatal: fatal,
      objects: { ["CREATE TABLE t(a)", "CREATE VIEW v AS \(query($0))"] },
      statement: { _ in "SELECT * FROM v" })
  }

  private static func columns(
    _ name: String, fatal: Int, _ expression: @escaping @Sendable (Int) -> String
  ) -> DeepSchema {
    DeepSchema(
      name: name, fatal: fatal,
      objects: { depth in
        let rest = (1..<depth).map { "c\($0) AS (\(expression($0 - 1)))" }
        return ["CREATE TABLE t(\((["a", "c0 AS (a)"] + rest).joined(separator: ", ")))"]
      }, statement: { "SELECT c\($0 - 1) FROM t" })
  }

  private static func nested(_ start: String, _ depth: Int, _ core: String, _ end: String) -> String
  { String(repeating: start, count: depth) + core + String(repeating: end, count: depth) }
}

private let hasSanitizer = !allocations_are_counted()
private let largeFrames: Comment =
  "A sanitizer makes the frames of SQLite up to 12 times as large, for which no stack is enough"

/// Calls `body` on a thread with the stack of a thread on Apple's platforms.
private func onUsualStack<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
  let done = DispatchSemaphore(value: 0)
  nonisolated(unsafe) var result: Result<T, any Error>?
  let thread = Thread {
    unsafe result = Result { try body() }
    done.signal()
  }
  thread.stackSize = (hasSanitizer ? 8192 : 512) << 10
  thread.start()
  done.wait()
  return try unsafe result!.get()
}

@Suite("T5: schemas that nest deeply") struct DeepSchemaTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private var path: String { folder.file() }

  private var writing: Configuration {
    var configuration = Configuration.untrusted
    configuration.readOnly = false
    return configuration
  }

  /// Creates a file with these objects, without SQLite's checks.
  private func make(_ objects: [String]) throws {
    let maker = try Connection(path: path, configuration: .sqliteDefaults)
    try maker.transaction { maker in
      let isTable = objects.map { $0.hasPrefix("CREATE TABLE") }
      let count = isTable.count { $0 }
      for index in 0..<count { try maker.execute(sql: "CREATE TABLE x\(index)(a)") }
      try maker.execute(sql: "PRAGMA writable_schema = ON")
      let tables = zip(objects, isTable).filter(\.1).map(\.0)
      for (index, sql) in tables.enumerated() {
        let name = String(sql.split(separator: " ")[2].prefix { $0 != "(" })
        try maker.execute(
          """
          UPDATE sqlite_schema SET name = \(name), tbl_name = \(name), sql = \(sql)
          WHERE rowid = \(index + 1)
          """)
      }
      for sql in zip(objects, isTable).filter({ !$0.1 }).map(\.0) {
        let words = sql.split(separator: " ")
        let isView = words[1] == "VIEW"
        let name = String(words[2])
        let table = isView ? name : String(words[words.firstIndex(of: "ON")! + 1])
        try maker.execute(
          """
          INSERT INTO sqlite_schema VALUES (\(isView ? "view" : "trigger"), \(name), \(table), 0, \(sql))
          """)
      }
    }
    try maker.close()
  }

  @Test(arguments: DeepSchema.all)
  func `a schema that would overflow the stack cannot be opened`(_ schema: DeepSchema) throws {
    try make(schema.objects(schema.fatal))
    let (path, writing) = (path, writing)
    let error = try onUsualStack { failure { try Connection(path: path, configuration: writing) } }
    // SQLite 3.40 has a limit of its own for nested text, and so has 3.53.
    #expect([.tooBig, .corrupt].contains(error?.code.primary), "\(error as Any)")
    #expect(error?.code != .tooBig || error?.message.contains("nests so deeply") == true)
  }

  @Test(
    .enabled(if: !hasSanitizer, "SQLite needs 2.5 GB here, and with a sanitizer up to 24"),
    arguments: DeepSchema.all)
  func `all that can be opened can be used`(_ schema: DeepSchema) throws {
    var depth = schema.fatal
    var isOpen = false
    while !isOpen {
      depth /= 2
      try make(schema.objects(depth))
      let (path, writing, statement) = (path, writing, schema.statement(depth))
      isOpen = try onUsualStack {
        guard let db = try? Connection(path: path, configuration: writing) else { return false }
        do {
          try db.execute(sql: statement)
        } catch let error as SQLiteError {
          // Other limits of SQLite can apply.
          #expect([.error, .corrupt, .noMemory].contains(error.code), "\(error)")
        }
        return true
      }
      try removeFile(path)
    }
    #expect(depth > 1)
  }

  @Test(.enabled(if: !hasSanitizer, largeFrames))
  func `a statement in the schema that is long cannot overflow the stack while it is read`() throws
  {
    for query in [
      "SELECT a" + String(repeating: " COLLATE\"a\"", count: 90_000) + " FROM t",
      "SELECT * FROM " + String(repeating: "(SELECT*FROM ", count: 70_000) + "t"
        + String(repeating: ")", count: 70_000),
    ] {
      try make(["CREATE TABLE t(a)", "CREATE VIEW v AS \(query)"])
      for configuration in [Configuration.untrusted, writing] {
        let path = path
        let error = try onUsualStack {
          failure { try Connection(path: path, configuration: configuration) }
        }
        #expect([.tooBig, .corrupt].contains(error?.code.primary), "\(error as Any)")
      }
      try removeFile(path)
    }
  }

  @Test func `changes count only where the program can make them`() throws {
    let triggers = DeepSchema.all.first { $0.name == "triggers" }!
    try make(triggers.objects(triggers.fatal))
    let db = try Connection(path: path, configuration: .untrusted)
    #expect(try db.column("SELECT count(*) FROM t0") == [0])
  }

  @Test(.enabled(if: SQLiteLibrary.has(.serialization)))
  func `bytes that replace the database are checked, too`() throws {
    let views = DeepSchema.all[0]
    try make(views.objects(views.fatal))
    let bytes = try folder.bytes()
    var configuration = writing
    configuration.limits[.sqlLength] = 5000
    let settings = configuration
    try onUsualStack {
      let db = try Connection(configuration: settings)
      #expect(failure { try db.deserialize(bytes) }?.code == .tooBig)
      #expect(try db.column("SELECT count(*) FROM sqlite_schema") == [0])
      #expect(try db.limit(.sqlLength) == 5000)
      let other = try Connection(configuration: .sqliteDefaults)
      try other.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (7)")
      try db.deserialize(other.serialize())
      #expect(try db.column("SELECT a FROM t") == [7])
    }
  }

  @Test(arguments: [
    (Int.max, 1_000_000_000), (1_000_000_000, 1_000_000_000), (9_000_000, 9_000_000), (5000, 5000),
    (-1, 0),
  ])
  func `a limit of the configuration that is out of range becomes the nearest one`(
    value: Int, limit: Int
  ) throws {
    var configuration = Configuration.untrusted
    configuration.limits[.sqlLength] = value
    try make(["CREATE TABLE t(a)"])
    let settings = configuration
    guard limit > 0 else {
      #expect(failure { try Connection(path: path, configuration: settings) }?.code == .tooBig)
      return
    }
    #expect(try Connection(path: path, configuration: settings).limit(.sqlLength) == limit)
  }

  @Test func `an ordinary schema is not too deep`() throws {
    let maker = try Connection(path: path, configuration: .sqliteDefaults)
    try maker.execute(
      sql: """
        CREATE TABLE sale(id INTEGER PRIMARY KEY, name TEXT, price REAL, n INT, day TEXT, data TEXT,
          total AS (price * n), net AS (total * 0.8), label AS (coalesce(nullif(trim(name), ''), '-')));
        CREATE VIEW report0 AS SELECT id, name, price, n, day, total, net FROM sale
        """)
    for number in 1...6 {
      try maker.execute(
        sql: """
          CREATE VIEW report\(number) AS
          WITH found AS (SELECT * FROM report\(number - 1) WHERE price > 0 AND n > 0 AND name IS NOT NULL),
          days(day, n) AS (SELECT day, count(*) FROM found GROUP BY day HAVING count(*) > 0),
          ranked AS (SELECT found.*, row_number() OVER (PARTITION BY day ORDER BY total) AS rank FROM found)
          SELECT id, CASE WHEN rank = 1 THEN 'first' WHEN rank BETWEEN 2 AND 9 THEN 'top' ELSE name END AS name,
            price + 1 AS price, ranked.n, day, total, net FROM ranked JOIN days USING (day)
          WHERE price > 10 OR (ranked.n > 5 AND name LIKE 'a%') ORDER BY day, rank
          """)
    }
    for number in 0..<100 {
      try maker.execute(
        sql: """
          CREATE TABLE part\(number)(id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (length(name) < 100),
            whole INTEGER REFERENCES part\(number / 3) ON DELETE CASCADE,
            next INTEGER REFERENCES part\((number * 7 + 1) % 100));
          CREATE TRIGGER log\(number) AFTER UPDATE ON part\(number) BEGIN
            INSERT INTO sale(name) VALUES (old.name || new.name);
            UPDATE part\(number) SET name = trim(new.name) WHERE id = new.id;
          END
          """)
    }
    try maker.close()
    let (path, writing) = (path, writing)
    try onUsualStack {
      let db = try Connection(path: path, configuration: writing)
      #expect(try db.column("SELECT count(*) FROM report6") == [0])
      try db.execute(sql: "DELETE FROM part0; UPDATE part5 SET name = 'a'")
    }
  }

  @Test(.enabled(if: !hasSanitizer, largeFrames))
  func `the integrity check survives a chain of pages`() throws {
    let maker = try Connection(path: path, configuration: .sqliteDefaults)
    try maker.execute(sql: "PRAGMA page_size = 512; CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    try maker.close()
    let bytes = try folder.bytes()
    let count = 40_000
    // Each page is an interior page without cells, whose right child is the next page.
    var chain = Array(bytes[..<512])
    for number in 0..<count {
      var page = [UInt8](repeating: 0, count: 512)
      page[0] = 5
      page[5] = 2
      let child = UInt32(number + 3)
      for index in 0..<4 { page[8 + index] = UInt8(truncatingIfNeeded: child >> (24 - 8 * index)) }
      chain += page
    }
    chain += bytes[512..<1024]
    for index in 0..<4 {
      chain[28 + index] = UInt8(truncatingIfNeeded: (count + 2) >> (24 - 8 * index))
    }
    try folder.write(chain)
    let path = path
    let problems = try onUsualStack {
      let db = try Connection(path: path, configuration: .untrusted)
      #expect(failure { try db.column("SELECT a FROM t") }?.code == .corrupt)
      let queue = try ConnectionQueue(path: path, configuration: .untrusted)
      return [
        found { try db.integrityProblems(isQuick: true, limit: 5) },
        found { try db.integrityProblems(limit: 5) },
        found { try queue.sync { try $0.integrityProblems(limit: 5) } },
      ]
    }
    #expect(problems.allSatisfy { !$0.isEmpty }, "\(problems)")
  }
}

/// Returns what `check` returns, or the message of its error.
private func found(_ check: () throws -> [String]) -> [String] {
  do { return try check() } catch { return ["\(error)"] }
}
