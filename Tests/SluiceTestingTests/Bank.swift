import SluiceTesting
import Testing

/// Two accounts with a total of 100, and two ways to transfer an amount between them.
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

  /// Transfers without a transaction, a deliberate mistake: a failure in the middle leaves half of the transfer.
  static func transferByHalf(in connection: Connection) throws {
    let note = String(repeating: "note ", count: 400)
    try connection.execute("UPDATE account SET amount = amount - 30, note = \(note) WHERE id = 1")
    try connection.execute("UPDATE account SET amount = amount + 30, note = \(note) WHERE id = 2")
  }

  /// Returns a description of damage or of a wrong total, or nil if there is none.
  static func problem(in connection: Connection) throws -> String? {
    let problems = try connection.integrityProblems()
    guard problems.isEmpty else { return problems.joined(separator: "; ") }
    let sum = try connection.first(.column(.int), sql: "SELECT sum(amount) FROM account")
    return sum == 100 ? nil : "There is \(sum ?? 0)"
  }

  /// Returns whether the transfer was made.
  static func isDone(in connection: Connection) throws -> Bool {
    try connection.first(.column(.int), sql: "SELECT amount FROM account WHERE id = 1") == 30
  }
}
