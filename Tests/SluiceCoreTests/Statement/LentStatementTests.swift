import SluiceCore
import TestSupport
import Testing

/// A cached statement does not retain its connection, even if code that receives its rows releases the connection.
@Suite(.tags(.statements)) struct `the lifetime of cached statements` {
  /// Holds the only strong reference to a connection.
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
  func `a connection released in a row closure is deallocated only when the call returns`(
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

  @Test(arguments: [0, 1])
  func `a connection released in a row closure that throws is deallocated after the call`(
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

  @Test(arguments: [0, 1])
  func `a connection released in a row converter is deallocated only when the query returns`(
    _ repetitions: Int
  )
    throws
  {
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

  @Test(arguments: [0, 1])
  func `closing and releasing a connection in a row closure makes the call throw and leaks nothing`(
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

  @Test func `a prepared statement retains its connection, even if the connection is closed`()
    throws
  {
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

  @Test func `statements that exceed the capacity of the cache are finalized`() throws {
    var configuration = Configuration()
    configuration.statementCacheSize = 1
    let connection = try Connection(configuration: configuration)
    try connection.execute(sql: "CREATE TABLE t(a)")
    // Three statements use a cache with one place; two of them have the same SQL.
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

  @Test(arguments: [1, 2, 64]) func `SQL at a reused address is not mistaken for the earlier SQL`(
    _ size: Int
  ) throws {
    var configuration = Configuration()
    configuration.statementCacheSize = size
    let connection = try Connection(configuration: configuration)
    for number in 1000..<1400 {
      // Each text has the length of the previous text, and often its address.
      let sql = "SELECT \(number) AS the_number"
      #expect(try connection.first(.column(.int), sql: sql) == number)
      if number % 7 == 0 { connection.clearStatementCache() }
    }
    #expect(connection.statementCacheStatistics.hits == 0)
  }

  @Test func `the cache finds the statement of equal SQL that is rebuilt for each call`() throws {
    let connection = try Connection()
    for _ in 0..<3 {
      let sql = ["SELECT 1", "UNION ALL", "SELECT 2"].joined(separator: " ")
      #expect(try connection.query(.column(.int), sql: sql) == [1, 2])
    }
    #expect(connection.statementCacheStatistics.hits == 2)
  }
}
