// UUID, SHA-3, decimal and IEEE 754 functions, added to a connection.

// snippet.hide
import Sluice
import SluiceExtras

let connection = try Connection()
// snippet.show
try connection.addUUIDFunctions()
try connection.addSHA3Functions()
try connection.addDecimalFunctions()
try connection.addIEEE754Functions()

// A UUID as the key, and amounts that are exact to the cent.
try connection.execute(
  """
  CREATE TABLE payment(
    id BLOB PRIMARY KEY DEFAULT (uuid_blob(uuid())),
    amount TEXT NOT NULL COLLATE decimal
  );
  INSERT INTO payment(amount) VALUES ('0.10'), ('0.20'), ('100.00'), ('20.5')
  """)
let total = try connection.first(
  .column(.string), "SELECT decimal_sum(amount) FROM payment")
let large = try connection.query(
  .column(.string), "SELECT amount FROM payment WHERE amount > '9.99' ORDER BY amount"
)
print(total as Any, large)  // 120.80 ["20.5", "100.00"]

// A 32-byte hash of a query's result shows whether two databases have the same content.
let hash = try connection.first(
  .column(.string),
  "SELECT hex(sha3_query('SELECT amount FROM payment ORDER BY amount'))")

// The exact value of a REAL.
let parts = try connection.query(
  .column(.string), "SELECT ieee754(0.1) UNION ALL SELECT decimal(0.1)")
print(parts)
// ["ieee754(3602879701896397,-55)", "0.1000000000000000055511151231257827021181583404541015625"]

// An interpolated array is bound as a list of values.
let found = try connection.query(
  .column(.string),
  "SELECT amount FROM payment WHERE amount IN \(["0.10", "20.5"]) ORDER BY amount"
)
// snippet.hide
guard total == "120.80", large == ["20.5", "100.00"], hash?.count == 64, parts.count == 2,
  found == ["0.10", "20.5"]
else { fatalError("\(large), \(found)") }
