import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.statements)) struct `a full statement cache` {
  @Test func `statements used once do not evict statements used repeatedly`() throws {
    var configuration = Configuration()
    configuration.statementCacheSize = 64
    let connection = try Connection(configuration: configuration)
    let hot = (0..<32).map { "SELECT \($0)" }
    for sql in hot + hot { try connection.execute(sql: sql) }
    var number = 100
    for _ in 1...20 {
      for (index, sql) in hot.enumerated() {
        let before = connection.statementCacheStatistics.hits
        try connection.execute(sql: sql)
        #expect(connection.statementCacheStatistics.hits == before + 1)
        for _ in 0...index % 2 {
          try connection.execute(sql: "SELECT \(number)")
          number += 1
        }
      }
    }
    #expect(connection.statementCacheStatistics.count == 64)
  }

  @Test
  func `a cache that evicts often returns the right statements and never exceeds its capacity`()
    throws
  {
    for size in [1, 7, 100] {
      var configuration = Configuration()
      configuration.statementCacheSize = size
      let connection = try Connection(configuration: configuration)
      for round in 0..<3_000 {
        let number = round * round / 7 % (size * 2)
        let value =
          round % 3 == 0
          ? try connection.first(.column(.int), "SELECT \(number) + 0")
          : try connection.first(.column(.int), sql: "SELECT \(number) + 0")
        #expect(value == number)
        if round % 500 == 0 { connection.clearStatementCache() }
        #expect(connection.statementCacheStatistics.count <= size)
      }
      // All statements that fit must be cached.
      connection.clearStatementCache()
      let before = connection.statementCacheStatistics.hits
      for number in [Array(0..<size), Array(0..<size)].joined() {
        #expect(try connection.first(.column(.int), sql: "SELECT \(number)") == number)
      }
      #expect(connection.statementCacheStatistics.hits == before + size)
    }
  }
}
