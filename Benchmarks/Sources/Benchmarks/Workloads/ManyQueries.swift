import CTwins
import Sluice

/// Workloads 6c and 6d: reads a row by key, using many statements in turn, whose SQL is passed for each row.
///
/// C stores recurring statements in an array, and prepares the other statements for each row.
struct ManyQueries: Workload {
  let c: Twin
  private let connection: Connection
  private let count: Int
  private let kept: [String]
  private let once: Int

  private init(
    count: Int, _ configuration: Configuration, kept: Int, once: Int, _ twin: Twin.Function
  ) throws {
    self.count = count
    self.kept = (0..<kept).map(Self.sql)
    self.once = once
    var configuration = configuration
    configuration.threadingMode = .multiThread
    connection = try Connection(configuration: configuration)
    try connection.execute(sql: Sample.rows(count))
    c = try unsafe Twin(twin, count: count, sql: Sample.rows(count))
  }

  /// Creates a workload with a thousand statements, and a statement cache that is large enough for them.
  static func many(count: Int) throws -> Self {
    var configuration = Configuration()
    configuration.statementCacheSize = 1_024
    return try unsafe Self(count: count, configuration, kept: 1_000, once: 0, twin_many_queries)
  }

  /// Creates a workload with 32 recurring statements, and one new statement after every four of them.
  static func hot(count: Int) throws -> Self {
    try unsafe Self(count: count, Configuration(), kept: 32, once: 4, twin_hot_queries)
  }

  private static func sql(_ number: Int) -> String {
    "SELECT label, \(number) FROM sample WHERE id = ?"
  }

  func sluice() throws -> Int64 {
    // C also prepares its statements in each run.
    connection.clearStatementCache()
    var sum = 0
    for i in 0..<count {
      let key = i &* 7919 % count &+ 1
      sum &+= try bytes(kept[i % kept.count], key)
      if once > 0, i % once == 0 { sum &+= try bytes(Self.sql(kept.count + i), key) }
    }
    return Int64(sum)
  }

  private func bytes(_ sql: String, _ key: Int) throws -> Int {
    let label = try connection.first(.column(.string), sql: sql, parameters: .int(key))
    return key &* (label?.utf8.count ?? 0)
  }
}
