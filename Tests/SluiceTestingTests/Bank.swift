import SluiceTesting
import Testing

/// Two accounts that have 100 together, and two ways to move something from one to the other.
enum Bank {
  static func open(_ path: String, _ configuration: Configuration) throws -> Connection {
    let connection = try Connection(path: path, configuration: configuration)
    try connection.execute(
      sql: """
        CREATE TABLE account(id INTEGER PRIMARY KEY, amount INTEGER, note TEXT);
        INSERT INTO account VALUES (1, 60, NULL), (2, 40, NULL)
        """)
    return connection
  }

  static func transfer(in connection: Connection) throws {
    try connection.transaction { connection, _ in try transferByHalf(in: connection) }
  }

  /// A mistake: if it fails in the middle, half of it is done.
  static func transferByHalf(in connection: Connection) throws {
    let note = String(repeating: "note ", count: 400)
    try connection.execute("UPDATE account SET amount = amount - 30, note = \(note) WHERE id = 1")
    try connection.execute("UPDATE account SET amount = amount + 30, note = \(note) WHERE id = 2")
  }

  /// What is wrong with it, or nil.
  static func problem(in connection: Connection) throws -> String? {
    let problems = try connection.integrityProblems()
    guard problems.isEmpty else { return problems.joined(separator: "; ") }
    let sum = try connection.first(.column(.int), sql: "SELECT sum(amount) FROM account")
    return sum == 100 ? nil : "There is \(sum ?? 0)"
  }

  /// Whether the transfer is there.
  static func isDone(in connection: Connection) throws -> Bool {
    try connection.first(.column(.int), sql: "SELECT amount FROM account WHERE id = 1") == 30
  }
}
