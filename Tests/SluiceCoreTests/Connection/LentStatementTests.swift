import SluiceCore
import TestSupport
import Testing

/// A statement of the cache does not keep its connection, whatever the one does who has got a row of it.
@Suite(.tags(.statements)) struct `the life of a statement that is lent` {
  /// The only reference to a connection.
  private final class Holder {
    var connection: Connection?
    weak var weakConnection: Connection?
    init() throws {
      connection = try Connection()
      weakConnection = connection
    }
  }

  private let sql = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"

  @Test(arguments: [0, 1])
  func `a connection that is let go of in a row closure lives for the call`(
    _ repetitions: Int
  ) throws {
    let holder = try Holder()
    for _ in 0..<repetitions { try holder.connection?.execute(sql: sql) }
    var rows = 0
    try holder.connection?.execute(sql: sql) { row in
      holder.connection = nil
      rows += 1
      let value = try row.get(.int, at: 0)
      #expect(value == rows)
      #expect(holder.weakConnection != nil)
    }
    #expect(rows == 3)
    #expect(holder.weakConnection == nil)
  }

  @Test(arguments: [0, 1]) func `so it does when values are bound, and the closure throws`(
    _ repetitions: Int
  ) throws {
    struct Stop: Error {}
    let holder = try Holder()
    let select = "SELECT ? UNION ALL SELECT 2"
    for _ in 0..<repetitions { try holder.connection?.execute(sql: select, parameters: 1) }
    #expect(throws: Stop.self) {
      try holder.connection?.execute(sql: select, parameters: 1) { _ in
        holder.connection = nil
        throw Stop()
      }
    }
    #expect(holder.weakConnection == nil)
  }

  @Test(arguments: [0, 1]) func `so it does for a converter`(_ repetitions: Int) throws {
    nonisolated(unsafe) let holder = try Holder()
    let converter = RowConverter<Int> { row in
      unsafe holder.connection = nil
      return try row.get(.int, at: 0)
    }
    for _ in 0..<repetitions { try unsafe holder.connection?.execute(sql: sql) }
    #expect(try unsafe holder.connection?.query(converter, sql: sql) == [1, 2, 3])
    #expect(unsafe holder.weakConnection == nil)
    let other = try Holder()
    #expect(try other.connection?.first(.column(.int), sql: sql) == 1)
  }

  @Test(arguments: [0, 1]) func `one that is closed and let go of is told of, and nothing is left`(
    _ repetitions: Int
  ) throws {
    let holder = try Holder()
    for _ in 0..<repetitions { try holder.connection?.execute(sql: sql) }
    #expect(
      failure {
        try holder.connection?.execute(sql: sql) { _ in
          try holder.connection?.close()
          holder.connection = nil
        }
      }?.message == "The connection is closed")
    #expect(holder.weakConnection == nil)
  }

  @Test func `a statement that is prepared keeps its connection, also when that closes`() throws {
    let holder = try Holder()
    var statement = try holder.connection?.prepare(sql: sql)
    try holder.connection?.execute(sql: sql)
    holder.connection = nil
    #expect(try statement?.query(.column(.int)) == [1, 2, 3])
    #expect(statement?.connection === holder.weakConnection)
    try statement?.connection.close()
    #expect(failure { _ = try statement?.query(.column(.int)) }?.code == .misuse)
    #expect(holder.weakConnection != nil)
    statement = nil
    #expect(holder.weakConnection == nil)
  }

  @Test func `a statement that finds no place is finalized`() throws {
    var configuration = Configuration()
    configuration.statementCacheSize = 1
    let connection = try Connection(configuration: configuration)
    try connection.execute(sql: "CREATE TABLE t(a)")
    // The second of the same text comes back to a place that belongs to the first.
    try connection.execute(sql: "SELECT 1") { _ in
      try connection.execute(sql: "SELECT 1") { _ in }
      try connection.execute(sql: "SELECT a FROM t") { _ in }
    }
    #expect(connection.statementCacheStatistics.count == 1)
    #expect(connection.statementCacheStatistics.hits == 0)
    try connection.execute(sql: "SELECT 1")
    #expect(connection.statementCacheStatistics.hits == 1)
    try connection.execute(sql: "DROP TABLE t")
    try connection.close()
  }

  @Test(arguments: [1, 2, 64]) func `text in the memory of an older one is not taken for it`(
    _ size: Int
  ) throws {
    var configuration = Configuration()
    configuration.statementCacheSize = size
    let connection = try Connection(configuration: configuration)
    for number in 1000..<1400 {
      // Each has the length of the one before, and often its address.
      let sql = "SELECT \(number) AS the_number"
      #expect(try connection.first(.column(.int), sql: sql) == number)
      if number % 7 == 0 { connection.clearStatementCache() }
    }
    #expect(connection.statementCacheStatistics.hits == 0)
  }

  @Test func `text that is put together anew each time is found`() throws {
    let connection = try Connection()
    for _ in 0..<3 {
      let sql = ["SELECT 1", "UNION ALL", "SELECT 2"].joined(separator: " ")
      #expect(try connection.query(.column(.int), sql: sql) == [1, 2])
    }
    #expect(connection.statementCacheStatistics.hits == 2)
  }
}
