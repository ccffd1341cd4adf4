// The code samples in the documentation comments about testing; all compile and run.

// snippet.hide
import Sluice
import SluiceTesting
import Synchronization

func openBank(_ path: String, _ configuration: Configuration) throws -> Connection {
  let connection = try Connection(path: path, configuration: configuration)
  try createBank(connection)
  return connection
}

func createBank(_ connection: Connection) throws {
  try connection.execute(
    sql: """
      CREATE TABLE account(id INTEGER PRIMARY KEY, amount INTEGER);
      INSERT INTO account VALUES (1, 60), (2, 40)
      """)
}

func transfer(_ amount: Int, in connection: Connection) throws {
  try connection.transaction { connection in
    try connection.execute("UPDATE account SET amount = amount - \(amount) WHERE id = 1")
    try connection.execute("UPDATE account SET amount = amount + \(amount) WHERE id = 2")
  }
}

func memory() throws {
  try FaultyMemory.install()
  let count = try FaultyMemory.failEachAllocation { attempt in
    let connection = try openBank(":memory:", Configuration())
    let error = try attempt.failing { try transfer(30, in: connection) }
    let sum = try connection.first(.column(.int), sql: "SELECT sum(amount) FROM account")
    precondition(sum == 100, "\(error as Any)")
  }
  precondition(count > 0)
}

func faults() throws {
  let files = try FaultyFileSystem()
  let count = try files.failEachCall(with: .full) { attempt in
    let path = "\(attempt.number).db"
    let connection = try openBank(path, files.configuration())
    let error = try attempt.failing { try transfer(30, in: connection) }
    try connection.close()
    let bank = try files.connection(path)
    let sum = try bank.first(.column(.int), sql: "SELECT sum(amount) FROM account")
    precondition(sum == 100, "\(error as Any)")
  }
  precondition(count > 0)
}

func someFaults() {
  let fault = FileFault.full.forEver
  let other = FileFault.error(.ioErrorSync, in: [.sync])
  precondition(fault != other)
}

func powerCuts() throws {
  let recorder = try PowerCutRecorder()
  let connection = try recorder.connection("bank.db")
  try createBank(connection)
  recorder.mark()
  try transfer(30, in: connection)
  try recorder.forEachState { state in
    guard state.marks > 0 else { return }
    let sum = try state.connection("bank.db")
      .first(.column(.int), sql: "SELECT sum(amount) FROM account")
    precondition(sum == 100, "\(state)")
  }
}

final class Counter: Sendable {
  let syncs = Atomic(0)
}

func watched() throws {
  let counter = Counter()
  let system = WatchedFileSystem { call in
    if call == .sync { counter.syncs.add(1, ordering: .relaxed) }
  }
  try SQLiteLibrary.addFileSystem("watched", system)
}

func registered() throws {
  let system = try RegisteredFileSystem(MemoryFileSystem())
  let connection = try system.connection("person.db")
  let pool = try ConnectionPool(path: "person.db", configuration: system.configuration())
  withExtendedLifetime((connection, pool)) {}
}

func inMemory() throws {
  let memory = MemoryFileSystem()
  let system = try RegisteredFileSystem(memory)
  let connection = try system.connection("person.db")
  try connection.close()
}

func fixture() throws {
  let people = try DatabaseFixture { connection in
    try connection.execute(
      sql: "CREATE TABLE person(name TEXT); INSERT INTO person VALUES ('Ada'), ('Alan')")
  }
  let connection = try people.connection()
  let copy = people.copy()
  let pool = try ConnectionPool(path: copy.path, configuration: copy.configuration())
  try connection.close()
  withExtendedLifetime(pool) {}
}

func plans() throws {
  let connection = try Connection()
  try connection.execute(
    sql: "CREATE TABLE person(name TEXT); CREATE INDEX person_by_name ON person(name)")
  try connection.expect(
    index: "person_by_name", sql: "SELECT * FROM person WHERE name = ?")
  try connection.expectNoFullScan(sql: "SELECT * FROM person WHERE name = ?")
}

func chance() {
  var random = SeededGenerator(seed: 42)
  let amount = Int.random(in: 1...100, using: &random)
  precondition(amount > 0)
}

try memory()
try faults()
someFaults()
try powerCuts()
try watched()
try registered()
try inMemory()
try fixture()
try plans()
chance()
