import Foundation
import Sluice
import SluiceCore
import SluiceExtras

private final class Sum: SQLAggregateWindowFunction {
  private var sum = 0
  func step(_ values: borrowing SQLFunctionArguments) throws { sum += try values.get(at: 0) }
  func inverse(_ values: borrowing SQLFunctionArguments) throws { sum -= try values.get(at: 0) }
  func value() throws -> DatabaseValue { .integer(Int64(sum)) }
  func final() throws -> DatabaseValue { try value() }
}

/// The values and the error that a subscriber received.
private final class Received: Sendable {
  let state = Locked<(names: [String], error: (any Error)?)>(([], nil))
}

/// The numbers of events that an observer received.
private final class Told: TransactionObserver {
  private(set) var rows = 0
  private(set) var commits = 0
  func databaseDidChange(with change: RowChange) { rows += 1 }
  func databaseDidCommit(_ connection: Connection) { commits += 1 }
}

extension Scene {
  /// Swift code that SQLite calls.
  static var callbacks: [Scene] {
    [
      Scene("functions") { database in
        try database.use { connection in
          try connection.addFunction("twice", options: .deterministic) { (text: String) in
            text + text
          }
          try connection.addFunction("first_text", arity: -1) { values in
            for index in values.indices {
              if case .text(let text) = try values[index] { return .text(text) }
            }
            return .null
          }
          try connection.addAggregateFunction("total_of", arity: 1) { Sum() }
          try connection.addCollation("localized") { $0.localizedCompare($1) }
          let rows = try connection.query(
            .columns(.string, .int),
            sql: """
              SELECT first_text(1, twice(name)), total_of(id) OVER (ORDER BY id ROWS 1 PRECEDING)
              FROM person ORDER BY name COLLATE localized
              """)
          try require(rows.map(\.0) == ["AdaAda", "AlanAlan"], "functions gave \(rows)")
          try require(rows.map(\.1) == [1, 3], "aggregates gave \(rows)")
        }
      },
      Scene("bundled functions") { database in
        try database.use { connection in
          try connection.addUUIDFunctions()
          try connection.addSHA3Functions()
          try connection.addDecimalFunctions()
          try connection.addIEEE754Functions()
          let sum = try connection.first(
            .column(.string), sql: "SELECT decimal_add('0.1', '0.2') FROM person")
          try require(sum == "0.3", "the sum is \(sum as Any)")
          let hash = try connection.first(
            .column(.string), sql: "SELECT hex(sha3_query('SELECT name FROM person'))")
          try require(hash?.count == 64, "the hash is \(hash as Any)")
          _ = try connection.query(.values, sql: "SELECT uuid(), ieee754(0.1)")
        }
      },
      Scene("hooks", needs: [.preUpdateHook]) { database in
        try database.use { connection in
          var updates = 0
          var commits = 0
          var values: [DatabaseValue] = []
          try connection.onCommit { commits += 1 }
          try connection.onRollback {}
          try connection.onUpdate { _ in updates += 1 }
          try connection.onPreUpdate { change in
            if change.table == "pair" { values.append(try change.new(at: 1)) }
          }
          try connection.onProgress(every: 10) {}
          try connection.trace(.profile) { _ in }
          try connection.authorize { _ in .allow }.cancel()
          try database.addPair(connection)
          try require(
            commits == 1 && updates == 2 && values.count == 2, "hooks have missed something")
        }
      },
      Scene("after a commit") { database in
        try database.use { connection in
          let told = Told()
          try connection.add(transactionObserver: told)
          var closures = 0
          do {
            try connection.transaction { connection, _ in
              try connection.execute(sql: "INSERT INTO pair(text) VALUES ('a'), ('b')")
              try connection.afterCommit { _ in closures += 1 }
              try connection.savepoint { connection, command in
                try connection.execute(sql: "INSERT INTO pair(text) VALUES ('c')")
                try connection.afterCommit { _ in closures += 10 }
                command = .rollback
              }
            }
          } catch {
            try require(
              closures == 0 && told.commits == 0, "a commit that has failed was told of")
            throw error
          }
          try require(
            closures == 1 && told.commits == 1 && told.rows == 2,
            "\(closures) closures, \(told.commits) commits and \(told.rows) rows")
        }
      },
      Scene("publishers") { database in
        try database.use { connection in
          let received = Received()
          connection.rowPublisher(sql: "SELECT name FROM person ORDER BY id").mapRows(
            .column(.string)
          )
          .sink { completion in
            if case .failure(let error) = completion {
              received.state.withLock { $0.error = error }
            }
          } receiveValue: { name in
            received.state.withLock { $0.names.append(name) }
          }
          let (names, error) = received.state.withLock { $0 }
          if let error { throw error }
          try require(names == ["Ada", "Alan"], "\(names) was published")
        }
      },
    ]
  }
}
