import Sluice

extension Scene {
  /// Transactions, and operations that change the whole file.
  static var writing: [Scene] {
    [
      Scene("transaction") { database in
        try database.use { connection in
          try database.addPair(connection)
          try database.addPair(connection)
        }
      },
      Scene("savepoints") { database in
        try database.use { connection in
          try connection.transaction(.immediate) { connection, _ in
            try database.addPair(connection)
            try connection.savepoint { connection, command in
              try connection.execute(sql: "INSERT INTO pair(text) VALUES ('undone')")
              command = .rollback
            }
          }
        }
      },
      Scene("errors that are swallowed") { database in
        try database.use { connection in
          try connection.transaction { connection, _ in
            // After an automatic rollback, no later statement of the scope may take effect.
            _ = try? connection.execute(
              "INSERT INTO pair(text) VALUES (\(String(repeating: "x", count: 9000)))")
            let count = try connection.first(.column(.int), sql: "SELECT count(*) FROM pair") ?? 0
            if count % 2 == 1 { try connection.execute(sql: "INSERT INTO pair(text) VALUES ('y')") }
          }
        }
      },
      Scene("spilled transaction") { database in
        try database.use { connection in
          try connection.setPragma(.cacheSize, to: .pages(2))
          try connection.transaction { connection, _ in
            for _ in 0..<6 { try database.addPairByHalf(connection) }
          }
        }
      },
      Scene("schema") { database in
        try database.use { connection in
          try connection.transaction { connection, _ in
            try connection.execute(sql: "ALTER TABLE person ADD COLUMN age INTEGER DEFAULT 3")
            try connection.execute(
              sql: "CREATE TABLE log(text); CREATE INDEX log_text ON log(text)")
            try connection.execute(
              sql:
                "CREATE TRIGGER t AFTER INSERT ON person BEGIN INSERT INTO log VALUES (new.name); END"
            )
            try connection.execute(sql: "INSERT INTO person(name) VALUES ('Eve')")
          }
          let name = try connection.first(.column(.string), sql: "SELECT text FROM log")
          try require(name == "Eve", "the trigger has written \(name as Any)")
        }
      },
      Scene("settings and vacuum") { database in
        try database.use { connection in
          try connection.execute(sql: "DELETE FROM person")
          if try connection.pragma(.journalMode) == .wal {
            _ = try connection.checkpoint(.truncate)
          }
          try connection.setPragma(.journalMode, to: .delete)
          try connection.vacuum(pageSize: 1024)
          try connection.setPragma(.journalMode, to: .wal)
          try database.addPair(connection)
        }
      },
      Scene("attached database") { database in
        try database.use { connection in
          try connection.attach(path: database.path + ".other", as: "other")
          try connection.execute(
            sql: "CREATE TABLE IF NOT EXISTS other.pair(id INTEGER PRIMARY KEY, text)")
          try connection.transaction { connection, _ in
            try database.addPairByHalf(connection)
            try connection.execute(sql: "INSERT INTO other.pair(text) SELECT text FROM main.pair")
          }
        }
      },
    ]
  }
}
