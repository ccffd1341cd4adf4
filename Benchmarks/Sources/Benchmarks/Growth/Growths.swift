import Dispatch
import Foundation
import Sluice
import SluiceData
import SluiceModels

extension Growth {
  /// All sizes with which a cost could grow.
  static let all: [Growth] = [
    Growth("columns", "columns of 50 fetched rows", [4, 16, 64, 256], 1) { size in
      let names = columnNames(size)
      let connection = try Connection(sql: "CREATE TABLE t(\(names.joined(separator: ", ")))")
      for _ in 0..<50 {
        try connection.execute(
          sql: "INSERT INTO t VALUES (\(names.map { _ in "1" }.joined(separator: ", ")))")
      }
      let sum = RowConverter<Int64> { row in
        try (0..<size).reduce(0) { try $0 &+ row.get(.int64, at: $1) }
      }
      return { _ = try connection.query(sum, sql: "SELECT * FROM t") }
    },
    Growth("rows", "rows fetched as structs", [1_000, 10_000, 100_000, 1_000_000], 1) { size in
      let connection = try Connection(sql: Sample.rows(size))
      return {
        _ = try connection.query(
          .columns(.int64, .double, .string), sql: "SELECT id, value, label FROM sample")
      }
    },
    Growth("live-other", "live queries of a table that a commit leaves alone", hundreds, 0) {
      size in
      let queries = try LiveQueries(size)
      return { try queries.commit(to: "other", 200) }
    },
    // The work of other threads differs by up to three million instructions from one process to the next, so that this
    // work must be larger.
    Growth("live-same", "live queries of the table that a commit changes", [10, 100, 1_000], 1) {
      size in
      let queries = try LiveQueries(size)
      return { try queries.commit(to: "watched", 20) }
    },
    // A fetch for each subscription would have an exponent of 1.
    Growth("live-shared", "subscriptions to one query of 1,000 rows", [10, 100, 1_000], 0.5) {
      size in
      let queries = try LiveQueries(size, areShared: true)
      return { try queries.commit(to: "watched", 10) }
    },
    Growth("statements", "statements in the cache, 1,000 executions", hundreds, 0) { size in
      var configuration = Configuration()
      configuration.statementCacheSize = size
      let connection = try Connection(configuration: configuration)
      let texts = (0..<size).map { "SELECT \($0)" }
      try connection.warmUp(texts)
      return {
        for number in 0..<1_000 {
          _ = try connection.first(.column(.int64), sql: texts[number * 7919 % size])
        }
      }
    },
    Growth("readers", "open readers of a pool, 100 reads", [1, 4, 16, 32], 0) { size in
      let readers = try Readers(size)
      return {
        for _ in 0..<100 { _ = try readers.pool.syncRead { try $0.execute(sql: "SELECT 1") } }
      }
    },
    Growth("functions", "functions of a connection, 1,000 calls of one", hundreds, 0) { size in
      let connection = try Connection(sql: Sample.rows(1_000))
      for number in 0..<size {
        try connection.addFunction("increment\(number)") { (value: Int64) in value &+ 1 }
      }
      return {
        _ = try connection.first(
          .column(.int64), sql: "SELECT sum(increment\(size / 2)(id)) FROM sample")
      }
    },
    Growth("accesses", "accesses that wait for a queue", [1_000, 10_000, 30_000], 1) { size in
      let queue = try ConnectionQueue()
      return {
        let (gate, group) = (DispatchSemaphore(value: 0), DispatchGroup())
        queue.async(group: group) { _ in gate.wait() }
        for _ in 0..<size { queue.async(group: group) { try $0.execute(sql: "SELECT 1") } }
        gate.signal()
        group.wait()
      }
    },
    Growth("models", "models in one insertion", hundreds, 1) { size in
      let connection = try Connection(sql: Sample.table)
      let models = (0..<size).map { JoinedRows.Item(id: Int64($0), value: 0.5, label: "text") }
      return {
        _ = try connection.transaction { connection, command in
          try connection.insert(models)
          command = .rollback
        }
      }
    },
    Growth("children", "parents whose children are fetched", hundreds, 1) { size in
      let connection = try Connection(sql: Sample.rows(size) + Child.rows(ofParents: size))
      let parents = try connection.fetch(JoinedRows.Item.order(by: \.id))
      return { _ = try connection.fetch(Child.order(by: \.id), of: parents, by: \.parent) }
    },
    Growth("migrations", "migrations of an empty database", [10, 100, 1_000, 2_000], 1) { size in
      let migrator = try Migrator(
        (1...size).map { Migration($0, sql: "INSERT INTO t VALUES (\($0))") })
      return {
        try migrator.migrate(Connection(sql: "CREATE TABLE t(a)"))
      }
    },
    Growth("applied", "migrations that were applied before", [10, 100, 1_000, 2_000], 1) { size in
      let connection = try Connection(sql: "CREATE TABLE t(a)")
      let migrator = try Migrator(
        (1...size).map { Migration($0, sql: "INSERT INTO t VALUES (\($0))") })
      try migrator.migrate(connection)
      return { try migrator.migrate(connection) }
    },
    // Without changes, with which SQLite's own cost of a savepoint grows with the depth. The statements of the first
    // eight savepoints are kept.
    Growth("savepoints", "nested savepoints", [200, 1_000, 2_000], 1) { size in
      let connection = try Connection(sql: "CREATE TABLE t(a)")
      func nest(_ depth: Int) throws {
        try connection.savepoint { _ in if depth > 1 { try nest(depth - 1) } }
      }
      return { try nest(size) }
    },
    Growth("attached", "attached databases, 100 commits to main", [1, 2, 5, 10], 0) { size in
      let connection = try Connection(sql: Sample.table)
      for number in 0..<size { try connection.attach(path: ":memory:", as: "other\(number)") }
      return {
        for _ in 0..<100 {
          try connection.execute(sql: "REPLACE INTO sample VALUES (1, 0.5, 'text')")
        }
      }
    },
    Growth("changeset", "rows of a changeset that is recorded and applied", hundreds, 1) { size in
      let (source, copy) = try (
        Connection(sql: Sample.rows(size)), Connection(sql: Sample.rows(size))
      )
      return {
        let session = try source.session(tables: ["sample"])
        try source.execute(sql: "UPDATE sample SET value = value + 1")
        try copy.apply(session.changeset())
      }
    },
    Growth("csv", "columns of 100 imported lines", [4, 16, 64, 256], 1) { size in
      let names = columnNames(size)
      let connection = try Connection(sql: "CREATE TABLE t(\(names.joined(separator: ", ")))")
      let line = names.joined(separator: ",") + "\n"
      let text = Array(String(repeating: line, count: 100).utf8)
      return {
        try connection.importRows(
          from: [text], as: .separated(CSVFormat(hasHeader: false)), into: "t")
        try connection.execute(sql: "DELETE FROM t")
      }
    },
  ]

