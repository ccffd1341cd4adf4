// Transactions: all or nothing, nested, and safe when the disk is full.

// snippet.hide
import Sluice

let connection = try Connection()
// snippet.show
try connection.execute(
  sql: """
    CREATE TABLE account(
      id INTEGER PRIMARY KEY, amount INTEGER NOT NULL CHECK (amount >= 0));
    INSERT INTO account VALUES (1, 100), (2, 0)
    """)
try connection.transaction { connection, command in
  try connection.execute(sql: "UPDATE account SET amount = amount - 30 WHERE id = 1")
  try connection.execute(sql: "UPDATE account SET amount = amount + 30 WHERE id = 2")

  // A nested transaction is a savepoint, which can be rolled back separately.
  do {
    try connection.transaction { connection in
      try connection.execute(sql: "DELETE FROM account WHERE id = 1")
      try connection.execute(sql: "UPDATE account SET amount = -1 WHERE id = 2")
    }
  } catch SQLiteError.constraint {
    print("Nobody can owe.")
  }
  // command = .rollback would roll back everything without an error.
}
// snippet.hide
let amounts = try connection.query(.column(.int), sql: "SELECT amount FROM account ORDER BY id")
guard amounts == [70, 30] else { fatalError("\(amounts)") }
