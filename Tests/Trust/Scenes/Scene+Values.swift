import Foundation
import Sluice

extension Scene {
  /// Values that are written and read.
  static var values: [Scene] {
    [
      Scene("values") { database in
        try database.use { connection in
          let text = String(repeating: "ä", count: 700)
          let insert = try connection.prepare(
            sql: "INSERT INTO person(name, picture) VALUES (?, :b)")
          try insert.bind(.string(text), .bytes([UInt8](repeating: 7, count: 900))).execute()
          try insert.bind("Eve", .null).execute()
          let rows = try connection.query(
            .values, sql: "SELECT name, length(name), 1.5, picture FROM person ORDER BY id DESC")
          try require(
            rows.count == 4 && rows[1]["name"] == .text(text), "\(rows.count) rows came back")
          var lengths = 0
          try connection.execute("SELECT name, picture FROM person WHERE id IN \([1, 3])") { row in
            lengths += try row.withUTF8(at: 0) { $0.count }
            lengths += try row.optional(.bytes, at: 1)?.count ?? 0
          }
          try require(lengths == 3 + 9000 + 1400 + 900, "\(lengths) bytes came back")
        }
      },
      Scene("files of strangers") { database in
        var configuration = Configuration.untrusted
        configuration.fileSystem = database.configuration.fileSystem
        configuration.busyTimeout = database.configuration.busyTimeout
        try SceneDatabase(path: database.path, configuration: configuration).use { connection in
          try connection.addTableFunction("letters", columns: ["letter"], parameters: ["text"]) {
            (text: String) in text.map { String($0) }
          }
          let names = try connection.query(
            .column(.string), sql: "SELECT names.name FROM names, letters('a') ORDER BY 1")
          try require(names == ["Ada", "Alan"], "\(names) are there")
        }
      },
      Scene("Foundation") { database in
        try database.use { connection in
          let (id, date) = (UUID(), Date(timeIntervalSince1970: 60))
          try connection.execute(
            sql: "CREATE TEMP TABLE t(a, b, c); INSERT INTO t VALUES (NULL, NULL, NULL)")
          try connection.execute(
            "UPDATE t SET a = \(.uuidBytes(id)), b = \(.timeIntervalSince1970(date)), c = \(.json(["x", "y"]))"
          )
          try connection.execute(sql: "SELECT * FROM t") { row in
            let isSame =
              try row.get(.uuidBytes, at: 0) == id
              && row.get(.timeIntervalSince1970, at: 1) == date
            try require(
              isSame && row.get(.json([String].self), at: 2) == ["x", "y"], "other values")
          }
        }
      },
      Scene("Codable") { database in
        struct Person: Codable, Equatable {
          var id: Int64
          var name: String
          var picture: [Int]?
        }
        try database.use { connection in
          let eve = Person(id: 3, name: "Eve", picture: [1, 2, 3])
          try connection.execute(
            sql: "INSERT INTO person VALUES (:id, :name, :picture)", encoding: eve)
          let found = try connection.first(Person.self, "SELECT * FROM person WHERE id = 3")
          try require(found == eve, "another person came back: \(found as Any)")
        }
      },
      Scene("introspection") { database in
        try database.use { connection in
          let tables = try connection.tables()
          try require(tables.contains { $0.name == "person" }, "a table is missing")
          let columns = try connection.columns(of: "person")
          try require(columns.map(\.name) == ["id", "name", "picture"], "columns are missing")
          try require(connection.indexes(of: "person").count == 1, "an index is missing")
          _ = try connection.foreignKeys(of: "person")
          let plan = try connection.queryPlan(sql: "SELECT * FROM person WHERE name = 'Ada'")
          try require(plan.fullScans.isEmpty && !plan.nodes.isEmpty, "another plan: \(plan)")
          _ = try connection.status(.cacheHits)
          _ = try connection.pageCount()
          // A page that cannot be read is one of the reported problems.
          _ = try connection.integrityProblems()
          try require(connection.foreignKeyViolations().isEmpty, "foreign keys are violated")
        }
      },
    ]
  }
}