  private init(
    _ id: String, _ name: String, _ sizes: [Int], _ limit: Double,
    _ prepare: @escaping @Sendable (_ size: Int) throws -> () throws -> Void
  ) {
    self.init(id: id, name: name, sizes: sizes, limit: limit, prepare: prepare)
  }

  private static let hundreds = [10, 100, 1_000, 10_000]

  private static func columnNames(_ count: Int) -> [String] { (0..<count).map { "c\($0)" } }
}

/// Live queries of different texts on one queue.
private final class LiveQueries: Sendable {
  private let queue: ConnectionQueue
  private let tokens: [ValueCancellable]
  private let values = DispatchSemaphore(value: 0)

  /// Creates live queries of one row each, or subscriptions to one live query of many rows.
  init(_ count: Int, areShared: Bool = false) throws {
    queue = try ConnectionQueue()
    try queue.sync { connection in
      try connection.execute(
        sql: """
          CREATE TABLE watched(a);
          INSERT INTO watched
          WITH RECURSIVE number(n) AS (
            SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(areShared ? 1_000 : 1))
          SELECT n FROM number;
          CREATE TABLE other(a); INSERT INTO other VALUES (1)
          """)
    }
    let shared = queue.observe(.column(.int64), sql: "SELECT a FROM watched")
    tokens = (0..<count).map { [queue, values] number in
      let own = queue.observe(.column(.int64), sql: "SELECT a + \(number) FROM watched")
      return (areShared ? shared : own).sink { _ in
      } receiveValue: { _ in
        values.signal()
      }
    }
    waitForValues()
  }

  /// Commits to a table, and waits for the values of the queries if they concern this table.
  func commit(to table: String, _ times: Int) throws {
    for _ in 0..<times {
      try queue.sync { try $0.execute("UPDATE \(identifier: table) SET a = a + 1 WHERE rowid = 1") }
      if table == "watched" { waitForValues() }
    }
  }

  private func waitForValues() {
    for _ in tokens { values.wait() }
  }
}

/// A pool, all of whose readers are open.
private final class Readers {
  let pool: ConnectionPool
  private let folder: TemporaryFolder

  init(_ count: Int) throws {
    folder = try TemporaryFolder()
    pool = try ConnectionPool(path: folder.url.appending(path: "pool.db").path, readers: count)
    let (begun, group) = (DispatchSemaphore(value: 0), DispatchGroup())
    let gate = DispatchSemaphore(value: 0)
    for _ in 0..<count {
      pool.asyncRead(group: group) { _ in
        begun.signal()
        gate.wait()
      }
    }
    for _ in 0..<count { begun.wait() }
    for _ in 0..<count { gate.signal() }
    group.wait()
  }
}

/// A row that refers to a row of the sample.
private struct Child: Codable, Model {
  static let table = ModelTable("child", key: \Child.id)
  var id: Int64
  var parent: Int64

  /// Returns the SQL for a table with five children of each parent.
  static func rows(ofParents count: Int) -> String {
    """
    CREATE TABLE child(id INTEGER PRIMARY KEY, parent INTEGER NOT NULL);
    CREATE INDEX child_parent ON child(parent);
    WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number LIMIT \(5 * count))
    INSERT INTO child SELECT n + 1, n / 5 + 1 FROM number;
    """
  }
}
