import Sluice
import SluiceData

extension Scene {
  /// Data that moves in and out of databases.
  static var data: [Scene] {
    [
      Scene("dump and load") { database in
        try database.use { connection in
          let (sql, rowCount) = try dumped(connection)
          let copy = try Connection()
          var pieces = [sql]
          do { try copy.load { pieces.popLast() } } catch {
            // A script that fails changes nothing.
            if let objects = try? copy.schemaObjects() {
              try require(objects.isEmpty, "\(objects.count) objects are there after \(error)")
            }
            throw error
          }
          let (again, _) = try dumped(copy)
          try require(again == sql && rowCount >= 4, "the copy differs")
        }
      },
      Scene("import") { database in
        try database.use { connection in
          let lines = "id,text\n2,changed\n3,three\n4,four\n"
          let result = try connection.importRows(
            from: [lines.utf8], as: .csv, into: "pair", key: ["id"])
          try require(result.rowCount == 3, "\(result.rowCount) rows were imported")
          let texts = try connection.query(.column(.string), sql: "SELECT text FROM pair")
          try require(texts == ["one", "changed", "three", "four"], "the rows are \(texts)")
        }
      },
      Scene("import that updates rows") { database in
        try database.use { connection in
          // The rows lack a required column, so those that exist are searched.
          var refused = 0
          let result = try connection.importRows(
            from: ["id,picture\n2,AP8=\n5,AP8=\n".utf8], as: .csv, into: "person", key: ["id"],
            refusals: .handle { _ in refused += 1 })
          try require(
            result.rowCount == 1 && refused == 1, "\(result.rowCount) rows, \(refused) refused")
          let sql = "SELECT name || hex(picture) FROM person WHERE id > 1"
          let rows = try connection.query(.column(.string), sql: sql)
          try require(rows == ["Alan00FF"], "the rows are \(rows)")
        }
      },
      Scene("import into a new table") { database in
        try database.use { connection in
          let lines = ["{\"a\": 1, \"b\": \"x\"}\n".utf8, "{\"a\": 2.5}\n".utf8]
          do { try connection.importRows(from: lines, as: .jsonLines, into: "fresh") } catch {
            // The table and its rows are committed together.
            let sql = "SELECT count(*) FROM fresh"
            if let count = try? connection.first(.column(.int), sql: sql) {
              try require(count == 2, "a table with \(count) rows is there after \(error)")
            }
            throw error
          }
          let sum = try connection.first(.column(.double), sql: "SELECT sum(a) FROM fresh")
          try require(sum == 3.5, "the sum is \(sum ?? 0)")
        }
      },
      Scene("export") { database in
        try database.use { connection in
          var text: [UInt8] = []
          let count = try connection.exportRows(
            "SELECT name, picture IS NULL AS missing FROM person ORDER BY id", as: .csv
          ) { text += $0 }
          let found = String(decoding: text, as: UTF8.self)
          try require(count == 2 && found == "name,missing\nAda,0\nAlan,1\n", "wrote \(found)")
        }
      },
      Scene("diff") { database in
        try database.use { connection in
          try connection.execute(
            sql: """
              ATTACH ':memory:' AS other;
              CREATE TABLE other.person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, picture BLOB);
              INSERT INTO other.person SELECT * FROM main.person;
              UPDATE other.person SET name = 'Ada Lovelace' WHERE id = 1;
              """)
          let diff = try DatabaseDiff(connection, to: "other")
          let person = try diff.summary().first { $0.table == "person" }
          try require(person?.updatedCount == 1, "\(person?.updatedCount ?? 0) rows were updated")
          var sql: [UInt8] = []
          try require(diff.writeSQL { sql += $0 } && !sql.isEmpty, "there is no difference")
        }
      },
      Scene("diagram") { database in
        try database.use { connection in
          let diagram = try connection.schemaDiagram(includesViews: true)
          try require(diagram.tables.contains { $0.name == "names" }, "a view is missing")
          try require(diagram.svg.hasSuffix("</svg>\n"), "the picture is incomplete")
        }
      },
    ]
  }

  private static func dumped(_ connection: Connection) throws -> (sql: [UInt8], rowCount: Int) {
    var (sql, rowCount): ([UInt8], Int) = ([], 0)
    try connection.dump(progress: { rowCount = $0.rowCount }, to: { sql += $0 })
    return (sql, rowCount)
  }
}
