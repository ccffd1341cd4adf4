// Testing transactions with faults, power cuts, database fixtures and query plans.

// snippet.hide
import Sluice
import SluiceTesting

// snippet.show
func openBank(_ path: String, _ configuration: Configuration) throws -> Connection {
  let connection = try Connection(path: path, configuration: configuration)
  try connection.execute(
    sql: """
      CREATE TABLE account(id INTEGER PRIMARY KEY, amount INTEGER);
      INSERT INTO account VALUES (1, 60), (2, 40)
      """)
  return connection
}

func transfer(_ amount: Int, in connection: Connection) throws {
  try connection.transaction { connection in
    try connection.execute(
      "UPDATE account SET amount = amount - \(amount) WHERE id = 1")
    try connection.execute(
      "UPDATE account SET amount = amount + \(amount) WHERE id = 2")
  }
}

try FaultyMemory.install()  // before the first connection
let failures = try FaultyMemory.failEachAllocation { attempt in
  let connection = try openBank(":memory:", Configuration())
  let error = try attempt.failing { try transfer(30, in: connection) }
  let sum = try connection.first(
    .column(.int), sql: "SELECT sum(amount) FROM account")
  precondition(sum == 100, "\(error as Any)")
}
// snippet.hide
precondition(failures > 0)
// snippet.show
let files = try FaultyFileSystem()
let count = try files.failEachCall(with: .full) { attempt in
  let path = "\(attempt.number).db"
  let connection = try openBank(path, files.configuration())
  let error = try attempt.failing { try transfer(30, in: connection) }
  try connection.close()
  let bank = try files.connection(path)
  let amounts = try bank.query(
    .column(.int), sql: "SELECT amount FROM account ORDER BY id")
  precondition(
    amounts == [30, 70] || amounts == [60, 40] && error != nil, "\(error as Any)")
}
print("\(count) calls have failed, and no money is lost.")
// snippet.hide
precondition(count > 0)
// snippet.show
func transfer(_ amount: Int, in pool: ConnectionPool) async throws {
  try await pool.write { connection in
    try connection.execute(
      "UPDATE account SET amount = amount - \(amount) WHERE id = 1")
    try connection.execute(
      "UPDATE account SET amount = amount + \(amount) WHERE id = 2")
  }
}

let rounds = try await files.failEachCall(with: .full) { attempt in
  let path = "bank \(attempt.number).db"
  try openBank(path, files.configuration()).close()
  let pool = try ConnectionPool(path: path, configuration: files.configuration())
  let error = try await attempt.failing { try await transfer(30, in: pool) }
  let sum = try await pool.read { connection in
    try connection.first(.column(.int), sql: "SELECT sum(amount) FROM account")
  }
  precondition(sum == 100, "\(error as Any)")
  try await pool.close()
}
// snippet.hide
precondition(rounds > 0)
// snippet.show
let faults: [FileFault] = [
  .error(),  // any call fails with SQLite's code for it
  .error(.ioErrorSync, in: [.sync]),
  .full,  // no space for a write
  .cantOpen,
  .tornWrite,  // stores only half of the bytes
  .full.forEver,  // no space for a write and all later ones
]
// snippet.hide
precondition(faults.count == 6)
// snippet.show
let recorder = try PowerCutRecorder()
let bank = try openBank("bank.db", recorder.configuration())
recorder.mark()
try transfer(30, in: bank)
recorder.mark()
try recorder.forEachState { state in
  guard state.marks > 0 else { return }  // no bank exists yet
  let bank = try state.connection("bank.db")
  let sums = try bank.query(
    .column(.int), sql: "SELECT amount FROM account ORDER BY id")
  precondition(
    sums == [30, 70] || state.marks == 1 && sums == [60, 40], "\(state): \(sums)")
}
let people = try DatabaseFixture { connection in
  try connection.execute(
    sql: """
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
      CREATE INDEX person_by_name ON person(name);
      INSERT INTO person(name) VALUES ('Ada'), ('Alan')
      """)
}
let connection = try people.connection()
let copy = people.copy()
let pool = try ConnectionPool(path: copy.path, configuration: copy.configuration())
// snippet.hide
let number = try await pool.read {
  try $0.first(.column(.int), sql: "SELECT count(*) FROM person")
}
precondition(number == 2)
// snippet.show
try connection.expect(index: "person_by_name", sql: "SELECT * FROM person WHERE name = ?")
try connection.expectNoFullScan(sql: "SELECT * FROM person WHERE name = ?")
