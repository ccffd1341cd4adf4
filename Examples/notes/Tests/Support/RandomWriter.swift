import Sluice
import SluiceTesting

/// Random writes to notes and notebooks, some of which are rolled back.
struct RandomWriter {
  private struct Rollback: Error {}

  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Executes one statement, or a transaction of several.
  mutating func write(to connection: Connection) throws {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try scope(of: connection, depth: 0)
    default: try statement(on: connection)
    }
  }

  /// Executes some statements in a transaction or savepoint, which may be rolled back.
  private mutating func scope(of connection: Connection, depth: Int) throws {
    do {
      try connection.savepoint { connection in
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          if depth < 3, Int.random(in: 0..<4, using: &random) == 0 {
            try scope(of: connection, depth: depth + 1)
          } else {
            try statement(on: connection)
          }
        }
        if Int.random(in: 0..<3, using: &random) == 0 { throw Rollback() }
      }
    } catch is Rollback {}
  }

  private mutating func statement(on connection: Connection) throws {
    let (notebook, other) = (number(4), number(4))
    let (id, title) = (number(30), "\(word()) \(word())")
    let sql: SQL =
      switch Int.random(in: 0..<10, using: &random) {
      case 0: "REPLACE INTO notebook(id, name) VALUES (\(notebook), \("book \(other)"))"
      case 1: "DELETE FROM notebook WHERE id = \(notebook)"
      case 2, 3: "INSERT INTO note(notebook, title, body) VALUES (\(notebook), \(title), '')"
      case 4, 5:
        "REPLACE INTO note(id, notebook, title, body) VALUES (\(id), \(notebook), \(title), '')"
      case 6: "UPDATE note SET title = \(title), version = version + 1 WHERE id = \(id)"
      case 7: "UPDATE OR REPLACE note SET notebook = \(other) WHERE notebook = \(notebook)"
      case 8: "UPDATE note SET id = id + 100 WHERE id = \(id)"
      default: "DELETE FROM note WHERE id = \(id)"
      }
    // Many writes refer to a missing notebook, or repeat a title; these statements fail and change nothing.
    do { try connection.execute(sql) } catch SQLiteError.constraint {}
  }

  private mutating func number(_ limit: Int) -> Int { Int.random(in: 1...limit, using: &random) }

  private mutating func word() -> String {
    ["engine", "note", "sketch", "loom", "table", "wheel"].randomElement(using: &random) ?? ""
  }
}
